"""-g: every action, pass, submission and end of a frame has the call stack of the application's call, and without -g nothing
has one. The lines are found by addr2line and compared with the sources of the samples."""
import collections
import csv
import json
import os
import re
import shutil
import subprocess

from harness import Skip, equal, main, true

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "samples")


class Stacks:
    """stacks.csv and modules.csv of a session. @p program is part of the application's file name."""

    def __init__(self, folder, program="passprobe-sample"):
        self.program = program
        self.json = json.load(open(os.path.join(folder, "session.json"), encoding="utf-8"))["stacks"]
        self.rows = {row["stack"]: row for row in self.read(folder, "stacks.csv")}
        self.modules = {row["module"]: row for row in self.read(folder, "modules.csv")}
        self.lines = {}

    @staticmethod
    def read(folder, name):
        with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def frames(self, stack):
        """[(path of the module, address in it)], innermost first; "" is the path of what is in no module."""
        found = []
        for frame in self.rows[stack]["frames"].split(";"):
            module, address = re.fullmatch(r"(?:(\d+)\+|\?)(0x[0-9a-f]+)", frame).groups()
            found.append((self.modules[module]["path"] if module else "", address))
        return found

    def calls(self, stack):
        """[(function, file, line)] in the samples, innermost first, inlined functions too."""
        if stack not in self.lines:
            found = []
            for path, address in self.frames(stack):
                if self.program in path:
                    text = subprocess.run(["addr2line", "-i", "-f", "-e", path, address], stdout=subprocess.PIPE, text=True,
                                          check=True).stdout.splitlines()
                    places = [place.split(" ")[0].rpartition(":") for place in text[1::2]]
                    found += [(name, os.path.basename(file), line) for name, (file, _, line) in zip(text[::2], places)]
            self.lines[stack] = found
        return self.lines[stack]

    def source(self, stack):
        """The source text of the innermost call; a call may have several lines."""
        _, name, line = self.calls(stack)[0]
        with open(os.path.join(SAMPLES, name), encoding="utf-8") as file:
            return "".join(file.readlines()[max(0, int(line) - 4):int(line)])


def record(lab, *words):
    """Record a sample, and check what holds for every session with stacks."""
    options, sample = words[:words.index("--")], words[words.index("--") + 1:]
    lab.run(lab.record(*options) + lab.sample(*sample, "--frames", "12"))
    session, stacks = lab.session(), Stacks(lab.path("data"))
    equal(list(stacks.rows), [str(i + 1) for i in range(len(stacks.rows))], "numbers of stacks have no gap")
    equal(stacks.json["count"], len(stacks.rows), "stacks of session.json")
    equal((stacks.json["wrong"], stacks.json["lost"]), (0, 0), "wrong and lost stacks")
    for row in stacks.rows.values():
        equal(row["truncated"], "", f"stack {row['stack']} is complete")
    for module in stacks.modules.values():
        true(re.fullmatch(r"[0-9a-f]{16,64}", module["build_id"]), f"build id of {module['path']}")
    main_program = [module for module in stacks.modules.values() if "passprobe-sample" in module["path"]]
    notes = subprocess.run(["readelf", "-n", main_program[0]["path"]], stdout=subprocess.PIPE, text=True, check=True).stdout
    true(f"Build ID: {main_program[0]['build_id']}" in notes, "the build id is that of the file")
    for frame in session.frames:
        functions = [call[0] for call in stacks.calls(frame["stack"])]
        true("main" in functions or "run" in functions, f"the end of a frame is in main: {functions}")
    return session, stacks


def check_calls(rows, stacks):
    """The innermost line of each action calls what the row says. Where the call is the last one of a pass's function, a
    compiler may have made a jump of it: then the innermost line is the call of that function."""
    jumps = 0
    for row in rows:
        jump = "gl_scene_pass(" in stacks.source(row["stack"])
        true(jump or row["call"] in stacks.source(row["stack"]), f"{row['call']}: {stacks.calls(row['stack'])[0]}")
        jumps += jump
    true(0 < len(rows) and jumps <= len(rows) / 2, f"{jumps} of {len(rows)} lines are those of a jump")


def check_passes(session, stacks, functions):
    """Each pass of the last frame began in its function."""
    last = [row for row in session.passes if row["frame"] == session.frames[-1]["frame"]]
    equal(len(last), len(functions), "passes of a frame")
    for row, function in zip(last, functions):
        names = [call[0] for call in stacks.calls(row["stack"])]
        true(function in names, f"pass {row['pass']}: {function} in {names}")


GL_PASSES = ["pass_shadow", "pass_scene", "pass_tone", "pass_post", "pass_transfer"]
VK_PASSES = ["record_pass"] * 2 + ["pass_tone"] + ["record_pass"] + ["pass_transfer"]


def case_annotate(lab):
    """`annotate` finds the lines that addr2line finds, from symbols.csv and without it, and times by line add up."""
    for api in ("gl", "vk"):
        session, stacks = record(lab, "-g", "-l", "draw", "--", api)
        wanted = collections.Counter(stacks.calls(row["stack"])[0][1:] for row in session.table("draws.csv") if row["frame"] != "0")
        times = sum(int(row["gpu_time_ns"] or 0) for row in session.passes if row["frame"] != "0")
        kept = os.path.join(lab.path("data"), "symbols.csv")
        true(os.path.exists(kept), "symbols.csv")
        for _ in ("kept", "found"):
            told = lab.run([lab.passprobe, "annotate", "--json", "--by=line", lab.path("data")])
            report = json.loads(told.stdout)
            rows = [row for row in report["rows"] if row["self_actions"]]
            found = {(os.path.basename(row["file"]), str(row["line"])): row["self_actions"] for row in rows}
            equal(found, dict(wanted), f"{api}: actions by line")
            # llvmpipe does not time draws
            timed = 0 if "measure" in report else report["gpu_time_ns"] - report.get("gpu_time_undivided_ns", 0)
            true(abs(report["gpu_time_with_stack_ns"] - timed) < 1, f"{api}: all work with a time has a stack: {report}")
            true(abs(sum(row["self_ns"] or 0 for row in report["rows"]) - timed) < 1, f"{api}: sum of all lines: {report}")
            true(0 < report["gpu_time_ns"] <= times, f"{api}: {report['gpu_time_ns']} of {times} ns")
            if os.path.exists(kept):
                os.unlink(kept)
        shutil.rmtree(lab.path("data"))


def case_gl(lab):
    """OpenGL, level draw."""
    session, stacks = record(lab, "-g", "-l", "draw", "--", "gl")
    check_calls(session.table("draws.csv"), stacks)
    check_passes(session, stacks, GL_PASSES)
    true(stacks.json["hits"] > 5 * stacks.json["misses"], f"hits: {stacks.json}")
    equal({row["submit_stack"] for row in session.passes}, {""}, "OpenGL has no submissions")


def case_gl_pass(lab):
    """OpenGL, level pass, by the long option."""
    session, stacks = record(lab, "--call-graph=unwind", "--", "gl")
    check_passes(session, stacks, GL_PASSES)


def vulkan(lab, *words):
    session, stacks = record(lab, "-g", *words)
    for row in session.passes:
        true("submit" in stacks.source(row["submit_stack"]).lower(), f"submission: {stacks.source(row['submit_stack'])}")
    return session, stacks


def case_vk(lab):
    """Vulkan, level draw: recorded once, and anew for each frame."""
    for words in (), ("--rerecord",):
        session, stacks = vulkan(lab, "-l", "draw", "--", "vk", *words)
        check_calls(session.table("draws.csv"), stacks)
        check_passes(session, stacks, VK_PASSES)


def case_vk_pass(lab):
    """Vulkan, level pass."""
    session, stacks = vulkan(lab, "--", "vk")
    check_passes(session, stacks, VK_PASSES)


def case_vk_secondary(lab):
    """Actions of secondaries have the stacks of their recording."""
    session, stacks = vulkan(lab, "-l", "draw", "--", "vk", "--secondary")
    check_calls(session.table("draws.csv"), stacks)


def case_off(lab):
    """Without -g there are no stacks, and the empty cells have a reason."""
    lab.run(lab.record("-l", "draw") + lab.sample("gl", "--frames", "5"))
    session = lab.session()
    equal(sorted(name for name in os.listdir(lab.path("data")) if "stack" in name or "modules" in name), [], "files")
    true("stacks" not in session.json, "member stacks")
    rows = session.frames + session.passes + session.table("draws.csv")
    equal({row["stack"] for row in rows}, {""}, "cells")
    reasons = [entry["reason"] for entry in session.json["empty_cells"] if "stack" in entry["columns"]]
    equal(reasons, ["no call stack was recorded"] * 3, "reasons")


def case_frame_pointers(lab):
    """--call-graph=fp in an application without frame pointers: no crash, and no stack that claims to be complete without
    being so."""
    bare = lab.run(lab.sample("gl", "--frames", "12"))
    done = lab.run(lab.record("--call-graph=fp", "-l", "draw") + lab.sample("gl", "--frames", "12"))
    equal(done.stdout, bare.stdout, "the application's output")
    stacks = Stacks(lab.path("data"))
    equal(stacks.json["method"], "fp", "method")
    for row in stacks.rows.values():
        names = [call[0] for call in stacks.calls(row["stack"])]
        true(row["truncated"] or "_start" in names, f"complete: {names}")


def case_exceptions(lab):
    """C++ exceptions through frames that draw behave as without passprobe, and libgcc throws them."""
    compiler = shutil.which("g++")
    if not compiler:
        raise Skip("no g++ here")
    program, source = lab.path("exceptions"), os.path.join(os.path.dirname(os.path.abspath(__file__)), "exceptions.cpp")
    subprocess.run([compiler, "-O2", "-g", "-o", program, source, "-lEGL", "-lGL"], check=True)
    bare = lab.run([program])
    done = lab.run(lab.record("-g", "-l", "draw") + [program], LD_DEBUG="bindings", LD_DEBUG_OUTPUT=lab.path("bindings"))
    equal(done.stdout, bare.stdout, "the application's output")
    bound = set()
    for name in os.listdir(lab.scratch):
        if name.startswith("bindings"):
            with open(lab.path(name), encoding="utf-8", errors="replace") as file:
                bound |= set(re.findall(r"binding file \S+ \[0\] to (\S+) \[0\]: \S+ symbol `_Unwind_RaiseException'", file.read()))
    throwers = {os.path.basename(path) for path in bound if "san.so" not in path}  # sanitizers are in front of libgcc
    equal(throwers, {"libgcc_s.so.1"}, "who throws")
    stacks = Stacks(lab.path("data"))
    equal(stacks.json["wrong"], 0, "wrong stacks")
    true(stacks.json["hits"] > 1000, f"hits: {stacks.json}")


# Application stack-ends: by debug group, the reason why its stacks end, and their functions up to the end. "?" is a
# function that was made at run time.
OUTSIDE = ["draw_in", "draw_frame", "main"]
ENDS = {
    "complete": [("", ["draw"] + OUTSIDE)],
    "no_table": [("no_table", ["draw", "draw_again", "call_without_table"])],
    "too_high": [("broken", ["draw", "draw_again", "call_too_high"])],
    "too_low": [("broken", ["draw", "draw_again", "call_too_low"])],
    "lost_register": [("broken", ["draw", "draw_again", "call_by_lost_register"])],
    "kept_register": [("", ["draw", "draw_again", "call_by_kept_register"] + OUTSIDE)],
    "bad_pointer": [("", ["draw", "draw_again", "call_with_bad_pointer"] + OUTSIDE)],
    "made": [("unknown_code", ["draw", "?"])],
    "deep": [("depth", ["draw"] + ["go_deeper"] * 63)],
    "jump": [("", ["draw", "jump_out", "jump"] + OUTSIDE), ("", ["draw"] + ["go_deeper"] * 3 + ["jump"] + OUTSIDE)],
    "coroutine": [("", ["draw", "run_coroutine"])],
    "small": [("", ["draw", "draw_in", "draw_on_small_stack"])],
}


def record_ends(lab, program, *options):
    """Record an application of stack_ends.c. @return By debug group: [(reason, functions of the application)]."""
    command = [os.path.join(lab.build, "tests", program)]
    bare = lab.run(command, check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout.strip())
    done = lab.run(lab.record(*options, "-l", "draw") + command)
    equal((bare.returncode, done.stdout), (0, bare.stdout), "the application's output")
    session, stacks, found = lab.session(), Stacks(lab.path("data"), program), {}
    equal((stacks.json["wrong"], stacks.json["lost"]), (0, 0), "wrong and lost stacks")
    for row in session.table("draws.csv"):
        stack, frames = stacks.rows[row["stack"]], stacks.frames(row["stack"])
        functions = [call[0] for call in stacks.calls(row["stack"]) if call[0] != "_start"]
        end = (stack["truncated"], functions + ["?"] * (frames[-1][0] == ""))
        ends = found.setdefault(row["label"], [])
        if end not in ends:
            ends.append(end)
        true("" not in [path for path, _ in frames[:-1]], f"only the last frame is in no module: {stack}")
    words = collections.Counter(row["truncated"] for row in stacks.rows.values() if row["truncated"])
    equal(stacks.json["truncated"], dict(words), "reasons in session.json")
    return found


def case_ends(lab):
    """Each stack that cannot be followed ends with the reason, after frames that are right; others are complete, also those
    of coroutines, of small stacks and after longjmp()."""
    found = record_ends(lab, "stack-ends", "-g")
    equal(sorted(found), sorted(ENDS), "groups")
    for group, ends in ENDS.items():
        equal(found[group], ends, group)


def case_ends_frame_pointers(lab):
    """--call-graph=fp, in an application with frame pointers: it needs no unwind tables, and a pointer that leads nowhere ends
    a stack. The C library has no frame pointers."""
    found = record_ends(lab, "stack-ends-frame-pointers", "--call-graph=fp")
    for group, (_, functions) in [(group, end) for group, ends in ENDS.items() for end in ends]:
        if "draw_again" not in functions and group not in ("made", "deep"):
            true(functions in [names[:len(functions)] for _, names in found[group]], f"{group}: {found[group]}")
    equal(found["bad_pointer"], [("frame_pointer", ["draw", "draw_again", "call_with_bad_pointer"])], "bad_pointer")
    equal(found["made"], [("frame_pointer", ["draw"])], "made")
    equal(found["deep"], ENDS["deep"], "deep")


def case_luajit(lab):
    """Draws of code that LuaJIT made: its unwinder aborts a process that unwinds such code carelessly. Stacks end there, with
    a reason."""
    luajit = shutil.which("luajit")
    if not luajit:
        raise Skip("no luajit here")
    program = [luajit, os.path.join(os.path.dirname(os.path.abspath(__file__)), "jit.lua")]
    bare = lab.run(program, check=False)
    if bare.returncode == 77:
        raise Skip("no surfaceless EGL here")
    equal(bare.returncode, 0, bare.stderr)
    done = lab.run(lab.record("-g", "-l", "draw") + program)
    equal(done.stdout, bare.stdout, "the application's output")
    stacks, rows = Stacks(lab.path("data")), Stacks.read(lab.path("data"), "draws.csv")
    equal(stacks.json["wrong"], 0, "wrong stacks")
    ends = collections.Counter(stacks.rows[row["stack"]]["truncated"] for row in rows if row["call"] == "glDrawArrays")
    true(ends["unknown_code"] > 600, f"most draws come from compiled code: {ends}")
    for row in stacks.rows.values():
        equal(row["frames"].split(";")[-1].startswith("?0x"), row["truncated"] == "unknown_code", f"stack {row['stack']}")
    report = json.loads(lab.run([lab.passprobe, "annotate", "--json", lab.path("data")]).stdout)
    equal(report["gpu_time_with_stack_ns"], 0 if "measure" in report else report["gpu_time_ns"],
          "all work with a time has a stack")


def case_full_disk(lab):
    """No other file names a stack that stacks.csv does not have, when the session ends early."""
    lab.run(lab.record("-g", "-l", "draw", "--max-size", "80K") + lab.sample("gl", "--frames", "400", "--size", "64x64"))
    session, stacks = lab.session(), Stacks(lab.path("data"))
    true(0 < len(session.frames) < 400, "the session was cut")
    named = {row["stack"] for row in session.frames + session.passes + session.table("draws.csv")}
    equal(sorted(named - set(stacks.rows)), [], "stacks without a row")


if __name__ == "__main__":
    main(globals())
