"""Running programs under passprobe and reading what it wrote. Standard library only.

A test file defines functions and ends in main(globals()); `test_NAME.py --build DIR CASE` runs the function
`case_CASE`; a file with one case needs no CASE. Files of unittest classes end in unit_main(). A failed expectation raises
AssertionError; Skip(reason) exits with 77 and the reason in the last line."""
import argparse
import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import unittest

from hung import family_of, stacks_of

LIB = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(LIB)
ROOT = os.path.dirname(TESTS)
XVFB = os.path.join(LIB, "with-xvfb")
WESTON = os.path.join(LIB, "with-weston")
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
STATISTICS = ("input_assembly_vertices", "input_assembly_primitives", "vertex_shader_invocations",
              "geometry_shader_invocations", "geometry_shader_primitives", "clipping_invocations",
              "clipping_primitives", "fragment_shader_invocations", "tessellation_control_shader_patches",
              "tessellation_evaluation_shader_invocations", "compute_shader_invocations")
FRAME_COLUMNS = ("frame,api,device,surface,level,cpu_start_ns,frame_time_ns,cpu_busy_ns,cpu_wait_ns,gpu_start_ns,"
                 "gpu_latency_ns,gpu_time_ns,gpu_busy_ns,gpu_wait_ns,bound_by,passes,draws,dispatches,copies,"
                 "pipelines_created,pipeline_create_ns,cpu_sync_ns,cpu_acquire_ns,stack").split(",")
PASS_COLUMNS = ("frame,pass,pass_id,level,kind,width,height,layers,samples,draws,dispatches,copies,gpu_start_ns,"
                "gpu_time_ns,bound_by,stack,submit_stack").split(",")

DRAW_COLUMNS = ("frame,pass,draw,draw_id,call,stack,vertices,instances,groups,gpu_start_ns,gpu_time_ns,"
                "bound_by").split(",")
LABEL_COLUMNS = "frame,depth,passes,draws,dispatches,copies,gpu_start_ns,gpu_inclusive_ns,gpu_exclusive_ns".split(",")
# Right of the counters, because texts may hold commas.
RIGHT_COLUMNS = ("app", "pid", "cpu_start_realtime_ns", "queue", "attachments", "name", "label", "pipeline")


class Skip(unittest.SkipTest):
    """The test cannot run here; the text says why."""


def environment(*without, **more):
    """The caller's environment without what could change how a program runs under passprobe; also without the variables
    that begin with one of @p without."""
    drop = ("PASSPROBE", "LD_PRELOAD", "PYTHONPATH", *without)
    return {**{name: value for name, value in os.environ.items() if not name.startswith(drop)}, **more}


class Lab:
    """A build folder and a scratch folder."""

    def __init__(self, build, scratch):
        self.build, self.scratch = build, scratch
        self.passprobe = os.path.join(build, "bin", "passprobe")

    def path(self, name):
        """A file in the scratch folder."""
        return os.path.join(self.scratch, name)

    def cached(self, name):
        """A variable of the build's CMakeCache.txt; "" if there is none."""
        with open(os.path.join(self.build, "CMakeCache.txt"), encoding="utf-8") as file:
            found = re.search(rf"^{name}:\w+=(.*)$", file.read(), re.MULTILINE)
        return found.group(1) if found else ""

    def sample(self, which, *words):
        """The command of a sample: which is "gl" or "vk"."""
        return [os.path.join(self.build, "bin", f"passprobe-sample-{which}"), *words]

    def record(self, *words, out="data"):
        """The words in front of an application: `passprobe record` into a folder of the scratch folder."""
        return [self.passprobe, "record", "-q", "-o", self.path(out), *words, "--"]

    def environment(self, **more):
        """The environment of every run: software drivers, and none of the user's settings."""
        env = environment("VK_", "MANGOHUD", "GALLIUM_", LIBGL_ALWAYS_SOFTWARE="1", LC_ALL="C.UTF-8",
                          XDG_CONFIG_HOME=self.path("config"))
        # Control sockets of this test only. In a folder of its own, because tests of folders may open the scratch folder.
        env["XDG_RUNTIME_DIR"] = ""
        env["TMPDIR"] = self.path("tmp")
        os.makedirs(env["TMPDIR"], 0o700, exist_ok=True)
        env.update(more)
        # Mesa's drivers leak a little when they are unloaded; unit tests look for passprobe's leaks.
        env.setdefault("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0:use_sigaltstack=0")
        # ThreadSanitizer does not know what orders the threads of Mesa's drivers.
        env.setdefault("TSAN_OPTIONS", "ignore_noninstrumented_modules=1")
        if os.path.exists(LAVAPIPE):
            env["VK_ICD_FILENAMES"] = more.get("VK_ICD_FILENAMES", LAVAPIPE)
        return env

    def run(self, command, timeout=120, check=True, **env):
        """Run to the end. With check, an exit status other than 0 is a failure."""
        with subprocess.Popen(command, env=self.environment(**env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL) as process:
            try:
                output = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired as late:
                stacks = stacks_of(process.pid)
                for one in family_of(process.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(one, signal.SIGKILL)
                raise AssertionError(f"{' '.join(command)}: has not ended after {timeout} s\n{stacks}") from late
        done = subprocess.CompletedProcess(command, process.returncode, *output)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-2000:]}"
                                 f"\n{done.stderr[-4000:]}")
        return done

    def expect(self, which, *words):
        """The counts that the sample must have, from the sample itself."""
        return json.loads(self.run(self.sample(which, "--expect", *words)).stdout)

    def session(self, out="data"):
        """The recorded session."""
        return Session(self.path(out))


def named(frames, about):
    """Rows of frames.csv with the names of their devices and surfaces in place of the numbers."""
    for row in frames:
        for column in ("device", "surface"):
            row[column] = about[column + "s"][int(row[column])]["name"]
    return frames


class Session:
    """A session directory whose form has been checked: every row is complete, every column exists."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, "session.json"), encoding="utf-8") as file:
            self.json = json.load(file)
        self.frames = named(read_csv(os.path.join(path, "frames.csv"), FRAME_COLUMNS), self.json)
        self.passes = []
        if self.json["options"]["level"] != "frame":
            self.passes = read_csv(os.path.join(path, "passes.csv"), PASS_COLUMNS)

    def table(self, name):
        """All rows of one more file, draws.csv or labels.csv."""
        return read_csv(os.path.join(self.path, name), {"draws.csv": DRAW_COLUMNS, "labels.csv": LABEL_COLUMNS}[name])

    def lost(self):
        """Counts of dropped results in session.json that are not 0."""
        return {name: count for name, count in self.json["dropped"].items() if count}

    def passes_of(self, frame):
        """Rows of a frame's passes, in order."""
        return [row for row in self.passes if row["frame"] == frame]


def read_csv(path, leading):
    """All rows as dictionaries of text; the file must be RFC 4180 and begin with the columns that session.md names."""
    with open(path, "rb") as file:
        raw = file.read()
    raw.decode("utf-8")
    equal(raw[-1:], b"\n", f"{path}: last row is complete")
    rows = list(csv.reader(io.StringIO(raw.decode("utf-8"), newline=""), strict=True))
    header = rows[0]
    equal(header[: len(leading)], list(leading), f"{path}: leading columns")
    for name in (name for name in header[len(leading):] if name not in RIGHT_COLUMNS):
        true(re.fullmatch(r"[^:]+:.+", name), f"{path}: column {name} is called source:name")
    equal(len(set(header)), len(header), f"{path}: columns differ in name")
    for i, row in enumerate(rows):
        equal(len(row), len(header), f"{path}: cells in line {i + 1}")
    return [dict(zip(header, row)) for row in rows[1:]]


def equal(got, want, what):
    """Demand equality."""
    if got != want:
        raise AssertionError(f"{what}: got {repr(got)[:1500]}, want {repr(want)[:1500]}")


def true(condition, what):
    """Demand truth."""
    if not condition:
        raise AssertionError(what)


def fail(text):
    """End as a failed test."""
    raise AssertionError(text)


def none(offences, what):
    """Demand that there are no offences; prints each one, or @p what."""
    found = list(offences)
    print("\n".join(found) or what)
    true(not found, f"{len(found)} offences")


def number(row, column):
    """A cell as a whole number; an empty one fails."""
    true(row[column] != "", f"{column} is empty in {row}")
    return int(row[column])


def attachments(cell):
    """The cell as "role=format role=format", without load and store and names."""
    return " ".join(token.split(":")[0] for token in cell.split(" ") if "=" in token)


def fake_kernel(lab):
    """What to preload for a fake kernel (tests/fake/kernel)."""
    return fake_library(lab, "libfake-kernel.so")


def fake_library(lab, name):
    """What to preload for a fake library. In a build with a sanitizer, the sanitizer's library comes before everything
    that it instruments."""
    path = os.path.join(lab.build, "tests", name)
    linked = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    before = re.findall(r"=> (\S*/lib(?:asan|tsan)\.so\S*)", linked)
    if lab.cached("PP_SANITIZE") and not before:
        raise Skip("the sanitizer has no library to preload")
    return ":".join(before + [path])


def need(*programs):
    """Skip unless all programs are installed."""
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")


def need_vulkan():
    """Skip unless lavapipe is installed."""
    need_file(LAVAPIPE, "lavapipe")


def need_file(path, what):
    """Skip unless a file is there."""
    if not os.path.exists(path):
        raise Skip(f"{what} is not installed")


def tracked(top=ROOT):
    """Names of the files of a git checkout, untracked files too that git does not ignore."""
    done = subprocess.run(["git", "-C", top, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise Skip("not a git checkout")
    return {name for name in done.stdout.splitlines() if os.path.isfile(os.path.join(top, name))}


def take_arguments(count):
    """Takes the first arguments of a file of unittest classes off the command line."""
    taken = sys.argv[1:count + 1]
    del sys.argv[1:count + 1]
    return taken


def unit_main():
    """Run the unittest classes of the file; exit with 77 if each test was skipped."""
    result = unittest.main(verbosity=1, exit=False).result
    if result.wasSuccessful() and result.testsRun and len(result.skipped) == result.testsRun:
        print(f"skipped: {result.skipped[0][1]}")
        sys.exit(77)
    sys.exit(0 if result.wasSuccessful() else 1)


def main(cases, make=Lab, arguments_of=lambda lab, case: (lab,)):
    """Run one case of a test file; see the head of this file. @p make makes the lab, @p arguments_of the arguments of a
    case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder")
    names = sorted(name[5:] for name in cases if name.startswith("case_"))
    if len(names) == 1:
        parser.add_argument("case", choices=names, nargs="?", default=names[0])
    else:
        parser.add_argument("case", choices=names)
    options = parser.parse_args()
    if "PP_TEST_SKIP" in os.environ:  # CMake knows that this build lacks what the case tests
        print("skipped: " + os.environ["PP_TEST_SKIP"])
        sys.exit(77)
    scratch = tempfile.mkdtemp(prefix="passprobe-test-")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    status = 0
    try:
        cases["case_" + options.case](*arguments_of(make(options.build, scratch), options.case))
    except Skip as reason:
        print(f"skipped: {reason}")
        status = 77
    except (AssertionError, subprocess.TimeoutExpired, OSError, ValueError, KeyError):
        traceback.print_exc()
        status = 1
    finally:
        if options.keep or (status == 1 and os.environ.get("PP_KEEP")):
            print(f"kept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    sys.exit(status)
