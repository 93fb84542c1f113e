"""What tests/conventions.py reads of a file: comments of C, Markdown without code, comments and docstrings of Python, and
code without comments."""
import ast
import io
import re
import tokenize

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
    """(line number, line) of each line of Markdown that is no code. Code stands between fences, or is indented by four
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
