"""What tests/conventions.py reads of a file: comments of C, Markdown without code, comments and docstrings of Python, and
code without comments."""
import ast
import io
import re
import tokenize

PRODUCT = ("core/", "counters/", "hooks/", "layer/", "cli/", "annotate/")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'")


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def comments(text):
    """(offset, text without comment signs) of each comment; strings are no comments."""
    masked = LITERAL.sub(lambda m: " " * len(m.group(0)), re.sub(r"(?m)^[ \t]*#[ \t]*include[^\n]*",
                                                                lambda m: " " * len(m.group(0)), mask_quotes(text)))
    for match in COMMENT.finditer(masked):
        raw = text[match.start():match.end()]
        yield match.start(), re.sub(r"(?m)^[ \t]*\*+/?|^/\*+<?|\*+/$|^//+", " ", raw)


def mask_quotes(text):
    """Comments may hold single quotes: hide apostrophes inside of comments from the search for literals."""
    return COMMENT.sub(lambda m: m.group(0).replace("'", " ").replace('"', " "), text) if '"/*' not in text else text


def prose(text):
    """(line number, line) of each line of Markdown that is no code. Code is between fences, or is indented by four
    columns more than the text around it, after an empty line. Text of a list is indented, too, and is no code."""
    fence, margin, code, empty = False, 0, False, True
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        if fence or not line.strip():
            empty = empty or not line.strip()
            continue
        indent = len(line) - len(line.lstrip())
        if empty and indent < margin:
            margin = 0
        item = re.match(r" *(?:[*+-]|\d+[.)]) +", line)
        code = indent >= margin + 4 and (empty or code)
        if item and not code:
            margin = item.end()
        empty = False
        if not code:
            yield number, line


def masked_code(text):
    """The text without comments and literals; offsets stay."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    return LITERAL.sub(blank, COMMENT.sub(blank, mask_quotes(text)))


def enclosing(code, offset):
    """(start, word): the innermost open parenthesis before @p offset and the word in front of it; or the start of the
    statement and None."""
    depth = 0
    for i in range(offset - 1, -1, -1):
        if code[i] in ")]":
            depth += 1
        elif code[i] in "([":
            if depth == 0:
                return i, re.search(r"(\w*)\s*$", code[max(0, i - 80):i]).group(1)
            depth -= 1
        elif code[i] in ";{}" and depth == 0:
            # the second clause of a for statement
            return i, "for" if re.search(r"\bfor\s*\([^{};]*$", code[max(0, i - 200):i]) else None
    return 0, None


def same_level(code, start, offset):
    """The text after @p start around @p offset, up to the end of its parenthesis or statement, without what is in
    inner parentheses, and without the arguments before and after."""
    depth, out = 0, []
    for i in range(start + 1, len(code)):
        if code[i] in ")]":
            if depth == 0:
                break
            depth -= 1
        elif code[i] in "([":
            depth += 1
        elif depth == 0 and code[i] in ",;{}":
            if i > offset:
                break
            out = []
        elif depth == 0:
            out.append(code[i])
    return "".join(out)


def python_prose(text):
    """(line number, text) of each docstring and comment of a Python file."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#! ")


def python_names(text):
    """(line number, name) of each name in the code of a Python file."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string
