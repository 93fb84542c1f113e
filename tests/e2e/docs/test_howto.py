#!/usr/bin/env python3
"""docs/internals/howto.md says which files each kind of addition touches. Four additions are carried out in a copy of
the tree, in exactly these files: an output format, a counter source of the kernel, an Intel GPU, a command. The copy
is built, and each addition works.

    test_howto.py --build BUILD

The copy lies in BUILD/tests/howto and is kept, so that later runs compile only what changed."""
import argparse
import csv
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = subprocess.run(["git", "-C", HERE, "rev-parse", "--show-toplevel"], capture_output=True, text=True,
                      check=False).stdout.strip()
PAGE = "docs/internals/howto.md"
# Heading of the page -> how many files an addition may touch.
COSTS = {"A new Intel GPU": 2, "A draw command of OpenGL": 2, "An output format": 2, "A command": 4,
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


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def recipes():
    """heading -> the paths of its numbered list."""
    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        parts = re.split(r"(?m)^## (.*)$", file.read())
    return {heading: re.findall(r"(?m)^\d+\. `([^`]+)`", body) for heading, body in zip(parts[1::2], parts[2::2])}


class Tree:
    """The files of the copy: those of the checkout, and the additions."""

    def __init__(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True).stdout
        self.content, self.touched = {}, set()
        for name in listed.splitlines():
            if os.path.isfile(os.path.join(ROOT, name)):
                with open(os.path.join(ROOT, name), "rb") as file:
                    self.content[name] = file.read()

    def add(self, name, content):
        if name in self.content:
            sys.exit(f"{name} is there already")
        self.content[name] = content.encode()
        self.touched.add(name)

    def edit(self, name, pattern, replacement):
        text, count = re.subn(pattern, replacement, self.content[name].decode(), count=1, flags=re.M)
        if count != 1:
            sys.exit(f"{name}: nothing matches {pattern}; {os.path.basename(__file__)} must follow the tree")
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
    tree.edit("core/CMakeLists.txt", r"^(set\(PP_WRITERS\n)", r"\1  frame_times\n")


def add_source(tree):
    tree.add("counters/sources/kernel/load.h", example("load.h"))
    tree.add("counters/sources/kernel/load.c", example("load.c"))
    registry = "counters/sources/registry.c"
    tree.edit(registry, r'^(#include "counters/sources/kernel/hwmon.h"\n)',
              r'\1#include "counters/sources/kernel/load.h"\n')
    tree.edit(registry, r"^(    \{\n        \.name = PP_SOURCE_OA,)", """    {
        .name = "load",
        .measures = "how busy the machine is",
        .scope = "the whole machine",
        .cost = "nothing on the threads of the application",
        .note = "not measured",
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
    tree.edit("docs/messages.yaml", r"^(# passprobe doctor\n)", """- id: 9001
  name: main_hello
  level: command
  text: greet the user
- id: 9002
  name: usage_hello
  level: command
  text: |
    usage: passprobe hello [NAME]
- id: 9003
  name: hello
  level: command
  format: Hello, %s!
- id: 9004
  name: hello_one
  level: command
  text: hello takes one name

""" + r"\1")
    tree.add("docs/man/passprobe-hello.1.in", '.TH PASSPROBE\\-HELLO 1 "" "passprobe @PROJECT_VERSION@" "passprobe"\n'
             ".SH NAME\npassprobe\\-hello \\- greet the user\n.SH SYNOPSIS\n.B passprobe hello\n")


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        print(done.stdout[-6000:])
        sys.exit(f"failed: {' '.join(command)}")
    return done.stdout


def cached(build, name):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        found = re.search(rf"(?m)^{name}:\w+=(.*)$", file.read())
    return found.group(1) if found else ""


def build_copy(build, folder):
    launcher = cached(build, "CMAKE_C_COMPILER_LAUNCHER") or shutil.which("ccache") or ""
    run("cmake", "-G", cached(build, "CMAKE_GENERATOR"), "-S", os.path.join(folder, "src"), "-B",
        os.path.join(folder, "build"), "-DPP_TESTS=OFF", "-DPP_WERROR=ON", "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_C_FLAGS=-O0 -g0", f"-DCMAKE_C_COMPILER={cached(build, 'CMAKE_C_COMPILER')}",
        f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}")
    run("cmake", "--build", os.path.join(folder, "build"), "-j2", "--target", "pp_core", "passprobe")
    # The shim is the same in both trees, so the copy takes the one that is built.
    shutil.copy2(os.path.join(build, "lib", "libpassprobe-gl.so"), os.path.join(folder, "build", "lib"))


def check(what, good, shown=""):
    print(("ok     " if good else "FAILED ") + what)
    if not good:
        print(shown)
        sys.exit(1)


def check_format(session):
    with open(os.path.join(session, "frame_times.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    with open(os.path.join(session, "frames.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    check("the format writes a line for each frame, with the same time as frames.csv",
          lines == [f"{row['frame']} {row['gpu_time_ns'] or '-'}" for row in rows] and len(rows) == 20, lines)
    return rows


def check_gpu(passprobe, folder):
    shown = run(passprobe, "list", "-e", "intel:xyz:RenderBasic")
    check("`passprobe list` knows the GPU's metrics", "intel:xyz:RenderBasic" in shown and "GpuTime" in shown, shown)
    source, program = os.path.join(folder, "pci.c"), os.path.join(folder, "pci")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PCI)
    run("cc", "-I" + os.path.join(folder, "src"), "-o", program, source,
        os.path.join(folder, "build", "counters", "libpp_counters.a"), "-lm", "-pthread")
    check("its PCI id is known", run(program).strip() == "xyz")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    build = os.path.abspath(parser.parse_args().build)
    if not ROOT:
        skip("not a git checkout")
    if cached(build, "PP_SANITIZE"):
        skip("the copy of the tree is built once, by the test of the build without sanitizers")
    listed = recipes()
    for heading, files in COSTS.items():
        found = listed.get(heading, [])
        check(f"{heading}: {files} files", 0 < len(found) <= files, found)
        for path in found:
            check(f"{path} exists", "NAME" in path or os.path.isfile(os.path.join(ROOT, path)))
    tree = Tree()
    for heading, name, add in (("An output format", "frame_times", add_format),
                               ("A counter source of the kernel", "load", add_source),
                               ("A new Intel GPU", "xyz", add_gpu), ("A command", "hello", add_command)):
        add(tree)
        touched = tree.take_touched()
        check(f"{heading} touches the files of the page, and no other",
              touched == {path.replace("NAME", name) for path in listed[heading]}, sorted(touched))
    folder = os.path.join(build, "tests", "howto")
    tree.write(os.path.join(folder, "src"))
    build_copy(build, folder)
    passprobe, session = os.path.join(folder, "build", "bin", "passprobe"), os.path.join(folder, "session")
    shown = run(passprobe, "list")
    check("`passprobe list` shows the source and its event",
          re.search(r"(?m)^  load\b", shown) and "load:runnable" in shown, shown)
    check_gpu(passprobe, folder)
    check("`passprobe --help` lists the command", re.search(r"(?m)^  hello +greet the user$", run(passprobe, "--help")))
    check("the command runs", run(passprobe, "hello", "tree") == "Hello, tree!\n")
    check("the command's man page is made",
          os.path.isfile(os.path.join(folder, "build", "share", "man", "man1", "passprobe-hello.1")))
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PASSPROBE", "LD_PRELOAD"))}
    shutil.rmtree(session, ignore_errors=True)
    shutil.rmtree(session + ".old", ignore_errors=True)
    run(passprobe, "record", "-e", "time,load", "-o", session, "--", os.path.join(build, "bin", "passprobe-sample-gl"),
        "--frames", "20", env=dict(env, LIBGL_ALWAYS_SOFTWARE="1", GALLIUM_DRIVER="llvmpipe"))
    rows = check_format(session)
    check("frames.csv has the source's value", any(int(row["load:runnable"] or 0) > 0 for row in rows), rows[:1])
    return 0


sys.exit(main())
