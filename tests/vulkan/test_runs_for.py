"""`record --runs-for` with a layer that has fake counters: the merged session has every counter of every frame, pass and
draw, each with the value of a direct run with that counter set; what differs between runs is not merged, and the reason
is there.

test_runs_for.py --build DIR CASE"""
import json
import os
import shutil

from harness import ROOT, Skip, equal, fail, main, true
from fake_vk_counters import DRAWS, COUNTERS, PerfLab, SAMPLE, values

FRAMES = 6
TABLES = ("frames", "passes", "draws")
# Counters that depend on the number of commands in the command buffers, which passprobe's own commands change.
# Events of two counter sets, and these sets: one event by itself is in another set in each run.
TWO_SETS = "khr:Vertices,khr:Instances,khr:Balance"
OWN_COMMANDS = ("GPU active cycles_cycles", "Draw share_percent", "L2 cache hit ratio_bytes")


def runs_for(lab, events, level, command, fake="khr", options=("--keep-runs",), status=0, **more):
    """Record into the session `s`. Returns the output."""
    env = dict(lab.words(fake), **more)
    command = [os.path.join(lab.build, "bin", "passprobe"), "record", "-o", lab.path("s"), "-l", level, *options,
               "--runs-for", events, "--", *command]
    out = lab.run(command, status=status, **env)
    if "VIOLATION" in out:
        fail(out[-2000:])
    return out


def shell(lab, script, *words):
    """The sample after a shell script that may set `n`, the number of frames, and knows `set`, the run."""
    sample = " ".join(lab.sample(*words))
    return ["sh", "-c", f'n={FRAMES}; set=$PASSPROBE_ONLY_SET; {script}; exec {sample} --frames $n']


def session(lab, name="s"):
    return json.loads(lab.text(name))


def merged(lab):
    """The object runs_for of the session."""
    found = session(lab)["runs_for"]
    equal(sorted(found), ["agreement", "columns_left_out", "ended", "events", "runs", "wanted_runs"], "members of runs_for")
    return found


def of_run(lab, number):
    """Counters of a run."""
    return sorted(name[4:] for name in merged(lab)["runs"][number]["events_got"] if name.startswith("khr:"))


def counters(row):
    return {name: text for name, text in row.items() if name.startswith(("khr:", "oa:")) and text != ""}


def key(row):
    return tuple(row.get(name) for name in ("frame", "pass_id", "draw_id"))


def compare(lab, table, wanted):
    """Each counter of a merged row has the value of the first run that has one; all else is that of the first run."""
    runs = [{key(row): row for row in lab.rows(f"s.runs/set{i}", table)} for i in range(wanted)]
    rows = lab.rows("s", table)
    equal([key(row) for row in rows], list(runs[0]), f"rows of {table}")
    for row in rows:
        first = runs[0][key(row)]
        want = {}
        for run in reversed(runs):
            want.update(counters(run[key(row)]))
        equal(counters(row), want, f"{table} {key(row)}")
        equal(row["runs:differ"], "0", f"{table} {key(row)}: runs that differ")
        for name, text in first.items():
            if name != "bound_by" or table == "frames":
                equal(row[name], text, f"{table} {key(row)}: {name}")
    return rows


def check_values(rows, work, scale):
    """Compare with the sample's commands. Returns the names of the counters."""
    names = set()
    for i, row in enumerate(rows):
        found = values(row, "khr:")
        for name, value in found.items():
            if name not in OWN_COMMANDS:
                equal(value, COUNTERS[name](work[i % scale] + (0,)), f"row {i}: {name}")
        names |= set(found)
    return names


def case_exact(lab, _source):
    """Level draw: every counter of every draw, pass and frame."""
    for words in ("--rerecord",), ():
        shutil.rmtree(lab.path("s.runs"), ignore_errors=True)
        out = runs_for(lab, "khr:*", "draw", lab.sample("--frames", str(FRAMES), *words))
        true("48 of 48 draws, 30 of 30 passes, 6 of 6 frames agree in all 9 runs" in out, out)
        equal(merged(lab)["wanted_runs"], 9, "runs")
        for table in TABLES:
            rows = compare(lab, table, 9)
            if table == "frames":
                continue
            names = check_values(rows, DRAWS if table == "draws" else SAMPLE, 8 if table == "draws" else 5)
            # these are counted around whole passes only
            want = set(COUNTERS) - ({"Tiles loaded"} if table == "draws" else set())
            equal(want - names, set(), f"counters of {table}")
            for row in rows:
                empty = [name for name in want - set(values(row, "khr:"))]
                equal(empty, [], f"empty cells of {table}")
        shown = session(lab)
        equal("event_sets" in shown["devices"][0], False, "sets that rotate")
        equal(shown["ended"], "exit", "end")
        equal(set(counters(rows[0])) - set(shown["devices"][0]["events_got"]) - {
            name for name in counters(rows[0]) if name.rsplit("_", 1)[0] in shown["devices"][0]["events_got"]}, set(), "events_got")
        report = lab.run([os.path.join(lab.build, "bin", "passprobe"), "report", lab.path("s")])
        true("agree in all 9 runs" in " ".join(report.split()), report)
        true("runs:differ" not in report, report)


def case_trace(lab, _source):
    """A trace that gfxreconstruct recorded: each replay does the same work, so every draw has all counters."""
    if not os.path.exists("/usr/share/vulkan/explicit_layer.d/VkLayer_gfxreconstruct.json") or not shutil.which("gfxrecon-replay"):
        raise Skip("gfxreconstruct is not installed")
    with open(os.path.join(lab.build, "lib", "libpassprobe-gl.so"), "rb") as file:
        if b"libasan.so" in (data := file.read()) or b"libtsan.so" in data:
            raise Skip("gfxrecon-replay does not run with a sanitizer's library")
    lab.run(lab.sample("--frames", str(FRAMES), "--labels"), VK_INSTANCE_LAYERS="VK_LAYER_LUNARG_gfxreconstruct",
            GFXRECON_CAPTURE_FILE=lab.path("trace.gfxr"), GFXRECON_CAPTURE_FILE_TIMESTAMP="false")
    out = runs_for(lab, "khr:*", "draw", ["gfxrecon-replay", lab.path("trace.gfxr")])
    true("48 of 48 draws, 30 of 30 passes, 6 of 6 frames agree in all 9 runs" in out, out)
    names = check_values(compare(lab, "draws", 9), DRAWS, 8)
    equal(set(COUNTERS) - {"Tiles loaded"} - names, set(), "counters of draws")
    check_values(compare(lab, "passes", 9), SAMPLE, 5)
    compare(lab, "frames", 9)


def case_levels(lab, _source):
    """Levels pass and frame: one run for each set."""
    for level, tables in (("pass", TABLES[:2]), ("frame", TABLES[:1])):
        runs_for(lab, TWO_SETS, level, lab.sample("--frames", str(FRAMES)))
        equal(merged(lab)["wanted_runs"], 3, f"runs at level {level}")
        for table in tables:
            rows = compare(lab, table, 3)
            for row in rows:
                equal(sorted(values(row, "khr:")), ["Balance", "Instances", "Vertices"], f"counters of {table}")
        of = merged(lab)["agreement"]
        equal({name: one["rows"] for name, one in of.items()}, dict(zip(("frames.csv", "passes.csv"), (FRAMES, 5 * FRAMES if
              level == "pass" else 0))), "rows that were compared")
        shutil.rmtree(lab.path("s.runs"))


def case_oa(lab, _source):
    """Intel's metric sets: metrics come from the run of their set, and the unit that bounds a pass is found in any run."""
    runs_for(lab, "oa:RenderBasic,oa:ComputeBasic", "pass", lab.sample("--frames", "3", "--rerecord"), fake="intel")
    equal(merged(lab)["wanted_runs"], 3, "runs")
    rows = compare(lab, "passes", 3)
    for row in rows:
        true(row["oa:VsFpu0Active_percent"] and row["oa:TypedBytesRead_bytes"], f"both sets in {row}")
        true(row["bound_by"], "the bottleneck")


def case_fewer_frames(lab, _source):
    """A run that has fewer frames: the frames beyond its end are without its counters."""
    out = runs_for(lab, TWO_SETS, "pass", shell(lab, 'test "$set" != 2 || n=4'))
    true("20 of 30 passes, 4 of 6 frames agree in all 3 runs; where they differ, cells are empty" in out, out)
    for row in lab.rows("s", "passes"):
        there = int(row["frame"]) < 4
        want = sorted(of_run(lab, 1) + (of_run(lab, 2) if there else []))
        equal((row["runs:differ"], sorted(values(row, "khr:"))), ("0" if there else "1", want), f"pass of frame {row['frame']}")
    runs = merged(lab)["runs"]
    equal([(one["file"], one["rows"], one["first"].get("frame")) for one in runs[2]["differences"]],
          [("frames.csv", 2, 4), ("passes.csv", 10, 4)], "differences")
    equal(runs[1]["differences"], [], "differences of a run that agrees")
    reasons = [one["reason"] for one in session(lab)["empty_cells"] if one["file"] == "passes.csv"]
    true("runs of --runs-for differ in these rows" in reasons, f"reasons: {reasons}")


def case_other_work(lab, _source):
    """A run that draws more in one of its passes: this pass and the frame are without its counters, and so is nothing
    else."""
    load = os.path.join(lab.build, "bin", "passprobe-load-vk")
    script = f'd=10; test "$PASSPROBE_ONLY_SET" != 1 || d=11; exec {load} --draws $d --passes 3 --frames 4'
    out = runs_for(lab, TWO_SETS, "draw", ["sh", "-c", script], options=())
    true(" of " in out and "where they differ" in out, out)
    draws, passes, frames = (lab.rows("s", table) for table in ("draws", "passes", "frames"))
    for row in draws:
        # run 1 measures passes around the first set
        equal(len(values(row, "khr:")), 3, "draws are equal in all runs that measure draws")
    differing = {(row["frame"], row["pass"]) for row in passes if row["runs:differ"] != "0"}
    true(0 < len(differing), "passes in which a run differs")
    for row in frames:
        has = any(frame == row["frame"] for frame, _ in differing)
        equal(row["runs:differ"], "1" if has else "0", f"frame {row['frame']}")
    for row in passes:
        if (row["frame"], row["pass"]) in differing:
            run = {key(it): it for it in passes}
            true(key(row) in run, "rows are those of the first run")
    true(not os.path.exists(lab.path("s.runs")), "the runs are deleted")


def case_failing_runs(lab, _source):
    """A run that fails, is killed or is interrupted is the last one; those before it are merged. Its exit status is that of
    passprobe."""
    for script, status, word in (('test "$set" != 2 || exit 3', 3, "failed with status 3"),
                                 ('test "$set" != 2 || kill -9 $$', 137, "failed with status 137"),
                                 ('test "$set" != 2 || { kill -INT $PPID; exec sleep 60; }', 130, "was interrupted by Interrupt")):
        out = runs_for(lab, TWO_SETS, "pass", shell(lab, script), options=(), status=status)
        found = merged(lab)
        equal(len(found["runs"]), 2, "runs that are merged")
        true(word in found["ended"], found["ended"])
        true("6 of 6 frames agree in all 2 runs" in out, out)
        for row in lab.rows("s", "passes"):
            equal(sorted(values(row, "khr:")), of_run(lab, 1), "counters of each pass")
        true(not os.path.exists(lab.path("s.runs")), "the runs are deleted")
    runs_for(lab, TWO_SETS, "pass", ["sh", "-c", shell(lab, "true")[2].replace("exec", "") + "; exit 3"],
             options=("--ignore-failure",))
    equal(merged(lab)["ended"], None, "the status does not matter")


def case_first_run(lab, _source):
    """No frames, or a command that does not exist: nothing is left, and an older session is untouched."""
    runs_for(lab, "khr:Vertices", "pass", lab.sample("--frames", "3"), options=())
    before = sorted(os.listdir(lab.path("s")))
    for command, status, word in ((["true"], 0, "no data from 'true'"), (["./none"], 127, "none"),
                                  (["sh", "-c", "exit 4"], 4, "no data")):
        out = runs_for(lab, "khr:Vertices", "pass", command, options=(), status=status)
        true(word in out, out)
        equal(sorted(it for it in os.listdir(lab.scratch) if it.startswith("s")), ["s"], "what is left")
        equal(sorted(os.listdir(lab.path("s"))), before, "the older session")


def case_damaged_runs(lab, _source):
    """Damaged, hostile and missing sessions of a run: what can be read is merged, the rest has its reason."""
    set1 = '"$PASSPROBE_OUTPUT/../set1"'
    sample = lab.sample("--frames", str(FRAMES))
    for damage, frames, why in ((f"rm {set1}/session.json", 0, "session.json"),
                                (f"echo '{{' > {set1}/session.json", 0, "session.json"),
                                (f"rm {set1}/frames.csv", 0, "CSV files"),
                                (f"printf 'frame\\n' > {set1}/frames.csv", 0, "no frames"),
                                (f"rm -r {set1}", 0, "session.json"),
                                (f"truncate -s 3000 {set1}/passes.csv", 2, None),
                                (f"tr , ';' < {set1}/passes.csv > x; cat x > {set1}/passes.csv", 0, "CSV files"),
                                (f"head -c 65536 /dev/zero > {set1}/passes.csv", 0, "CSV files"),
                                (f"sed -i 's/^1,/18446744073709551616,/' {set1}/frames.csv", 5, None)):
        script = f'test "$PASSPROBE_ONLY_SET" != 2 || {{ {damage}; }}; exec {" ".join(sample)}'
        out = runs_for(lab, TWO_SETS, "pass", ["sh", "-c", script], options=())
        left_out = merged(lab)["runs"][1]["left_out"]
        equal(left_out is None, why is None, f"{damage}: {left_out}")
        true(why is None or why in left_out and "run 2 of 3 is not merged" in out, out)
        rows = lab.rows("s", "frames")
        equal(len(rows), FRAMES, "frames of the first run")
        have = [row for row in rows if row["runs:differ"] == "0"]
        equal(len(have), FRAMES if why else frames, f"{damage}: frames that agree")
        for row in rows:
            other = left_out is None and row in have
            equal(sorted(values(row, "khr:")), ["Balance", "Instances", "Vertices"] if other else of_run(lab, 2), f"{damage}: counters")


def case_processes(lab, _source):
    """Two processes in each run: those of one executable are merged, also if the other one has more frames in some run."""
    load = os.path.join(lab.build, "bin", "passprobe-load-vk")
    # passprobe-load-vk has 8 frames more
    script = (f'n=2; test "$PASSPROBE_ONLY_SET" = 0 || n=9; {load} --draws 3 --passes 1 --frames $n; '
              f'exec {" ".join(lab.sample("--frames", "12"))}')
    out = runs_for(lab, TWO_SETS, "pass", ["sh", "-c", script])
    true("2 processes left a session each; only this one is merged" in out, out)
    true("60 of 60 passes, 12 of 12 frames agree in all 3 runs" in out, out)
    equal(os.path.basename(session(lab)["program"]["executable"]), "passprobe-sample-vk", "the merged process")
    runs_for(lab, TWO_SETS, "pass", ["sh", "-c", script], options=())
    equal(sorted(it for it in os.listdir(lab.scratch) if it.startswith("s")), ["s", "s.old", "s.runs"], "what is left")


def case_places(lab, _source):
    """The older session becomes DIR.old, and kept runs of an older session stay."""
    for number in range(2):
        out = runs_for(lab, "khr:Vertices", "pass", lab.sample("--frames", "3"))
        true("the sessions of the runs are in" in out, out)
        folder = "s.runs" + ("", ".1")[number]
        equal(sorted(os.listdir(lab.path(folder))), ["set0", "set1"], "sessions of the runs")
        equal([one["session"] for one in merged(lab)["runs"]], [lab.path(f"{folder}/set{i}") for i in range(2)], "their names")
    equal(sorted(it for it in os.listdir(lab.scratch) if it.startswith("s")), ["s", "s.old", "s.runs", "s.runs.1"], "places")


def case_killed(lab, _source):
    """passprobe is killed in the second run: the sessions of the runs stay, and the next series is complete."""
    out = runs_for(lab, "khr:Vertices", "pass", shell(lab, 'test "$set" != 1 || kill -9 $PPID'), options=(), status=-9)
    true("agree" not in out, out)
    equal(os.listdir(lab.path("s")), [], "nothing was merged")
    equal(len(lab.rows("s.runs/set0", "frames")), FRAMES, "frames of the first run")
    out = runs_for(lab, "khr:Vertices", "pass", lab.sample("--frames", "3"), options=())
    true("15 of 15 passes, 3 of 3 frames agree in all 2 runs" in out, out)
    true(os.path.exists(lab.path("s.runs/set0/frames.csv")), "the runs of the killed series are still there")


def case_options(lab, _source):
    """Options that contradict each other, events that need no run, unknown events."""
    passprobe = os.path.join(lab.build, "bin", "passprobe")
    for words, why in ((("--runs-for", "khr", "-r", "2"), "--repeat"), (("--runs-for", "khr", "--only-set", "1"), "--only-set"),
                       (("--keep-runs",), "--keep-runs needs --runs-for"), (("--runs-for", "khr,,"), "--events"),
                       (("--runs-for", "kr:*"), "kr"), (("--runs-for", "x" * 4095), "too long")):
        out = lab.run([passprobe, "record", "-o", lab.path("s"), *words, "--", "true"], status=125)
        true(why in out, out)
    out = runs_for(lab, "pipeline", "pass", lab.sample("--frames", "3"), options=())
    true("--runs-for 'pipeline': on this machine these events need no further run" in out, out)
    equal(len(merged(lab)["runs"]), 1, "runs")
    out = runs_for(lab, "amd:*", "pass", lab.sample("--frames", "3"), options=())
    true("not measured" in out, out)


if __name__ == "__main__":
    main(globals(), PerfLab, lambda lab, _: (lab, ROOT))
