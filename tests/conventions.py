#!/usr/bin/env python3
"""Rules of CONTRIBUTING.md and docs/glossary.md that a program can check.

    tests/conventions.py TOP [--rule NAME]... [--under FOLDER]    list offences; exit 1 if there are any
    tests/conventions.py --self-test    plant offences of each rule: each must be found, and what is no offence must not be found

--rule may be repeated. The rules are the functions rule_NAME below."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

DATA = ("counters/gpus", "counters/snapshot/layouts", "counters/data", ".ci", "tests/counters/vectors",
        "tests/unit/counters/vectors", "tests/fuzz/corpus")
# Man pages, messages, options and scripts: rule_words_of_texts reads them line by line.
TEXTS = ("docs/man/", "docs/messages.yaml", "docs/options.yaml", "tools/", "bench/")
FILE_LINES = 800
MARKDOWN_COLUMNS = 120
PRODUCT = ("core/", "counters/", "hooks/", "layer/", "cli/", "annotate/")
# Words of the old private language; docs/glossary.md has the words that replace them.
WORDS = {
    r"rooms?": "module", r"seams?": "interface", r"house": "conventions, project", r"shel(f|ves)": "free list",
    r"pieces? of work": "action", r"of its own accord": "by itself", r"nobody": "no one, or name who",
    r"whoever": "the one that", r"beside": "overlapped, next to, in addition to", r"landed": "available",
    r"landings?": "result slot", r"settled?": "decide, complete", r"is told": "use the active voice",
    r"are told": "use the active voice", r"is said": "use the active voice", r"are said": "use the active voice",
    r"strangers?": "other, foreign",
}
WORD = re.compile(r"\b(" + "|".join(WORDS) + r")\b", re.I)
PRONOUN = re.compile(r"^(It|They|Them|These|Those|The same|Its|Their|Such|Likewise|Ditto)\b(?! (of|as|is true))")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'")


class Tree:
    """The tracked files of a checkout, read once."""

    def __init__(self, top, under=""):
        self.top, self.text = top, {}
        listed = subprocess.run(["git", "-C", top, "ls-files", "-co", "--exclude-standard"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, check=False)
        if listed.returncode:
            print("skipped: not a git checkout")
            sys.exit(77)
        every = [name for name in listed.stdout.splitlines() if os.path.isfile(os.path.join(top, name))]
        self.every = every
        self.names = [name for name in every if name.startswith(under)]

    def read(self, name):
        if name not in self.text:
            with open(os.path.join(self.top, name), encoding="utf-8", errors="replace") as file:
                self.text[name] = file.read()
        return self.text[name]

    def code(self, *endings, data=False):
        return [name for name in self.names if name.endswith(endings) and (data or not name.startswith(DATA))]


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


def rule_readme(tree):
    folders = {os.path.dirname(name) for name in tree.code(".c", ".h", ".py", ".S")} - {""}
    for folder in sorted(folders):
        if "/include" not in folder and folder + "/README.md" not in tree.every:
            yield f"{folder}: no README.md"


def rule_head(tree):
    for name in tree.code(".c", ".h"):
        if not tree.read(name).startswith("/** @file"):
            yield f"{name}: no head comment"


def rule_lines(tree):
    for name in tree.code(".c", ".h", ".py"):
        count = tree.read(name).count("\n")
        if count > FILE_LINES:
            yield f"{name}: {count} lines, at most {FILE_LINES}"


def rule_words(tree):
    for name in tree.code(".c", ".h", ".S"):
        text = tree.read(name)
        for offset, comment in comments(text):
            for match in WORD.finditer(comment):
                yield f"{name}:{line_of(text, offset)}: '{match.group(0)}' in a comment; see docs/glossary.md"
    for name in tree.code(".md"):
        if name.endswith("glossary.md"):
            continue
        for number, line in prose(tree.read(name)):
            for match in WORD.finditer(re.sub(r"`[^`]*`", "", line)):
                yield f"{name}:{number}: '{match.group(0)}'; see docs/glossary.md"


def rule_words_of_texts(tree):
    """The same words in man pages, messages, options and scripts."""
    for name in [name for name in tree.code("") if name.startswith(TEXTS) and not name.endswith((".c", ".h", ".md"))]:
        for number, line in enumerate(tree.read(name).splitlines(), 1):
            for match in WORD.finditer(line):
                yield f"{name}:{number}: '{match.group(0)}'; see docs/glossary.md"


def rule_pronoun(tree):
    for name in tree.code(".c", ".h"):
        text = tree.read(name)
        for offset, comment in comments(text):
            match = PRONOUN.match(comment.strip())
            if match:
                yield f"{name}:{line_of(text, offset)}: a comment begins with '{match.group(0)}'; name its subject"


def rule_tags(tree):
    seen = {}
    for name in [name for name in tree.code(".c", ".h") if name.startswith(PRODUCT)]:
        for match in re.finditer(r"^(struct|enum|union) (pp_\w+) \{", tree.read(name), re.M):
            place = f"{name}:{line_of(tree.read(name), match.start())}"
            if match.group(2) in seen:
                yield f"{place}: {match.group(1)} {match.group(2)} is defined in {seen[match.group(2)]}, too"
            seen[match.group(2)] = place


DEFINITION = re.compile(r"^(?!static\b|#|extern\b|typedef\b)[A-Za-z_][\w \t*]*\n(pp_\w+)\(", re.M)


def definitions(tree):
    """(file, name) of each function that another file can call."""
    for name in [name for name in tree.code(".c") if name.startswith(PRODUCT)]:
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
    for name, function, _ in definitions(Tree(tree.top)):
        places.setdefault(name, set()).add(function)
    for name, function, line in definitions(tree):
        if VULKAN_HANDLER.match(function):
            continue
        own = [header for header in (name[:-2] + ".h", name[:-2] + "_private.h") if header in tree.every]
        # where a module brings its own functions in place of another module's, the other one declares them
        folders = {os.path.dirname(place) for place, same in places.items() if function in same and place != name}
        other = [header for header in tree.every if header.endswith(".h") and os.path.dirname(header) in folders]
        if not is_command(tree, function) and not any(re.search(rf"\b{function}\(", tree.read(header)) for header in own + other
                               if header in tree.every):
            yield f"{name}:{line}: {function}() is not declared in {os.path.basename(name)[:-2]}.h"


def uses_of_entry_points(every):
    """Handlers that entry_points.txt names without their prefix: `glBegin handlers before=begin(mode)`."""
    return set(re.findall(r" (?:before|after|around|replace|always|swap)=(?:\w+:)?(\w+)", every))


# Functions without a caller that an open issue needs: they compare two recordings.
KEPT = ("pp_hodges_lehmann", "pp_bootstrap_median_shift")


def rule_caller(tree):
    sources = [name for name in tree.every if name.startswith(PRODUCT + ("tools/", "samples/", "bench/"))
               and name.endswith((".c", ".h", ".py", ".txt", ".S", ".map"))]
    every = "\n".join(tree.read(name) for name in sources)
    uses = {}
    for word in re.findall(r"\b\w+", every):
        uses[word] = uses.get(word, 0) + 1
    handlers = uses_of_entry_points(every)
    for name, function, line in definitions(tree):
        own = tree.read(name)
        inside = len(re.findall(rf"\b{function}\b", own))
        if re.sub(r"^pp_gl_(before_|after_)?", "", function) in handlers or function in KEPT:
            continue
        command = function.split("_", 2)[2] if VULKAN_HANDLER.match(function) else None
        if command and (command in uses or "vk" + command in uses):
            continue
        if is_command(tree, function):
            continue
        if uses.get(function, 0) <= inside + 1 and inside <= 1 and not function.startswith("pp_annotate_"):
            yield f"{name}:{line}: nothing but tests calls {function}()"


def rule_markdown(tree):
    for name in tree.code(".md"):
        for number, line in prose(tree.read(name)):
            if len(line) > MARKDOWN_COLUMNS and not line.startswith("|"):
                yield f"{name}:{number}: {len(line)} columns, at most {MARKDOWN_COLUMNS}"


# What prints a text, stores it as a reason, or makes a part of one.
GIVEN = re.compile(r"\b(?:pp_log|pp_note_once|pp_(?:device|session)_(?:note|missing)(?:_locked)?|pp_vk_missing_once|"
                   r"stop_writing|add_missing|pp_perf_fail|pp_\w*fail\w*|fail|mistake|pp_\w*say\w*|say\w*|tell|"
                   r"pp_probe_absent_add|pp_print|puts)\(([^;{]*);"
                   r"|\b(?:\w+_)?(?:reason|refusal|why|obstacle|no_\w+)\s*=([^;{}]*?)[;,}]", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*(?:"(?:\\.|[^"\\\n])*"|PRI\w+|PP_\w+))*')
CONVERSION = re.compile(r"%[-#0 ]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:ll|l|z)?[a-zA-Z%]|\\\\.")
SENTENCE = re.compile(r"(?:[A-Za-z'()-]{2,}[,;:]? ){2,}[A-Za-z'()-]{2,}")
# Names and descriptions of counters stand with the counter.
DESCRIBED = ("counters/sources/registry.c", "counters/sources/builtin.c", "counters/sources/cpu/cpu.c", "counters/sources/kernel/drm.c",
             "counters/sources/kernel/hwmon.c", "counters/sources/i915/oa.c", "counters/sources/mali/mali_source.c",
             "counters/oa/oa_events.c", "counters/mali/mali_catalogue.c",
             "hooks/counters/perf_source.c", "hooks/counters/intel_query.c", "layer/counters/khr_query.c")
# Words of other programs that the code looks for.
FOREIGN = ("generating link map",)


def rule_texts(tree):
    """A text that a user sees is a row of docs/messages.yaml: no literal is printed or stored as a reason, and no
    literal reads as a sentence. Blanks that align columns divide a literal into several texts."""
    for name in [name for name in tree.code(".c", ".h") if name.startswith(PRODUCT) and not name.startswith("annotate/")]:
        text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), mask_quotes(tree.read(name)))
        text = re.sub(r"(?m)^[ \t]*#.*$|_Static_assert\([^;]*;|STATIC_ASSERT\([^;]*;", lambda m: " " * len(m.group(0)), text)
        given = [match.span() for match in GIVEN.finditer(text)]
        for match in STRING.finditer(text):
            words = CONVERSION.sub("  ", " ".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', match.group(0))))
            parts = [part.strip() for part in re.split(r"  +", words.replace("\\n", "  "))]
            inside = any(begin <= match.start() < end for begin, end in given)
            least = 2 if inside else 3
            if any(len(re.findall(r"[A-Za-z']{2,}", part)) >= least and " " in part for part in parts
                   if (inside or SENTENCE.search(part)) and part not in FOREIGN):
                if name.startswith("counters/sources/") and text[:match.start()].rstrip().endswith(".description ="):
                    continue
                if not (name in DESCRIBED and re.match(r"[A-Za-z]", words.strip()) and (not inside or words.endswith("."))):
                    yield f"{name}:{line_of(text, match.start())}: a text for users stands outside of docs/messages.yaml"


# What prints a text as it is. Names of applications, drivers and files may hold escape sequences.
RAW_PRINT = re.compile(r"\b(?:v?f?printf|v?dprintf|fwrite|f?putc|putchar)\s*\(|\bf?puts\s*\((?!\"|PP_TEXT_)")
RAW_PRINT_FILES = ("cli/print/print.c", "cli/commands/decode_csv.c")


def rule_print(tree):
    """The command prints by cli/print/print.h, which makes escape sequences harmless."""
    for name in [name for name in tree.code(".c") if name.startswith("cli/") and name not in RAW_PRINT_FILES]:
        for number, line in enumerate(tree.read(name).splitlines(), 1):
            if RAW_PRINT.search(line) and not line.lstrip().startswith(("*", "/*")):
                yield f"{name}:{number}: prints by other ways than cli/print/print.h"


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
    """The text after @p start around @p offset, up to the end of its parenthesis or statement, without what stands in
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


def rule_null(tree):
    """A condition tests a pointer itself. `!= NULL` only makes a bool value from a pointer."""
    for name in tree.code(".c", ".h"):
        code = masked_code(tree.read(name))
        for match in re.finditer(r"==\s*NULL\b|\bNULL\s*==", code):
            yield f"{name}:{line_of(code, match.start())}: '== NULL'; write !pointer"
        for match in re.finditer(r"!=\s*NULL\b|\bNULL\s*!=", code):
            start, word = enclosing(code, match.start())
            while True:
                around = same_level(code, start, match.start())
                condition = word in ("if", "while", "for") or re.search(r"&&|\|\||\?", around)
                if condition or word is None or word not in ("", "return"):
                    break
                start, word = enclosing(code, start)
            if condition:
                yield f"{name}:{line_of(code, match.start())}: '!= NULL' in a condition; test the pointer itself"


def rule_libraries(tree):
    """A module links the libraries of other modules; its CMakeLists.txt compiles none of their files."""
    for name in [name for name in tree.names if name in [module + "CMakeLists.txt" for module in PRODUCT]]:
        text = tree.read(name)
        for match in re.finditer(r"\$\{PROJECT_SOURCE_DIR\}/((?:" + "|".join(PRODUCT) + r")[\w/]*\.[cS])\b", text):
            if not match.group(1).startswith(os.path.dirname(name) + "/"):
                yield f"{name}:{line_of(text, match.start())}: compiles {match.group(1)}; link its module's library"


RULES = {name[5:]: rule for name, rule in list(globals().items()) if name.startswith("rule_")}
# Each rule with a file that offends against it, or with several: each must be found.
PLANTED = {
    "readme": ("core/x/a.h", "/** @file\n * A. */\n"),
    "head": ("core/a.c", "int x;\n"),
    "lines": ("core/a.c", "/** @file\n * A. */\n" + "int x;\n" * (FILE_LINES + 1)),
    "words": ("core/a.c", "/** @file\n * Room: counts. */\n"),
    "words_of_texts": ("docs/messages.yaml", "- id: 1\n  text: is settled beside it\n"),
    "pronoun": ("core/a.c", "/** @file\n * A. */\n/** It counts. */\nint x;\n"),
    "tags": ("core/a.c", "/** @file\n * A. */\nstruct pp_a {\n};\nstruct pp_a {\n};\n"),
    "header": ("core/a.c", "/** @file\n * A. */\nint\npp_a(void)\n{\n}\n"),
    "caller": ("core/a.c", "/** @file\n * A. */\nint\npp_a(void)\n{\n}\n"),
    "markdown": ("docs/a.md", "word " * 30 + "\n", "* item\n\n    " + "word " * 30 + "\n",
                 "10. item\n    " + "word " * 30 + "\n"),
    "null": ("core/a.c", *("/** @file\n * A. */\nbool f(int *p, int *q) { " + code + " }\n" for code in (
        "return p == NULL;", "return NULL == p;", "if (p != NULL) g();", "while ((p = q) != NULL) g();",
        "return p && q != NULL;", "return (q != NULL) || p;", "return g(p != NULL ? p : q);",
        "for (; h(p) != NULL; ) g();"))),
    "print": ("cli/a.c", "/** @file\n * A. */\nvoid f(const char *name) { printf(\"%s\", name); }\n"),
    "libraries": ("cli/CMakeLists.txt", "add_library(a ${PROJECT_SOURCE_DIR}/core/engine/a.c)\n"),
    "texts": ("cli/a.c", "/** @file\n * A. */\nint x;\nconst char *f(void) { return \"the driver refuses it\"; }\n"),
}


# What looks like an offence and is none.
ALLOWED = {
    "markdown": ("docs/a.md", "text\n\n    " + "code " * 30 + "\n\n* item\n\n      " + "code " * 30 + "\n",
                 "```\n" + "code " * 30 + "\n```\n"),
    "null": ("core/a.c", *("/** @file\n * A. */\nbool f(int *p) { " + code + " }\n" for code in (
        "return p != NULL;", "g(p != NULL, 1);", "if (g(p != NULL)) h();", "bool there = p != NULL; /* p == NULL */",
        'h("a == NULL");', "struct s s = {.there = p != NULL, .b = a && b};", "if (a && h(p != NULL, b)) h();"))),
    "print": ("cli/a.c", "/** @file\n * A. */\nvoid f(void) { puts(\"text\"); }\n"),
}


def offences_in(rule, path, text):
    """What a rule finds in a tree of one file; None: it also finds something in an empty tree."""
    with tempfile.TemporaryDirectory() as top:
        subprocess.run(["git", "init", "-q", top], check=True)
        os.makedirs(os.path.join(top, os.path.dirname(path)), exist_ok=True)
        if list(rule(Tree(top))):
            return None
        with open(os.path.join(top, path), "w", encoding="utf-8") as file:
            file.write(text)
        return list(rule(Tree(top)))


def self_test():
    failed = 0
    for name, rule in RULES.items():
        path, *texts = PLANTED[name]
        found = [offences_in(rule, path, text) for text in texts]
        missed = [text for text, offences in zip(texts, found) if not offences]
        path, *texts = ALLOWED.get(name, ("",))
        wrong = [text for text in texts if offences_in(rule, path, text) != []]
        failed += bool(missed or wrong)
        print(f"{name}: {len(found) - len(missed)} of {len(found)} found, {len(wrong)} of {len(texts)} wrongly found")
        print("".join(f"    missed: {text!r}\n" for text in missed) + "".join(f"    wrong: {text!r}\n" for text in wrong),
              end="")
    print(f"{len(RULES) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top", nargs="?", default=".")
    parser.add_argument("--rule", action="append", choices=sorted(RULES))
    parser.add_argument("--under", default="")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    tree = Tree(arguments.top, arguments.under)
    faults = [fault for name, rule in RULES.items() if not arguments.rule or name in arguments.rule
              for fault in rule(tree)]
    print("\n".join(faults) if faults else f"{len(tree.names)} files, no offence")
    return 1 if faults else 0


sys.exit(main())
