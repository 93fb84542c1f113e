"""Offences that `tests/conventions.py --self-test` plants, and texts that look like offences and are none."""

# Each rule with a file that offends against it, or with several: each must be found.
PLANTED = {
    "readme": ("core/x/a.h", "/** @file\n * A. */\n"),
    "head": ("core/a.c", "int x;\n"),
    "folders": ("core/a/a.c", {"core/a/a.h": '#include "core/b/b.h"\n', "core/b/b.h": '#include "core/a/a.h"\n'},
                {"core/a/a.h": '#include "core/b/b.h"\n', "core/b/b.h": "", "CONTRIBUTING.md": "| `core/` | `a`, `b` |\n"},
                {"core/a/a.h": "", "CONTRIBUTING.md": "| `core/` | `b` |\n"}),
    "small_headers": ("annotate/a.h", "#ifndef A\nint pp_a(void);\n#endif\n", "int pp_a(int x);\nint\npp_b(void)\n{\n}\n"),
    "words": ("core/a.c", *("/** @file\n * " + text + " */\n" for text in (
        "Room: counts.", "At most so many.", "Texts stand here.", "It lies in a pool.", "The byte behind it.",
        "The id tells them apart.", "Five runs a side."))),
    "words_of_texts": ("docs/messages.yaml", "- id: 1\n  text: is settled beside it\n"),
    "words_of_python": ("tools/a.py", '"""Nobody calls it."""\n', "# what is told\n", 'def f():\n    """Room for one."""\n'),
    "names": ("core/a.c", *("/** @file\n * A. */\nint " + name + ";\n" for name in (
        "shelf", "PP_SEAM_MAX", "frames_beside_others", "isLanded"))),
    "pronoun": ("core/a.c", "/** @file\n * A. */\n/** It counts. */\nint x;\n"),
    "pronoun_of_python": ("tools/a.py", '"""The same for b."""\n', "# These exist.\n", 'def f():\n    """It counts."""\n'),
    "tags": ("core/a.c", "/** @file\n * A. */\nstruct pp_a {\n};\nstruct pp_a {\n};\n"),
    "header": ("core/a.c", "/** @file\n * A. */\nint\npp_a(void)\n{\n}\n"),
    "caller": ("core/a.c", "/** @file\n * A. */\nint\npp_a(void)\n{\n}\n",
               "/** @file\n * A. */\nint\npp_a(void)\n{\n}\n/* pp_a() is called by no function. */\n",
               {"core/a.c": "/** @file\n * A. */\nint\npp_a(void)\n{\n}\n", "core/core.map": "{ global: pp_a; };\n",
                "core/a.h": "/** @file\n * A. */\n__attribute__((pure)) int pp_a(void);\n"}),
    "files": ("docs/a.md", "See `none.c`.\n", "[page](none.md)\n", "`docs/none/`\n", "text of ../none.txt\n"),
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
    "words": ("core/a.c", "/** @file\n * A file that was left behind, stand-ins, so many that it fills, names that lie about it. */\n"),
    "words_of_python": ("tools/a.py", 'room = "nobody"\n'),
    "names": ("core/a.c", "/** @file\n * A shelf. */\nint room;\nconst char *f(void) { return \"shelf\"; }\n"),
    "caller": ("core/a.c", "/** @file\n * A. */\nint\npp_a(void)\n{\n}\nint x = pp_a();\n"),
    "folders": ("core/a/a.c", {"core/a/a.h": '#include "core/b/b.h"\n', "core/b/b.h": "",
                               "CONTRIBUTING.md": "| `core/` | `b`, `a` |\n"}),
    "small_headers": ("annotate/a.h", "struct pp_a {\n    int (*f)(int x);\n};\n"),
    "files": ("docs/a.md", "See `docs/a.md` and a.md, core/NAME.c, linux/perf_event.h.\n"),
    "markdown": ("docs/a.md", "text\n\n    " + "code " * 30 + "\n\n* item\n\n      " + "code " * 30 + "\n",
                 "```\n" + "code " * 30 + "\n```\n"),
    "null": ("core/a.c", *("/** @file\n * A. */\nbool f(int *p) { " + code + " }\n" for code in (
        "return p != NULL;", "g(p != NULL, 1);", "if (g(p != NULL)) h();", "bool there = p != NULL; /* p == NULL */",
        'h("a == NULL");', "struct s s = {.there = p != NULL, .b = a && b};", "if (a && h(p != NULL, b)) h();"))),
    "print": ("cli/a.c", "/** @file\n * A. */\nvoid f(void) { puts(\"text\"); }\n"),
}
