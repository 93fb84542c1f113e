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

from conventions_planted import ALLOWED, FILE_LINES, PLANTED
from conventions_text import (COMMENT, comments, line_of, mask_quotes, masked_code, prose, python_names, python_prose)

DATA = ("counters/gpus", "counters/snapshot/layouts", "counters/data", ".ci", "tests/counters/vectors",
        "tests/unit/counters/vectors", "tests/fuzz/corpus")
# Man pages, messages, options and scripts: rule_words_of_texts reads them line by line.
TEXTS = ("docs/man/", "docs/messages.yaml", "docs/options.yaml", "tools/", "bench/")
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
# Words of which no name is made.
NAME_WORDS = {"seam", "seams", "house", "shelf", "shelves", "whoever", "beside", "landed", "landing", "landings", "settle",
              "settled", "settles", "stranger", "strangers", "nobody"}
# Names that have such a word for a reason.
NAMES = {"NOBODY": "the user `nobody`", "nobody": "the user `nobody`", "run_as_nobody": "the user `nobody`"}
PRONOUN = re.compile(r"^(It|They|Them|These|Those|The same|Its|Their|Such|Likewise|Ditto)\b(?! (of|as|is true))")


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

    def python(self):
        """Files of Python, also those without the ending .py."""
        return [name for name in self.code("") if name.endswith(".py") or "." not in os.path.basename(name)
                and re.match(r"#!.*python", self.read(name))]


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


def rule_words_of_python(tree):
    """Comments and docstrings of Python have none of the words that docs/glossary.md replaces."""
    for name in tree.python():
        for number, text in python_prose(tree.read(name)):
            for match in WORD.finditer(text):
                yield f"{name}:{number}: '{match.group(0)}' in a comment or docstring; see docs/glossary.md"


def rule_names(tree):
    """No name in code is made of a word that docs/glossary.md replaces."""
    found = [(name, line, word) for name in tree.python() for line, word in python_names(tree.read(name))]
    for name in tree.code(".c", ".h"):
        code = masked_code(tree.read(name))
        found += [(name, line_of(code, match.start()), match.group(0)) for match in re.finditer(r"[A-Za-z_]\w*", code)]
    for name, line, word in found:
        parts = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word).lower())
        if NAME_WORDS & set(parts) and word not in NAMES:
            yield f"{name}:{line}: the name {word} has a word that docs/glossary.md replaces"


def rule_words_of_texts(tree):
    """Man pages, messages, options and scripts have none of the words that docs/glossary.md replaces."""
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


def rule_pronoun_of_python(tree):
    for name in tree.python():
        for number, text in python_prose(tree.read(name)):
            match = PRONOUN.match(text.strip())
            if match:
                yield f"{name}:{number}: a comment or docstring begins with '{match.group(0)}'; name its subject"


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


def without_comments(name, text):
    """The text of a C file without its comments; other files as they are."""
    return COMMENT.sub(" ", mask_quotes(text)) if name.endswith((".c", ".h", ".S")) else text


def uses_of_entry_points(every):
    """Handlers that entry_points.txt names without their prefix: `glBegin handlers before=begin(mode)`."""
    return set(re.findall(r" (?:before|after|around|replace|always|swap)=(?:\w+:)?(\w+)", every))


# Functions without a caller that an open issue needs: they compare two recordings.
KEPT = ("pp_hodges_lehmann", "pp_bootstrap_median_shift",
        # 2026-11-23: about to be deleted
        "pp_clock_map", "pp_dir_make_room", "pp_action_kind_name")


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
    for name, function, line in definitions(tree):
        # bodies of inline functions are indented, so what begins in the first column is a declaration
        declared = sum(len(re.findall(rf"^\S[^\n;{{]*\b{function}\(", code[header], re.M))
                       for header in sources if header.endswith(".h") and function in code[header])
        if re.sub(r"^pp_gl_(before_|after_)?", "", function) in handlers or function in KEPT:
            continue
        command = function.split("_", 2)[2] if VULKAN_HANDLER.match(function) else None
        if command and (command in uses or "vk" + command in uses):
            continue
        if is_command(tree, function):
            continue
        if uses.get(function, 0) <= 1 + declared and not function.startswith("pp_annotate_"):
            yield f"{name}:{line}: nothing but tests calls {function}()"


def rule_markdown(tree):
    for name in tree.code(".md"):
        for number, line in prose(tree.read(name)):
            if len(line) > MARKDOWN_COLUMNS and not line.startswith("|"):
                yield f"{name}:{number}: {len(line)} columns, at most {MARKDOWN_COLUMNS}"


# What prints a text, stores it as a reason, or makes a part of one.
GIVEN = re.compile(r"\b(?:pp_log|pp_note_once|pp_(?:device|session)_(?:note|missing)(?:_locked)?|pp_vk_announce_missing|"
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


# A path with a folder of the tree in front, or the name of a file of sources or documents.
PATH = re.compile(r"(?<![\w./<*$}{~-])((?:[\w.+-]+/)*[\w+][\w.+-]*\.(?:c|h|py|S|txt|yaml|cmake|map|md|sh))\b(?![\w/*(])")
FOLDER = re.compile(r"(?<![\w./<*$}{~-])((?:core|counters|hooks|layer|cli|annotate|tests|docs|tools|bench|samples)/[\w./+-]*\w)")
# Files of other projects: of the kernel, Mesa, Khronos, glibc, Arm, Unicode and CMake. Comments name them as sources of
# facts.
FOREIGN_FILES = re.compile(
    r"(?:.*/)?(?:linux|elf|layers|uapi/drm|ntfs3|smb/client|vboxsf|kernel|lib/i915|drm)/[\w./-]+|.*_drm\.h|.*perfcnt(er)?\.c|"
    r"mali_kbase_\w+\.[ch]|(?:src/intel/perf/)?intel_perf\w*\.[ch]|i915_perf\.c|xe_observation\.c|amdgpu_fdinfo\.c|"
    r"amdgpu_devices\.c|nvif/\w+\.h|radv_(?:perfcounter|query)\.c|v3dv_query\.c|lvp_\w+\.c|lp_setup\.c|zink_instance\.py|"
    r"performance_(?:monitor|query)\.c|"
    r"LoaderLayerInterface\.md|vulkan_(?:core|util)\.h|UnicodeData\.txt|DerivedCoreProperties\.txt|errno\.h|"
    r"CMakeCache\.txt")
# Patterns and examples: NAME.c, test_NAME.py, OUT.h, a.b.c (members of an object of JSON).
PLACEHOLDER = re.compile(r".*(?:NAME|OUT|HEADER|FILE|FOLDER|MODULE|DIR).*|.*/?(?:name|_private)\.[ch]|a\.b\.c|.*frame_times\.\w+")
# A page that keeps the names of files of former versions.
FORMER = ("NEWS.md",)


def lines_of_prose(tree):
    """(file, line number, text) of each comment, docstring and line of Markdown."""
    for name in tree.code(".c", ".h", ".S"):
        text = tree.read(name)
        for offset, comment in comments(text):
            yield from ((name, line_of(text, offset) + i, line) for i, line in enumerate(comment.split("\n")))
    for name in tree.python():
        for number, text in python_prose(tree.read(name)):
            yield from ((name, number + i, line) for i, line in enumerate(text.split("\n")))
    for name in tree.code(".md"):
        yield from ((name, number, line) for number, line in enumerate(tree.read(name).splitlines(), 1))
    for name in tree.code("CMakeLists.txt", ".cmake", ".sh"):
        yield from ((name, number, line) for number, line in enumerate(tree.read(name).splitlines(), 1)
                    if line.lstrip().startswith("#"))


def rule_files(tree):
    """Files and folders that a comment or a page names exist: at that path from the top, from the folder of the comment, or
    below any folder. What the build makes exists where a CMakeLists.txt or a generator names it."""
    folders = {folder for name in tree.every for folder in parents(name)}
    there = set(tree.every) | folders
    ends = {name[i:] for name in there for i in [0] + [match.end() for match in re.finditer("/", name)]}
    made = "\n".join(tree.read(name) for name in tree.every
                     if name.endswith(("CMakeLists.txt", ".cmake")) or name.startswith("tools/gen_"))
    for name, number, line in lines_of_prose(tree):
        if name in FORMER:
            continue
        for match in list(PATH.finditer(line)) + list(FOLDER.finditer(line)):
            path = match.group(1).rstrip(".")
            near = os.path.normpath(os.path.join(os.path.dirname(name), path))
            if path in ends or near in there or FOREIGN_FILES.fullmatch(path) or PLACEHOLDER.fullmatch(path):
                continue
            if match.re is FOLDER and (PATH.search(line[match.start():]) or any(known.startswith(path) for known in there)):
                continue
            if match.re is FOLDER or "/" in path or not re.search(rf"\b{re.escape(path)}", made):
                yield f"{name}:{number}: {path} does not exist"


def parents(name):
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


RULES = {name[5:]: rule for name, rule in list(globals().items()) if name.startswith("rule_")}


def offences_in(rule, path, text):
    """What a rule finds in a tree of one file, or of several: {path: text}. None: it also finds something in an empty
    tree."""
    with tempfile.TemporaryDirectory() as top:
        subprocess.run(["git", "init", "-q", top], check=True)
        if list(rule(Tree(top))):
            return None
        for name, content in (text if isinstance(text, dict) else {path: text}).items():
            os.makedirs(os.path.join(top, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(top, name), "w", encoding="utf-8") as file:
                file.write(content)
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
