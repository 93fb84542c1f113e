"""Golden files: whole screens of the command, as a user sees them.

PP_UPDATE_GOLDEN=1 in the environment writes the files instead of comparing: run the test with it, and read the
difference with `git diff` before you commit."""
import difflib
import os
import re

UPDATE = "PP_UPDATE_GOLDEN"


def golden(path, text, replace=(), update=os.environ.get(UPDATE) == "1"):
    """Demands that @p text is what the file @p path holds. @p replace: (regular expression, placeholder) of each volatile
    part. Raises AssertionError with the difference."""
    for pattern, placeholder in replace:
        text = re.sub(pattern, placeholder, text)
    if update:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    if not os.path.exists(path):
        raise AssertionError(f"{path} does not exist; {UPDATE}=1 writes it. The text is:\n{text}")
    with open(path, encoding="utf-8") as file:
        want = file.read()
    if text != want:
        lines = difflib.unified_diff(want.splitlines(), text.splitlines(), os.path.basename(path), "now", lineterm="")
        raise AssertionError("\n".join([f"{path} differs; {UPDATE}=1 updates it", *lines]))


def self_test(folder):
    """A difference in one character, in blanks, or in the end of the last line is found."""
    path = os.path.join(folder, "golden", "screen.txt")
    golden(path, "one\n  two 17 ms\n", [(r"\d+ ms", "N ms")], update=True)
    golden(path, "one\n  two 18 ms\n", [(r"\d+ ms", "N ms")], update=False)
    for wrong in ("one\n  two N msec\n", "one\n two N ms\n", "one\n  two N ms"):
        try:
            golden(path, wrong, update=False)
        except AssertionError:
            continue
        raise AssertionError(f"{wrong!r} is taken for the file")
