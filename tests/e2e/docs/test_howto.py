#!/usr/bin/env python3
"""docs/internals/howto.md says which files each kind of addition touches. Seven additions are carried out in a copy of
the tree, in exactly these files: an output format, a counter source of the kernel, an Intel GPU, a command, an option, a
figure, a format of export. The copy is built, and each addition works.

The copy is in BUILD/tests/howto and is kept, so that later runs compile only what changed."""
import csv
import json
import os
import re
import shutil

from harness import ROOT, Skip, equal, fail, main, tracked, true

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = "docs/internals/howto.md"
# Heading of the page -> how many files an addition may touch.
COSTS = {"A new Intel GPU": 2, "A draw command of OpenGL": 2, "An output format": 2, "A command": 4, "An option": 2,
         "A figure": 2, "A format of export": 3,
         "A counter source of the kernel": 3}
PCI = """#include <stdio.h>
#include "counters/oa/oa_gpu.h"
int
main(void)
{
    struct pp_oa_gpu gpu;
    int rc = pp_oa_gpu_by_pci(0xfffeU, &gpu);
    puts(rc ? "unknown" : gpu.name);
    return rc != 0;
}
"""


def recipes():
    """heading -> the paths of its numbered list."""
    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        parts = re.split(r"(?m)^## (.*)$", file.read())
    return {heading: re.findall(r"(?m)^\d+\. `([^`]+)`", body) for heading, body in zip(parts[1::2], parts[2::2])}


class Tree:
    """The files of the copy: those of the checkout, and the additions."""

    def __init__(self):
        self.content, self.touched = {}, set()
        for name in tracked():
            with open(os.path.join(ROOT, name), "rb") as file:
                self.content[name] = file.read()

    def add(self, name, content):
        if name in self.content:
            fail(f"{name} is there already")
        self.content[name] = content.encode()
        self.touched.add(name)

    def edit(self, name, pattern, replacement):
        text, count = re.subn(pattern, replacement, self.content[name].decode(), count=1, flags=re.M)
        if count != 1:
            fail(f"{name}: nothing matches {pattern}; {os.path.basename(__file__)} must follow the tree")
        self.content[name] = text.encode()
        self.touched.add(name)

    def take_touched(self):
        touched, self.touched = self.touched, set()
        return touched

    def write(self, folder):
        """Write what differs, and remove what is not of the tree: the build compiles no more than it must."""
        for top, _, files in os.walk(folder):
            for name in files:
                path = os.path.join(top, name)
                if os.path.relpath(path, folder) not in self.content:
                    os.unlink(path)
        for name, content in self.content.items():
            path = os.path.join(folder, name)
            if os.path.exists(path):
                with open(path, "rb") as file:
                    if file.read() == content:
                        continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
            shutil.copymode(os.path.join(ROOT, name), path) if os.path.exists(os.path.join(ROOT, name)) else None


def example(name):
    with open(os.path.join(HERE, "howto", name), encoding="utf-8") as file:
        return file.read()


def add_format(tree):
    tree.add("core/report/frame_times.c", example("frame_times.c"))
    tree.edit("core/CMakeLists.txt", r"^(set\(PP_WRITERS\n)", r"\1  frame_times=frame_times.txt\n")


def add_source(tree):
    tree.add("counters/sources/kernel/load.h", example("load.h"))
    tree.add("counters/sources/kernel/load.c", example("load.c"))
    registry = "counters/sources/registry.c"
    tree.edit(registry, r'^(#include "counters/sources/kernel/kernel_sources.h"\n)',
              r'\1#include "counters/sources/kernel/load.h"\n')
    tree.edit(registry, r"^(    \{\n        \.name = PP_SOURCE_OA,)", """    {
        .name = "load",
        .measures = "how busy the machine is",
        .scope = "the whole machine",
        .cost = "nothing on the threads of the application",
        .without_e = "not measured",
        .origin = PP_SOURCE_KERNEL,
        .of_frames = true,
        .open = pp_load_source_open,
    },
""" + r"\1")


def add_gpu(tree):
    gpus = "counters/gpus/intel/"
    xml = tree.content[gpus + "oa-kblgt2.xml"].decode()
    row = re.search(r"(?m)^kblgt2,.*\n", tree.content[gpus + "devices.csv"].decode()).group(0)
    tree.add(gpus + "oa-xyz.xml", xml.replace("KBLGT2", "XYZ"))
    tree.edit(gpus + "devices.csv", r"^(kblgt2,.*\n)",
              r"\1" + re.sub(r"(0x[0-9a-f]{4} ?)+,", "0xfffe,", row).replace("kblgt2", "xyz", 1))


def add_command(tree):
    tree.add("cli/commands/hello.c", example("hello.c"))
    tree.edit("cli/commands/commands.h", r"^(#define PP_COMMANDS\(X\) *\\\n)", r"\1    X(hello, PP_TEXT_MAIN_HELLO) \\\n")
    tree.edit("docs/messages.yaml", r"^(# passprobe doctor\n)", """- main_hello: greet the user
- usage_hello: |
    usage: passprobe hello [NAME]
- hello: Hello, %s!
- hello_one: hello takes one name

""" + r"\1")
    tree.add("docs/man/passprobe-hello.1.in", '.TH PASSPROBE\\-HELLO 1 "" "passprobe @PROJECT_VERSION@" "passprobe"\n'
             ".SH NAME\npassprobe\\-hello \\- greet the user\n.SH SYNOPSIS\n.B passprobe hello\n")


def add_option(tree):
    tree.edit("docs/options.yaml", r"^(- name: json\n  command: sessions\n)", """- name: most
  command: sessions
  letter: m
  arg: N
  type: number
  least: 1
  most: 50
  default: 7
  summary: list at most N sessions
  text: List at most _N_ sessions.
""" + r"\1")
    tree.edit("cli/commands/sessions.c", r"^(    if \(given\.words > 1\))",
              r'''    printf("at most %llu sessions\\n", (unsigned long long)options.most);\n\1''')


def add_figure(tree):
    tree.edit("cli/analysis/pass_table.h", r"^(    double mad_ns;)", r"    double range_ns; /**< from p5_ns to p95_ns */\n\1")
    table = "cli/analysis/pass_table.c"
    tree.edit(table, r"^(    row->mad_ns = .*\n)", r"\1    row->range_ns = row->p95_ns - row->p5_ns;\n")
    tree.edit(table, r"^(    \{PP_CELL\(ROW, mad_ns\),)", '''    {PP_CELL(ROW, range_ns), .id = "range_ns", .heading = "range",
     .unit = "ns", .form = PP_FORM_TIME, .in = IN_FIGURES, .since = 5, .width = 5, .shown = PP_SHOWN_ALL,
     .unresolved = PP_UNRESOLVED_JOINED, .doc = "between p5 and p95"},
\\1''')


def add_export(tree):
    tree.add("cli/export/export_counts.c", example("export_counts.c"))
    tree.edit("cli/export/export_format.h", r"^    X\(mangohud\)$", r"    X(mangohud) \\\n    X(counts)")
    tree.edit("docs/options.yaml", r"^(  arg: sqlite\|jsonl\|presentmon\|mangohud)", r"\1|counts")


def build_copy(lab, folder):
    def run(*command):
        lab.run(command, timeout=900)

    launcher = lab.cached("CMAKE_C_COMPILER_LAUNCHER") or shutil.which("ccache") or ""
    run("cmake", "-G", lab.cached("CMAKE_GENERATOR"), "-S", os.path.join(folder, "src"), "-B",
        os.path.join(folder, "build"), "-DPP_TESTS=OFF", "-DPP_WERROR=ON", "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_C_FLAGS=-O0 -g0", f"-DCMAKE_C_COMPILER={lab.cached('CMAKE_C_COMPILER')}",
        f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}")
    run("cmake", "--build", os.path.join(folder, "build"), "-j2", "--target", "pp_gl", "passprobe")


def check_format(session, frames):
    with open(os.path.join(session, "frame_times.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(os.path.join(session, "frames.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    equal(lines, [f"{row['frame']} {row['gpu_time_ns'] or '-'}" for row in rows], "lines of the new format")
    equal(len(rows), frames, "frames")
    return rows


def check_gpu(lab, passprobe, folder):
    shown = lab.run([passprobe, "list", "-e", "intel:xyz:RenderBasic"]).stdout
    true("intel:xyz:RenderBasic" in shown and "GpuTime" in shown, f"`passprobe list` knows the GPU's metrics: {shown}")
    source, program = lab.path("pci.c"), lab.path("pci")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PCI)
    lab.run(["cc", "-I" + os.path.join(folder, "src"), "-o", program, source,
             os.path.join(folder, "build", "counters", "libpp_counters.a"), "-lm", "-pthread"])
    equal(lab.run([program]).stdout, "xyz\n", "the GPU of the PCI id")


def check_option(lab, passprobe, folder):
    """The option is in --help, on the man page and in completion; its value, default and limits count."""
    true("  -m, --most N                list at most N sessions\n" in lab.run([passprobe, "sessions", "--help"]).stdout, "--help")
    for words, most in (((), 7), (("--most", "50"), 50), (("-m3",), 3)):
        shown = lab.run([passprobe, "sessions", *words, folder]).stdout.splitlines()[0]
        equal(shown, f"at most {most} sessions", f"the value of {words}")
    for words, why in (("--most=51", "bad value '51': the value is a number from 1 to 50"), ("--most", "needs an argument: N")):
        ran = lab.run([passprobe, "sessions", words], check=False)
        true(ran.returncode == 125 and why in ran.stderr, ran.stderr)
    for name in ("share/man/man1/passprobe-sessions.1", "docs/completion/passprobe"):
        with open(os.path.join(folder, "build", name), encoding="utf-8") as file:
            true("most" in file.read(), f"{name} has the option")


def check_figure(lab, passprobe, session):
    """The figure is in text, CSV, JSON and the page, and is what the percentiles say."""
    [line] = [line for line in lab.run([passprobe, "report", "-v", session], COLUMNS="250").stdout.splitlines()
              if line.startswith("#") and "/frame" in line]
    true(" range " in line, f"the table has the figure: {line}")
    rows = list(csv.DictReader(lab.run([passprobe, "report", "--csv", session]).stdout.splitlines()))
    passes = json.loads(lab.run([passprobe, "report", "--json", session]).stdout)["surfaces"][0]["passes"]
    timed = [one for one in passes if one["p95_ns"] is not None]
    true(timed, f"passes with times: {passes}")
    for one in timed:
        true(abs(one["range_ns"] - (one["p95_ns"] - one["p5_ns"])) < 1e-3, f"the figure in JSON: {one}")
        [row] = [row for row in rows if row["pass_id"] == one["id"]]
        true(abs(float(row["range_ns"]) - one["range_ns"]) < 1, f"the figure in CSV: {row}")
    lab.run([passprobe, "report", "--html=" + lab.path("page.html"), session])
    with open(lab.path("page.html"), encoding="utf-8") as page:
        true(">range<" in page.read(), "the page has the figure")


def check_export(lab, passprobe, session):
    counts = lab.run([passprobe, "export", "--as", "counts", "-o", "-", session]).stdout
    true(re.search(r"(?m)^frames 20$", counts), f"rows of the tables: {counts}")
    refused = lab.run([passprobe, "export", "--as", "xml", session], check=False).stderr
    true("the formats are sqlite, jsonl, presentmon, mangohud and counts" in refused, refused)
    true("|counts" in lab.run([passprobe, "export", "--help"]).stdout, "--help")


def check_page():
    """The page's lists are as short as promised and name files that exist. Returns the lists."""
    listed = recipes()
    for heading, files in COSTS.items():
        found = listed.get(heading, [])
        true(0 < len(found) <= files, f"{heading}: {found}, at most {files} files")
        for path in found:
            true("NAME" in path or os.path.isfile(os.path.join(ROOT, path)), f"{heading}: {path} does not exist")
    return listed


def add_all(listed):
    """The tree with seven additions, each in the files that the page lists."""
    tree = Tree()
    for heading, name, add in (("An output format", "frame_times", add_format),
                               ("A counter source of the kernel", "load", add_source),
                               ("A new Intel GPU", "xyz", add_gpu), ("A command", "hello", add_command),
                               ("An option", "sessions", add_option), ("A figure", "pass", add_figure),
                               ("A format of export", "counts", add_export)):
        add(tree)
        equal(sorted(tree.take_touched()), sorted(path.replace("NAME", name) for path in listed[heading]),
              f"{heading}: touched files")
    return tree


def case_additions(lab):
    if lab.cached("PP_SANITIZE"):
        raise Skip("the copy of the tree is built once, by the test of the build without sanitizers")
    folder = os.path.join(os.path.abspath(lab.build), "tests", "howto")
    add_all(check_page()).write(os.path.join(folder, "src"))
    build_copy(lab, folder)
    passprobe, session = os.path.join(folder, "build", "bin", "passprobe"), lab.path("session")
    shown = lab.run([passprobe, "list"]).stdout
    true(re.search(r"(?m)^  load\b", shown) and "load:runnable" in shown, f"`passprobe list` shows the source: {shown}")
    check_gpu(lab, passprobe, folder)
    check_option(lab, passprobe, folder)
    shown = lab.run([passprobe, "--help"]).stdout
    true(re.search(r"(?m)^  hello +greet the user$", shown), f"`passprobe --help` lists the command: {shown}")
    equal(lab.run([passprobe, "hello", "tree"]).stdout, "Hello, tree!\n", "output of the command")
    true(os.path.isfile(os.path.join(folder, "build", "share", "man", "man1", "passprobe-hello.1")),
         "the command has a man page")
    lab.run([passprobe, "record", "-e", "time,load", "-o", session, "--", *lab.sample("gl", "--frames", "20")],
            GALLIUM_DRIVER="llvmpipe")
    rows = check_format(session, 20)
    true(any(int(row["load:runnable"] or 0) > 0 for row in rows), f"frames.csv has the source's value: {rows[:1]}")
    check_figure(lab, passprobe, session)
    check_export(lab, passprobe, session)
    # The earlier sessions are moved aside and removed, with the new file. An application that never presents has draft
    # rows while it runs, every 200 ms: the new format gets none of them.
    waits = [os.path.join(lab.build, "tests", "reach", "frame_ends"), "egl", "gl", "pbuffer", "", "dfw", "30", ""]
    for _ in range(2):
        lab.run([passprobe, "record", "-o", session, "--", *waits], GALLIUM_DRIVER="llvmpipe")
    check_format(session, 30)


main(globals())
