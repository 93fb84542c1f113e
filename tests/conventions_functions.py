"""Rules about functions of the product: each is declared in its own header, and something else than tests calls it."""
import os
import re

from conventions_text import COMMENT, PRODUCT, line_of, mask_quotes


def definitions(tree, names):
    """(file, name, line) of each function of the files @p names that another file can call."""
    for name in [name for name in names if name.endswith(".c") and name.startswith(PRODUCT)]:
        text = tree.read(name)
        for match in re.finditer(r"^([^\n]*)\n(pp_\w+)\(", text, re.M):
            head = match.group(1)
            if re.match(r"[A-Za-z_]", head) and "static" not in head and not head.endswith((";", ",", ")")):
                yield name, match.group(2), line_of(text, match.start()) + 1


# Handlers of Vulkan commands: generated tables declare and call them by the command's name.
VULKAN_HANDLER = re.compile(r"pp_(hook|split)_[A-Z]")


def is_command(tree, function):
    """A command is a row X(NAME, ...) of cli/commands/commands.h, which declares pp_cmd_NAME() and takes its address."""
    rows = "cli/commands/commands.h"
    return function.startswith("pp_cmd_") and rows in tree.every and \
        re.search(rf"\bX\({function[len('pp_cmd_'):]},", tree.read(rows))


def rule_header(tree):
    places = {}
    for name, function, _ in definitions(tree, tree.every):
        places.setdefault(name, set()).add(function)
    for name, function, line in definitions(tree, tree.names):
        if VULKAN_HANDLER.match(function):
            continue
        # a file includes its header first; several files of a module may share one
        first = re.search(r'^#include (<|"[^"]+")', tree.read(name), re.M)
        shared = [first.group(1).strip('"')] if first and first.group(1)[1:].split("/")[0] == name.split("/")[0] else []
        own = [header for header in (name[:-2] + ".h", name[:-2] + "_private.h", *shared) if header in tree.every]
        # where a module brings its own functions in place of another module's, the other one declares them
        folders = {os.path.dirname(place) for place, same in places.items() if function in same and place != name}
        other = [header for header in tree.every if header.endswith(".h") and os.path.dirname(header) in folders]
        if not is_command(tree, function) and not any(re.search(rf"\b{function}\(", tree.read(header)) for header in own + other
                               if header in tree.every):
            yield f"{name}:{line}: {function}() is not declared in {os.path.basename(name)[:-2]}.h"


def without_comments(name, text):
    """The text of a C file without its comments; other files as they are."""
    return COMMENT.sub(" ", mask_quotes(text)) if name.endswith((".c", ".h", ".S")) else text


def uses_of_entry_points(every):
    """Handlers that entry_points.txt names without their prefix: `glBegin handlers before=begin(mode)`."""
    return set(re.findall(r" (?:before|after|around|replace|always|swap)=(?:\w+:)?(\w+)", every))


def rule_caller(tree):
    """Something else than tests calls each function. A name in a comment or in a linker's map is no call."""
    sources = [name for name in tree.every if name.startswith(PRODUCT + ("tools/", "samples/", "bench/"))
               and name.endswith((".c", ".h", ".py", ".txt", ".S"))]
    code = {name: without_comments(name, tree.read(name)) for name in sources}
    every = "\n".join(code.values())
    uses = {}
    for word in re.findall(r"\b\w+", every):
        uses[word] = uses.get(word, 0) + 1
    handlers = uses_of_entry_points(every)
    for name, function, line in definitions(tree, tree.names):
        # bodies of inline functions are indented, so what begins in the first column is a declaration
        declared = sum(len(re.findall(rf"^\S[^\n;{{]*\b{function}\(", code[header], re.M))
                       for header in sources if header.endswith(".h") and function in code[header])
        if re.sub(r"^pp_gl_(before_|after_)?", "", function) in handlers:
            continue
        command = function.split("_", 2)[2] if VULKAN_HANDLER.match(function) else None
        if command and (command in uses or "vk" + command in uses):
            continue
        if is_command(tree, function):
            continue
        if uses.get(function, 0) <= 1 + declared and not function.startswith("pp_annotate_"):
            yield f"{name}:{line}: nothing but tests calls {function}()"
