"""-g: the samples, built in each way in which applications are built. The line of each action is the one that issued it, and
the times of all lines add up to those of the passes."""
import collections
import glob
import json
import os
import shutil
import subprocess

from harness import Skip, equal, main, true
from test_stacks import SAMPLES, Stacks, check_calls

TOP = os.path.dirname(SAMPLES)
# Files of a sample that issue work or call those that do; the rest is linked from the build. Its pkg-config modules.
FILES = {"gl": ("gl_main.c gl_scene.c gl_passes.c gl_query.c", "epoxy"),
         "vk": ("vk_main.c vk_scene.c vk_resources.c vk_renderpass.c vk_pipelines.c vk_record.c vk_query.c", "vulkan")}
# Compiler, its flags, and how the files are installed. They differ in pairs: each value occurs with each other one..
BUILDS = (("gcc", "-O0 -fPIE -pie", "whole"), ("gcc", "-O2 -fno-omit-frame-pointer -no-pie", "stripped"),
          ("gcc", "-O2 -fomit-frame-pointer -fPIC", "library"), ("clang", "-O0 -fomit-frame-pointer -no-pie", "stripped"),
          ("clang", "-O2 -fPIE -pie", "whole"), ("clang", "-O2 -fno-omit-frame-pointer -fPIC", "library"))
LAUNCHER = """#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen(LIBRARY, RTLD_NOW);
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "main") : 0;
    return run ? run(argc, argv) + 0 * argc : 99;
}
"""


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def strip(path):
    """Move the symbols and the debug information of a file into a file of its own."""
    run("objcopy", "--only-keep-debug", path, path + ".debug")
    run("objcopy", "--strip-all", "--add-gnu-debuglink=" + path + ".debug", path)


def build(lab, api, compiler, flags, kind):
    """Build a sample. @return Path of the executable."""
    files, package = FILES[api]
    folder = lab.path("built")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    program = os.path.join(folder, "passprobe-sample-" + api)
    out = program + ".so" if kind == "library" else program
    libraries = [os.path.join(lab.build, "samples", f"libsample_{name}.a") for name in ("scene", api, *(["vk_open"] * (api == "vk")))]
    needed = subprocess.run(["pkg-config", "--cflags", "--libs", package], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    run(compiler, "-std=gnu11", "-g", *flags.split(), *(["-shared"] if kind == "library" else []), "-Wl,--build-id", "-I", TOP,
        "-I", os.path.join(lab.build, "generated"), "-I", os.path.join(TOP, "annotate", "include"), "-DEGL_OPEN_EPOXY",
        *(os.path.join(SAMPLES, name) for name in files.split()), "-o", out, *libraries, *libraries,
        *needed, "-ldl", "-lm")
    if kind == "library":
        with open(os.path.join(folder, "launcher.c"), "w", encoding="utf-8") as file:
            file.write(LAUNCHER)
        run(compiler, "-O2", f'-DLIBRARY="{out}"', os.path.join(folder, "launcher.c"), "-o", program, "-ldl")
    if kind == "stripped":
        strip(out)
    return program


def check_sums(lab, api, wanted):
    """`annotate` has the same lines, and their times add up."""
    told = lab.run([lab.passprobe, "annotate", "--json", "--by=line", lab.path("data")])
    report = json.loads(told.stdout)
    found = {(os.path.basename(row["file"] or row["name"]), str(row["line"])): row["self_actions"] for row in report["rows"]
             if row["self_actions"]}
    equal(found, dict(wanted), f"{api}: actions by line")
    # llvmpipe does not time draws
    timed = 0 if "measure" in report else report["gpu_time_ns"] - report.get("gpu_time_undivided_ns", 0)
    true(abs(report["gpu_time_with_stack_ns"] - timed) < 1, f"all work with a time has a stack: {report}")
    true(abs(sum(row["self_ns"] or 0 for row in report["rows"]) - timed) < 1, f"sum of all lines: {report}")
    true(report["gpu_time_ns"] > 0, "GPU time")


def check_builds(lab, api):
    built = 0
    for compiler, flags, kind in BUILDS:
        if not shutil.which(compiler):
            continue
        program = build(lab, api, compiler, flags, kind)
        lab.run(lab.record("-g", "-l", "draw") + [program, "--frames", "6"])
        session, stacks = lab.session(), Stacks(lab.path("data"))
        where = f"{compiler} {flags} {kind}"
        equal((stacks.json["wrong"], stacks.json["lost"], stacks.json["truncated"]), (0, 0, {}), where)
        rows = session.table("draws.csv")
        try:
            check_calls(rows, stacks)
            check_sums(lab, api, collections.Counter(stacks.calls(row["stack"])[0][1:] for row in rows if row["frame"] != "0"))
        except AssertionError as error:
            raise AssertionError(f"{where}: {error}") from error
        shutil.rmtree(lab.path("data"))
        built += 1
    if not built:
        raise Skip("neither gcc nor clang is here")


def case_gl(lab):
    """OpenGL."""
    check_builds(lab, "gl")


def case_vk(lab):
    """Vulkan."""
    check_builds(lab, "vk")


if __name__ == "__main__":
    main(globals())
