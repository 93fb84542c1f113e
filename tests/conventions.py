#!/usr/bin/env python3
"""Rules of CONTRIBUTING.md and docs/glossary.md that a program can check.

    tests/conventions.py TOP [--rule NAME]... [--under FOLDER]    list offences; exit 1 if there are any
    tests/conventions.py --self-test    plant offences of each rule: each must be found, and nothing else

--rule may be repeated. The rules are the functions rule_NAME of this file, conventions_functions.py,
conventions_files.py and conventions_folders.py."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

from conventions_files import rule_files
from conventions_folders import rule_folders, rule_small_headers
from conventions_functions import rule_caller, rule_header
from conventions_planted import ALLOWED, PLANTED
from conventions_text import (COMMENT, PRODUCT, comments, enclosing, line_of, mask_quotes, masked_code, prose, python_names,
                              python_prose, same_level)

DATA = ("counters/gpus", "counters/snapshot/layouts", "counters/data", ".ci", "tests/counters/vectors",
        "tests/unit/counters/vectors", "tests/fuzz/corpus")
# Man pages, messages, options and scripts: rule_words_of_texts reads them line by line.
TEXTS = ("docs/man/", "docs/messages.yaml", "docs/options.yaml", "tools/", "bench/")
MARKDOWN_COLUMNS = 120
# Words of the old private language; docs/glossary.md has the words that replace them.
WORDS = {
    r"rooms?": "module", r"seams?": "interface", r"house": "conventions, project", r"shel(f|ves)": "free list",
    r"pieces? of work": "action", r"of its own accord": "by itself", r"nobody": "no one, or name who",
    r"whoever": "the one that", r"beside": "overlapped, next to, in addition to", r"landed": "available",
    r"landings?": "result slot", r"settled?": "decide, complete", r"is told": "use the active voice",
    r"are told": "use the active voice", r"is said": "use the active voice", r"are said": "use the active voice",
    r"strangers?": "other, foreign",
    r"so many(?! (?:that|as))": "this many, or the number", r"in vain": "without success, useless",
    r"from which on": "from which", r"stands?(?!-)": "is, means, represents", r"lies?(?! about)": "is",
    r"(?<!left )behind": "after, below, late", r"(?:tell|tells|told)(?: \w+)? apart": "distinguish", r"runs? a side": "runs per side",
    r"played (?:GPUs?|kernels?|devices?)": "simulated",
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


def rule_words(tree):
    for name in tree.code(".c", ".h", ".S"):
        text = tree.read(name)
        for offset, comment in comments(text):
            for match in WORD.finditer(comment):
                yield f"{name}:{line_of(text, offset)}: '{match.group(0)}' in a comment; see docs/glossary.md"
        for literal in re.finditer(r'"(?:\\.|[^"\\\n])*"', text) if name.startswith(TABLES) else ():
            for match in WORD.finditer(literal.group(0)):
                yield f"{name}:{line_of(text, literal.start())}: '{match.group(0)}' in a text; see docs/glossary.md"
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


def rule_markdown(tree):
    for name in tree.code(".md"):
        for number, line in prose(tree.read(name)):
            if len(line) > MARKDOWN_COLUMNS and not line.startswith("|"):
                yield f"{name}:{number}: {len(line)} columns, at most {MARKDOWN_COLUMNS}"


# What prints a warning or an error, stores a text as a reason, or makes a part of one.
GIVEN = re.compile(r"\b(?:pp_log|pp_note_once|pp_(?:device|session)_(?:note|missing)(?:_locked)?|pp_vk_device_missing|"
                   r"stop_writing|add_missing|pp_perf_fail|pp_\w*fail\w*|fail|mistake|pp_\w*say\w*|say\w*|tell|"
                   r"pp_probe_absent_add|puts)\(([^;{]*);"
                   r"|\b(?:\w+_)?(?:reason|refusal|why|obstacle|no_\w+)\s*=([^;{}]*?)[;,}]", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*(?:"(?:\\.|[^"\\\n])*"|PRI\w+|PP_\w+))*')
CONVERSION = re.compile(r"%[-#0 ]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:ll|l|z)?[a-zA-Z%]|\\\\.")
SENTENCE = re.compile(r"(?:[A-Za-z'()-]{2,}[,;:]? ){2,}[A-Za-z'()-]{2,}")
# Names and descriptions of counters are with the counter.
DESCRIBED = ("counters/sources/registry.c", "counters/sources/builtin.c", "counters/sources/cpu/cpu.c", "counters/sources/kernel/drm.c",
             "counters/sources/kernel/hwmon.c", "counters/sources/i915/oa.c", "counters/sources/mali/mali_source.c",
             "counters/oa/oa_events.c", "counters/plausibility/plausibility.c", "counters/mali/mali_gpu.c",
             "hooks/counters/perf_source.c", "hooks/counters/perf_ask.c", "layer/counters/khr_query.c")
# SQL is with the code that runs it.
SQL = ("cli/export/export_sqlite.c", "cli/push/fleet_question.c", "cli/push/lake_push.c", "cli/push/push_schema.c",
       "cli/push/push_session.c", "cli/push/push_batch.c")
# Markup is with the code that writes it.
MARKUP = ("cli/print/flame.c", "cli/print/diff_forms.c", "cli/html/")
# The command prints its tables here, whose texts need no id, and the columns of tables have them.
TABLES = ("cli/print/", "cli/html/")
OF_COLUMN = re.compile(r"\.(?:heading|doc)\s*=$")
# Words of other programs that the code looks for.
FOREIGN = ("generating link map",)


def rule_texts(tree):
    """A warning, an error or a reason is a row of docs/messages.yaml: no literal is given as one, and outside of the
    tables that the command prints no literal reads as a sentence. Blanks that align columns divide a literal into
    several texts."""
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
                if not inside and name.startswith(TABLES) or OF_COLUMN.search(text[:match.start()].rstrip()):
                    continue
                if name in SQL and re.match(r"\s*(SELECT|CREATE|INSERT|PRAGMA|ALTER) ", words):
                    continue
                if name.startswith(MARKUP) and words.startswith("<"):
                    continue
                if name.startswith("counters/sources/") and text[:match.start()].rstrip().endswith(".description ="):
                    continue
                if not (name in DESCRIBED and re.match(r"[A-Za-z]", words.strip()) and (not inside or words.endswith("."))):
                    yield f"{name}:{line_of(text, match.start())}: a text for users stands outside of docs/messages.yaml"


# What prints a text as it is. Names of applications, drivers and files may hold escape sequences.
RAW_PRINT = re.compile(r"\b(?:v?f?printf|v?dprintf|fwrite|f?putc|putchar)\s*\(|\bf?puts\s*\((?!\"|PP_TEXT_)")
RAW_PRINT_FILES = ("cli/text/print.c", "cli/session/csv_write.c", "cli/commands/decode.c", "cli/export/export_jsonl.c",
                   "cli/export/export_viewer.c", "cli/html/html_out.c", "cli/merge/merge_columns.c",
                   "cli/options/options.c", "cli/trace/chrome.c", "cli/trace/perfetto.c")


def rule_print(tree):
    """The command prints by cli/text/print.h, which makes escape sequences harmless."""
    for name in [name for name in tree.code(".c") if name.startswith("cli/") and name not in RAW_PRINT_FILES]:
        for number, line in enumerate(tree.read(name).splitlines(), 1):
            if RAW_PRINT.search(line) and not line.lstrip().startswith(("*", "/*")):
                yield f"{name}:{number}: prints by other ways than cli/text/print.h"


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
