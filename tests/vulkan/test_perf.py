"""Hardware counters in Vulkan, with a layer that has fake counters and checks the extensions' rules: every counter of
every pass and draw has the value that the layer gave, the validation layer reports nothing, and every documented
refusal has its reason."""
import json
import math
import os
import re

from harness import ROOT, equal, fail, main, need_file
from layer import VALIDATION, messages, serialized_walk
from fake_vk_counters import KBLGT2, COUNTERS, DRAWS, SAMPLE, Metrics, PerfLab, VALIDATION_PATH, reads_of, values

EVENTS = "khr:Vertices,khr:Instances,khr:Balance,khr:GPU*,khr:Groups,khr:Weighted*,khr:Bytes*,khr:Time*,khr:Tiles*"
RADV = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json"


def commands_of(row, name):
    """Cells that depend on the number of recorded commands are compared with the given values, not computed."""
    return name in ("GPU active cycles_cycles", "Draw share_percent", "L2 cache hit ratio_bytes")


def check_row(row, work, what):
    """Compare a row's cells with the sample's commands. Returns the names that were measured."""
    found = values(row, "khr:")
    for name, value in found.items():
        if not commands_of(row, name):
            equal(value, COUNTERS[name](work + (0,)), "%s, %s" % (what, name))
    return set(found)


def fed(lab, names):
    """The results that the driver gave out, by the columns' names."""
    columns = {name.rsplit("_", 1)[0] if name.rsplit("_", 1)[-1] in ("cycles", "bytes", "ns", "percent", "hz") else name: name
               for name in names}
    return [{columns[name]: value for name, value in line["values"].items()} for line in lab.dump()]


def same(got, want):
    """Equality, with the precision of single floats."""
    return got.keys() == want.keys() and all(math.isclose(got[k], want[k], rel_tol=1e-6) for k in got)


def check_fed(lab, rows, names):
    """Rows with counters, in order, have the results that the driver gave out, in order."""
    got = [values(row, "khr:") for row in rows]
    got = [one for one in got if one]
    want = fed(lab, names)
    equal(len(got), len(want), "results")
    key = lambda one: sorted((k, round(float(v), 3)) for k, v in one.items())
    for a, b in zip(sorted(got, key=key), sorted(want, key=key)):
        if not same(a, b):
            fail("measured %r, fed %r" % (a, b))


def case_khr(lab, _source):
    """Level pass: sets rotate, each is exact in the frames that measured it, and frames are sums."""
    lab.record("s", "khr", EVENTS, "pass", lab.sample("--frames", "24", "--rerecord"))
    rows, frames = lab.rows("s", "passes"), lab.rows("s", "frames")
    measured = set()
    for i, row in enumerate(rows):
        measured |= check_row(row, SAMPLE[i % 5], "pass %d" % i)
    equal(measured, set(COUNTERS) | {"Draw share_percent"} & measured, "events measured")
    check_fed(lab, rows, measured)
    sets = lab.device("s")["event_sets"]
    if len(sets) < 3:
        fail("the events fit into %d sets" % len(sets))
    for frame in frames:
        found = values(frame, "khr:")
        mine = [values(row, "khr:") for row in rows if row["frame"] == frame["frame"]]
        for name, value in found.items():
            if name in ("Draw share_percent", "Clock_hz"):
                fail("%s was summed over passes" % name)
            if not math.isclose(value, sum(one[name] for one in mine), rel_tol=1e-6):
                fail("frame %s: %s is not the sum of its passes" % (frame["frame"], name))
    equal(len(frames), 24, "frames")


def turns(lab, name_of_session):
    """@return what a scaled value misses; None: nothing."""
    walk = os.path.join(lab.build, "tests", "layer-walk")
    env = lab.words("khr")
    out = lab.run([os.path.join(lab.build, "bin", "passprobe"), "stat", "-o", lab.path(name_of_session), "--frame-on", "submit",
                   "-l", "pass", "-e", "time," + EVENTS, "--", walk], WALK_CASES="varied", **env)
    if "VIOLATION" in out:
        fail(out[-2000:])
    frames = lab.rows(name_of_session, "frames")
    draws = [int(row["draws"]) for row in frames]
    equal(len(frames), 240, "frames")
    times = {"khr:Vertices": 3, "khr:Instances": 1, "khr:Weighted work": 7}
    stated = {name: (float(value.replace(",", "")), float(duty), float(spread)) for value, name, duty, spread in re.findall(
        r"^ +([0-9,.]+) +(khr:.+?)  scaled  duty ([0-9.]+)%, \+-([0-9.]+)%", out, re.MULTILINE)}
    for name, each in times.items():
        found = [(i, int(row[name])) for i, row in enumerate(frames) if row[name]]
        equal([value for _, value in found], [each * draws[i] for i, _ in found], name + " where measured")
        value, duty, spread = stated[name]
        truth = each * sum(draws[1:]) / len(draws[1:])
        what = "%s: stated %g +-%g%% at %g%%, in truth %g" % (name, value, spread, duty, truth)
        if not 30 <= duty <= 36:
            fail(what)
        if abs(value - truth) > value * spread / 100:
            return what
    return None


def case_turns(lab, _source):
    """Sets rotate over frames that differ: measured values are exact, and what `stat` scales up to all frames is as
    near to the truth as the spread that it states. That is a 95 % interval, which one run in 20 misses by chance: two more
    runs decide."""
    missed = [turns(lab, "s0")]
    if missed[0]:
        missed += [turns(lab, "s%d" % i) for i in (1, 2)]
    if sum(bool(one) for one in missed) > 1:
        fail(missed)


def measured_rows(lab, table):
    """Rows of the session `s`, and the counters of each."""
    return [(row["frame"], values(row, "khr:")) for row in lab.rows("s", table)]


def case_only_set(lab, _source):
    """--only-set: each number measures the same counters in all rows, whether command buffers are recorded again or not,
    and all numbers together measure every counter. 0 measures none."""
    for words in ("--rerecord",), ():
        lab.record("s", "khr", "time," + EVENTS, "pass", lab.sample("--frames", "6", *words), PASSPROBE_ONLY_SET="0")
        only = lab.device("s")["only_set"]
        equal((only["number"], only["around"]), (0, None), "only_set")
        equal([found for _, found in measured_rows(lab, "passes") if found], [], "counters without a set")
        if only["of"] < 3:
            fail("the events fit into %d sets" % only["of"])
        names = set()
        for number in range(1, only["of"] + 1):
            lab.record("s", "khr", "time," + EVENTS, "pass", lab.sample("--frames", "6", *words),
                       PASSPROBE_ONLY_SET=str(number))
            rows = lab.rows("s", "passes")
            mine = [check_row(row, SAMPLE[i % 5], "pass %d" % i) for i, row in enumerate(rows)]
            equal(len(mine), 30, "passes")
            equal([one for one in mine if one != mine[0]], [], "rows with other counters")
            if not mine[0] or mine[0] <= names:
                fail("set %d measures nothing new: %r" % (number, mine[0]))
            names |= mine[0]
        equal(names | {"Draw share_percent"}, set(COUNTERS) | {"Draw share_percent"}, "counters of all sets")


def case_only_set_draws(lab, _source):
    """--only-set at level draw: the first half of the numbers measures passes, the second half actions, in all frames."""
    events = "time,khr:Vertices,khr:Balance,khr:Instances"
    lab.record("s", "khr", events, "draw", lab.sample("--frames", "6"), PASSPROBE_ONLY_SET="0")
    numbers = lab.device("s")["only_set"]["of"]
    equal(numbers % 2, 0, "numbers")
    for words in ("--rerecord",), ():
        for number in range(1, numbers + 1):
            lab.record("s", "khr", events, "draw", lab.sample("--frames", "6", *words), PASSPROBE_ONLY_SET=str(number))
            actions = number > numbers // 2
            equal(lab.device("s")["only_set"]["around"], "actions" if actions else "passes", "around")
            draws = [bool(found) for _, found in measured_rows(lab, "draws")]
            equal(draws, [actions] * 6 * len(DRAWS), "draws with counters")
            equal([frame for frame, found in measured_rows(lab, "passes") if not found], [], "passes without counters")
            for i, row in enumerate(lab.rows("s", "draws") if actions else []):
                check_row(row, DRAWS[i % len(DRAWS)], "draw %d" % i)


def case_recorded_once(lab, _source):
    """Command buffers that are recorded once and submitted again and again: each set is measured by one of them."""
    lab.record("s", "khr", "khr:Vertices,khr:Balance,khr:Instances", "pass", lab.sample("--frames", "12"))
    measured = set()
    for i, row in enumerate(lab.rows("s", "passes")):
        measured |= check_row(row, SAMPLE[i % 5], "pass %d" % i)
    equal(measured, {"Vertices", "Balance", "Instances"}, "events measured")
    if "keeps those that it was recorded with" not in str(lab.reasons("s")):
        fail("nothing says why each is measured in some only: %r" % lab.reasons("s"))


def case_two_sets(lab, _source):
    """Command buffers with different sets in one submission, passes that consist of two of them, one pair with an idle
    buffer between: values are true, and values that cannot be summed are reported as missing."""
    walk = [os.path.join(lab.build, "tests", "layer-walk")]
    for fake, events, each in (("khr multiple", "khr:Vertices,khr:Instances,khr:Balance", {"Vertices": 3, "Instances": 1}),
                               ("intel", "oa:RenderBasic,oa:ComputeBasic", {"VsThreads": 1025})):
        for level in "frame", "pass", "draw":
            lab.record("s", fake, events, level, walk, WALK_CASES="kept", PASSPROBE_FRAME_ON="submit")
            seen = set()
            for table in "frames", "passes":
                for row in lab.rows("s", table):
                    for name, value in values(row, events.split(":")[0] + ":").items():
                        if name in each and each[name] != 1025:
                            equal(value, each[name] * int(row["draws"]), "%s of %s at level %s" % (name, table, level))
                        elif name in each:
                            equal(value // 1025, int(row["draws"]), "%s of %s at level %s" % (name, table, level))
                        seen.add((table, name))
            if level == "frame":
                equal({name for table, name in seen if table == "frames"}, set(), "sums over different sets")
            # In one submission Intel's unit counts one set: metrics of a command buffer with another set would be
            # meaningless.
            for frame in {row["frame"] for row in lab.rows("s", "passes")}:
                rows = [values(row, "oa:") for row in lab.rows("s", "passes") if row["frame"] == frame]
                sets = [any(name in row for row in rows) for name in ("VsFpu0Active_percent", "TypedBytesRead_bytes")]
                if all(sets):
                    fail("passes of frame %s were measured by both sets" % frame)
            reasons = str(lab.reasons("s"))
            if "all of them were measured in one way" not in reasons or "keeps those that it was recorded with" not in reasons:
                fail("at level %s nothing says why: %r" % (level, reasons))
    # One set: command buffers alternate between passes and actions, whatever they contain.
    lab.record("one", "khr", "khr:Vertices", "draw", walk, WALK_CASES="kept", PASSPROBE_FRAME_ON="submit")
    for row in lab.rows("one", "passes"):
        drawn = 3 * int(row["draws"])
        equal(values(row, "khr:").get("Vertices", drawn), drawn, "vertices of a pass of %s draws" % row["draws"])


def case_draws(lab, _source):
    """Level draw: actions are measured in some frames, passes in the others; where actions are measured, a pass is
    their sum."""
    lab.record("s", "khr", "khr:Vertices,khr:Instances,khr:Groups", "draw",
               lab.sample("--frames", "40", "--rerecord"))
    draws, passes = lab.rows("s", "draws"), lab.rows("s", "passes")
    by_work = {row["frame"] for row in draws if values(row, "khr:")}
    if not by_work or len(by_work) == 40:
        fail("%d of 40 frames measured draws" % len(by_work))
    for i, row in enumerate(draws):
        measured = check_row(row, DRAWS[i % 8], "draw %d" % i)
        equal(bool(measured), row["frame"] in by_work, "draw %d is measured" % i)
    for i, row in enumerate(passes):
        equal(check_row(row, SAMPLE[i % 5], "pass %d" % i), {"Vertices", "Instances", "Groups"}, "pass %d" % i)


def case_draws_turns(lab, _source):
    """Level draw with sets that rotate: whichever set a frame's draws have, its passes and the frame are their sums."""
    lab.record("s", "khr", "khr:Vertices,khr:Instances,khr:Balance", "draw", lab.sample("--frames", "40", "--rerecord"))
    equal(len(lab.device("s")["event_sets"]), 2, "sets")
    draws, passes = lab.rows("s", "draws"), lab.rows("s", "passes")
    seen = set()
    for i, row in enumerate(draws):
        measured = check_row(row, DRAWS[i % 8], "draw %d" % i)
        one = passes[int(row["frame"]) * 5 + int(row["pass"])]
        if measured:
            equal(set(values(one, "khr:")), measured, "pass %s of frame %s is the sum" % (row["pass"], row["frame"]))
            seen.add(tuple(sorted(measured)))
    equal(seen, {("Instances", "Vertices"), ("Balance",)}, "sets that draws were measured with")
    for i, row in enumerate(passes):
        if not check_row(row, SAMPLE[i % 5], "pass %d" % i):
            fail("pass %d has no counters" % i)
    for row in lab.rows("s", "frames"):
        found = values(row, "khr:")
        mine = [values(one, "khr:") for one in passes if one["frame"] == row["frame"]]
        equal(found, {name: sum(one[name] for one in mine) for name in mine[0]}, "frame %s" % row["frame"])


# Numbers of draws, dispatches, copies and clears of a command whose arguments are zeroes.
EVERY = (("vkCmdDrawMulti(Indexed)?EXT", (0, 0, 0, 0)), ("vkCmd(Draw|ExecuteGenerated|SubpassShading)", (1, 0, 0, 0)),
         (r"vkCmd(Dispatch|CuLaunch|Preprocess|TraceRays|Build)", (0, 1, 0, 0)), ("vkCmdClear", (0, 0, 0, 1)),
         ("vkCmd(Copy|Blit|Resolve|Fill|Update|DecompressMemory|Write)", (0, 0, 1, 0)))


def case_every(lab, _source):
    """Every command that makes the GPU work, by each of its names: the row of the action has exactly the command's
    counts; a pass, which is measured by itself, has the sum."""
    lab.record("s", "khr", "khr:Time*,khr:Weighted*", "draw", [os.path.join(lab.build, "tests", "layer-all-commands"), "4"],
               driver=os.path.join(lab.build, "tests", "fake-vulkan.json"), PASSPROBE_FRAME_ON="submit")
    rows, want, measured = lab.rows("s", "draws"), {}, 0
    for row in rows:
        draws, dispatches, copies, clears = next(one for begins, one in EVERY if re.match(begins, row["call"]))
        work = (draws, 0, 0, dispatches, 0, copies, 0, 1, clears)
        expected = {name: COUNTERS[name](work) for name in ("Time busy_ns", "Weighted work")}
        one = want.setdefault((row["frame"], row["pass"]), dict.fromkeys(expected, 0))
        for name, value in expected.items():
            one[name] += value
        if values(row, "khr:"):
            measured += 1
            equal(values(row, "khr:"), expected, row["call"])
    passes = lab.rows("s", "passes")
    equal([values(row, "khr:") for row in passes], [want[row["frame"], row["pass"]] for row in passes], "passes")
    equal((len(rows) // 4 * 2, len(rows) > 4 * 70), (measured, True), "draws measured")


def case_frame(lab, _source):
    """Level frame: whole command buffers, with the counters that have this scope."""
    lab.record("s", "khr", "khr:Vertices,khr:Buffer*", "frame", lab.sample("--frames", "12", "--rerecord"))
    found = [values(row, "khr:") for row in lab.rows("s", "frames")]
    equal({one.get("Vertices", 205) for one in found}, {205}, "vertices")
    if not any("Buffer commands" in one for one in found) or not any("Vertices" in one for one in found):
        fail("a set was never measured: %r" % found)
    check_fed(lab, lab.rows("s", "frames"), {"Vertices", "Buffer commands"})


def case_whole(lab, _source):
    """Every counter has the scope of a command buffer: nothing is measured at level pass, where a buffer has five
    passes; a note says so."""
    lab.record("s", "khr like=turnip", "khr:Vertices", "pass", lab.sample("--frames", "4", "--rerecord"))
    for row in lab.rows("s", "passes"):
        equal(values(row, "khr:"), {}, "a pass of a shared command buffer")
    if not any("whole command buffers" in note for note in lab.device("s")["notes"]):
        fail("no note of it")
    lab.record("f", "khr like=turnip", "khr:Vertices", "frame", lab.sample("--frames", "4", "--rerecord"))
    equal([values(row, "khr:") for row in lab.rows("f", "frames")], [{"Vertices": 205}] * 4, "frames")


def case_families(lab, _source):
    """Counters belong to a queue family: where only the second family has counters, only its actions have values."""
    lab.fake = os.path.join(lab.build, "tests", "fake-vulkan.json")
    walk = [os.path.join(lab.build, "tests", "layer-walk")]
    for fake, kind, other in (("khr family=1", "compute", "render"), ("khr", "render", "transfer")):
        lab.record(fake, fake, "khr:Groups,khr:Vertices", "pass", walk, driver=lab.fake, FAKE_VK="families=3")
        rows = lab.rows(fake, "passes")
        own = [row for row in rows if row["queue"].startswith("compute")]
        measured = own if fake != "khr" else [row for row in rows if row["label"] in ("resubmitted", "anew")]
        equal({row["kind"] for row in measured}, {kind}, fake + ": kinds of passes on the family")
        for row in measured:
            equal(values(row, "khr:"), {"Groups": 3 * (kind == "compute"), "Vertices": 3 * int(row["draws"])}, fake)
        for row in rows:
            if row["queue"].startswith("graphics") == (fake != "khr"):
                equal(values(row, "khr:"), {}, "%s: %s on queue %s" % (fake, row["kind"], row["queue"]))
        if other not in {row["kind"] for row in rows}:
            fail("%s: nothing else was done" % fake)
        if "counters of queues of several families" not in lab.reasons(fake):
            fail("%s: nothing says why: %r" % (fake, lab.reasons(fake)))


def case_scopes(lab, _source):
    """Counters whose scope is a render pass or a command buffer, in addition to those of commands: each is measured
    where its scope allows it, at every level. A pass that is alone in its command buffer has the buffer's values."""
    lab.record("d", "khr", "khr:Vertices,khr:Tiles*,khr:Buffer*", "draw", lab.sample("--frames", "60", "--rerecord"))
    for i, row in enumerate(lab.rows("d", "draws")):
        outside = i % 8 in (4, 6, 7)  # counters of render passes: a query of either scope may be there
        if set(values(row, "khr:")) - ({"Vertices", "Tiles loaded"} if outside else {"Vertices"}):
            fail("a draw has counters of a wider scope: %r" % values(row, "khr:"))
    tiles = [(i % 5, values(row, "khr:")["Tiles loaded"]) for i, row in enumerate(lab.rows("d", "passes"))
             if "Tiles loaded" in values(row, "khr:")]
    if len(tiles) < 15:
        fail("%d passes have their tiles" % len(tiles))
    for i, value in tiles:
        equal(value, COUNTERS["Tiles loaded"](SAMPLE[i] + (0,)), "tiles of pass %d" % i)
    walk = [os.path.join(lab.build, "tests", "layer-walk")]
    lab.record("w", "khr like=turnip", "khr:Vertices", "pass", walk, WALK_CASES="varied")
    rows = lab.rows("w", "passes")
    equal([values(row, "khr:") for row in rows], [{"Vertices": 3 * int(row["draws"])} for row in rows], "passes alone")


def case_secondary(lab, _source):
    """A pass from a secondary command buffer: one pool that both command buffers may use, or several pools."""
    for fake, events in (("khr", "khr:Vertices"), ("khr multiple", "khr:Vertices,khr:Instances,khr:Balance")):
        lab.record(fake, fake, events, "pass", lab.sample("--frames", "12", "--rerecord", "--secondary"))
        for i, row in enumerate(lab.rows(fake, "passes")):
            work = SAMPLE[i % 5]
            for name, value in values(row, "khr:").items():
                equal(value, COUNTERS[name](work + (0,)), "%s, pass %d, %s" % (fake, i, name))
        scene = [row for i, row in enumerate(lab.rows(fake, "passes")) if i % 5 == 1]
        if not any(values(row, "khr:") for row in scene):
            fail("%s: the secondary is not measured" % fake)
    lab.record("t", "khr", "khr:Vertices,khr:Instances,khr:Balance", "pass",
               lab.sample("--frames", "4", "--rerecord", "--secondary"))
    for i, row in enumerate(lab.rows("t", "passes")):
        if i % 5 == 1:
            equal(values(row, "khr:"), {}, "a secondary where two pools would be needed")
    if "counters of secondary command buffers" not in lab.reasons("t"):
        fail("no reason: %r" % lab.reasons("t"))


def case_unforeseen_secondaries(lab, source):
    """Secondary command buffers whose queries could not be foreseen: at level frame the counts around, inside and in
    them add up, or are reported as missing."""
    need_file(VALIDATION_PATH + "/VkLayer_khronos_validation.json", "the validation layer")
    walk = [os.path.join(lab.build, "tests", "layer-walk")]
    for level in ("frame", "pass", "draw"):
        out = lab.record(level, "khr", "khr:Vertices,khr:Balance", level, walk, WALK_CASES="unforeseen secondaries", PASSPROBE_FRAME_ON="submit")
        equal(messages(out), {}, "complaints at level " + level)
    rows = lab.rows("frame", "frames")
    found = [values(row, "khr:") for row in rows]
    for row, got in zip(rows, found):
        draws = int(row["draws"])
        for name, value in got.items():
            if name in ("Vertices", "Balance"):
                equal(value, COUNTERS[name]((draws, 3 * draws, draws, 0, 0, 0, 0)), name)
    equal([int(row["draws"]) for row in rows], [10, 5] * 3, "frames")
    # a state has no sum over parts, whether it is a fraction or a whole number
    lab.record("c", "khr", "khr:Clock,khr:Draw share", "frame", walk, WALK_CASES="unforeseen secondaries", PASSPROBE_FRAME_ON="submit")
    equal([{name: round(value) for name, value in values(row, "khr:").items()} for row in lab.rows("c", "frames")],
          [{}, {"Clock_hz": 5000000, "Draw share_percent": 83}] * 3, "states of a frame in parts")
    if not all(found):
        fail("frames without counters: %r" % found)
    lab.record("t", "khr", "khr:Tiles*", "frame", walk, WALK_CASES="unforeseen secondaries", PASSPROBE_FRAME_ON="submit")
    equal(["Tiles loaded" in values(row, "khr:") for row in lab.rows("t", "frames")], [False, True] * 3, "tiles")
    if "cannot be counted in parts" not in lab.reasons("t").get("counters of command buffers as a whole", ""):
        fail("no reason for tiles: %r" % lab.reasons("t"))
    # counters of whole command buffers, which are divided there: this is allowed, and values are true
    for fake, events in ("khr", "khr:Buffer*"), ("khr like=turnip", "khr:Vertices"):
        for level in "frame", "pass", "draw":
            out = lab.record("w", fake, events, level, walk, True, WALK_CASES="unforeseen secondaries", PASSPROBE_FRAME_ON="submit")
            # validation reports this even for a query that is alone in its command buffer: see spoken()
            equal(set(messages(out)) - {"VUID-vkCmdEndQuery-queryPool-03227"}, set(), "%s at level %s" % (events, level))
            for row in lab.rows("w", "frames"):
                equal(values(row, "khr:").get("Vertices", 3 * int(row["draws"])), 3 * int(row["draws"]), "vertices")
            if "cannot be counted in parts" not in str(lab.reasons("w")):
                fail("no reason: %r" % lab.reasons("w"))
    lab.record("i", "intel", "oa:RenderBasic", "frame", walk, WALK_CASES="unforeseen secondaries", PASSPROBE_FRAME_ON="submit")
    rows = lab.rows("i", "frames")
    equal([values(row, "oa:").get("VsThreads", 0) // 1025 for row in rows], [int(row["draws"]) for row in rows],
          "threads, 1025 a draw")


def case_suspended(lab, _source):
    """Passes that are suspended and resumed, over three command buffers: no query is between them, at no level, and
    values are true. Counters of whole command buffers are measured up to the first of these, because no query may span
    its parts."""
    walk = [os.path.join(lab.build, "tests", "layer-walk")]
    for fake in "khr", "khr like=turnip", "intel":
        events, name = ("oa:RenderBasic", "VsThreads") if fake == "intel" else ("khr:Vertices", "Vertices")
        each = 1025 if fake == "intel" else 3
        for level in "frame", "pass", "draw":
            lab.record("s", fake, events, level, walk, WALK_CASES="suspended", PASSPROBE_FRAME_ON="submit")
            frames = lab.rows("s", "frames")
            equal([int(row["draws"]) for row in frames], [4, 6, 6] * 4, "draws with %s at level %s" % (fake, level))
            for table in "frames", "passes", "draws" if level == "draw" else "frames":
                for row in lab.rows("s", table):
                    draws = 1 if table == "draws" else int(row["draws"])
                    found = values(row, events.split(":")[0] + ":").get(name)
                    if found is not None:
                        equal(found // each, draws, "%s of %s at level %s with %s" % (name, table, level, fake))
            if not values(frames[0], events.split(":")[0] + ":"):
                fail("%s at level %s: nothing was measured in front of the first" % (fake, level))
            if level == "frame" and "render passes that are suspended" not in str(lab.reasons("s")):
                fail("%s: nothing says why: %r" % (fake, lab.reasons("s")))


def case_by_host(lab, source):
    """A submission waits for the host, and passprobe does not keep the host from going on, although lavapipe's
    vkGetQueryPoolResults waits for everything that was submitted; with command buffers that are recorded in parts, too.
    """
    walk = [os.path.join(lab.build, "tests", "layer-walk")]
    for events in "khr:Buffer*", "khr:Vertices,khr:Buffer*":
        for level in "frame", "pass", "draw":
            lab.record("s", "khr", "time," + events, level, walk, WALK_CASES="by semaphore")
            if level != "frame":
                equal([row["label"] for row in lab.rows("s", "passes") if not row["gpu_time_ns"]], [], "without times")


def case_oa(lab, source):
    """Intel's raw results: every metric of a set, computed here by a second implementation, for every pass; sets
    rotate."""
    lab.record("s", "intel", "oa:RenderBasic,oa:ComputeBasic", "pass", lab.sample("--frames", "16", "--rerecord"))
    sets = {name: Metrics(source, name) for name in ("RenderBasic", "ComputeBasic")}
    rows = [row for row in lab.rows("s", "passes") if values(row, "oa:")]
    lines = lab.dump()
    equal(len(rows), 16 * 5, "passes with metrics")
    equal(len(lines), len(rows), "results")
    by_clock, seen = {}, {}
    for line in lines:
        by_clock.setdefault(line["GPU_CLOCK"], []).append(line)
    for row in rows:
        found = values(row, "oa:")
        line = by_clock[found["GpuCoreClocks_cycles"]][0]
        name = "RenderBasic" if row["oa:VsFpu0Active_percent"] else "ComputeBasic"
        seen[name] = seen.get(name, 0) + 1
        check_metrics(sets[name], found, reads_of(line), name)
        if name == "RenderBasic" and not row["bound_by"]:
            fail("no bottleneck of pass %s of frame %s" % (row["pass"], row["frame"]))
    equal(set(seen), set(sets), "sets measured")
    # The unit's configuration during the measurement: a hash of its registers.
    programs = [line["set"] for line in lines]
    equal(sorted(programs.count(one) for one in set(programs)), sorted(seen.values()), "results of each program")


def case_oa_fused(lab, source):
    """Metrics that divide by the number of units use the number that the kernel reports for this part."""
    lab.record("s", "intel fused", "oa:RenderBasic", "pass", lab.sample("--frames", "3", "--rerecord"))
    KBLGT2.update(EuCoresTotalCount=12, EuSubslicesTotalCount=2, SubsliceMask=5, DualSubsliceMask=5)
    metrics = Metrics(source, "RenderBasic")
    by_clock = {line["GPU_CLOCK"]: line for line in lab.dump()}
    rows = [values(row, "oa:") for row in lab.rows("s", "passes")]
    equal(len(rows), 3 * 5, "passes with metrics")
    for found in rows:
        check_metrics(metrics, found, reads_of(by_clock[found["GpuCoreClocks_cycles"]]), "RenderBasic")


def case_oa_clocks(lab, source):
    """The highest clock comes from the sysfs folder of the device's own card, whatever the device is called."""
    card = os.path.join(lab.path("sysfs"), "device", "drm", "card7")
    os.makedirs(card)
    for name, mhz in ("gt_min_freq_mhz", 300), ("gt_max_freq_mhz", 1150):
        with open(os.path.join(card, name), "w", encoding="ascii") as file:
            file.write("%d\n" % mhz)
    lab.record("s", "intel pci=9b41", None, "pass", lab.sample("--frames", "2", "--rerecord"),
               FAKE_VK_PERF_SYSFS=lab.path("sysfs"))
    equal({row["oa:AvgGpuCoreFrequency.max_hz"] for row in lab.rows("s", "passes")}, {"1150000000"}, "highest clocks")


def check_metrics(metrics, found, reads, name):
    """Check all metrics of one row."""
    count = 0
    for column, value in found.items():
        symbol = column.rsplit("_", 1)[0] if column.rsplit("_", 1)[-1] in ("ns", "cycles", "hz", "percent", "bytes") else column
        symbol, is_maximum, _ = symbol.partition(".max")
        if symbol not in metrics.counter or not metrics.available(symbol):
            fail("%s has no %s" % (name, symbol))
        want = metrics.maximum(symbol, reads) if is_maximum else metrics.value(symbol, reads)
        if not math.isclose(value, want, rel_tol=1e-9):
            fail("%s.%s: measured %r, want %r" % (name, symbol, value, want))
        count += not is_maximum
    equal(count, sum(metrics.available(symbol) for symbol in metrics.counter), "metrics of " + name)


def case_oa_draws(lab, _source):
    """At level draw a metric of a pass is computed from the sum of its draws' raw counts."""
    lab.record("s", "intel", "oa:RenderBasic.VsThreads,oa:RenderBasic.GpuTime", "draw",
               lab.sample("--frames", "24", "--rerecord"))
    draws, compared = {}, 0
    for row in lab.rows("s", "draws"):
        if row["oa:VsThreads"]:
            draws.setdefault((row["frame"], row["pass"]), []).append(int(row["oa:VsThreads"]))
    for row in lab.rows("s", "passes"):
        key = (row["frame"], row["pass"])
        if key in draws:
            equal(int(row["oa:VsThreads"]), sum(draws[key]), "threads of pass %s" % (key,))
            compared += 1
    if not compared or compared == 24 * 5:
        fail("%d passes were sums of draws" % compared)


def case_preset(lab, _source):
    """Without -e: the driver's first set that fits, Intel's basic set; nothing where measuring disturbs."""
    for fake, source in (("khr", "khr:"), ("intel", "oa:"), ("khr intel", "oa:"), ("khr like=radv", None),
                         ("khr like=v3dv", None)):
        lab.record(fake, fake, None, "pass", lab.sample("--frames", "3", "--rerecord"))
        sources = {name.split(":")[0] + ":" for name in lab.rows(fake, "passes")[0] if ":" in name}
        equal(sources & {"khr:", "oa:"}, {source} - {None}, "sources of " + fake)


def case_preset_refused(lab, _source):
    """Without -e, session.json has the reason why there is no default set, where the driver could have one."""
    for fake, source, words in (("khr lock=timeout", "khr", "lock"), ("khr intel config=eacces", "oa", "perf_stream_paranoid"),
                                ("khr lock=timeout like=radv", "khr", None), ("", "khr", None)):
        lab.record("s", fake, None, "pass", lab.sample("--frames", "2", "--rerecord"))
        reason = lab.reasons("s").get(source)
        if (reason is None) != (words is None) or (words and words not in reason):
            fail("%s: the reason is %r" % (fake, reason))


def case_pool_refused(lab, _source):
    """The driver refuses a query pool: its events are named as not measured."""
    lab.record("s", "khr pool=memory", "khr:Vertices,khr:Balance,khr:Instances", "pass",
               lab.sample("--frames", "2", "--rerecord"))
    for name in "Vertices", "Balance", "Instances":
        if "query pool" not in lab.reasons("s").get("khr:" + name, ""):
            fail("reasons: %r" % lab.reasons("s"))


def case_quirks(lab, _source):
    """Known faults of drivers: RADV's ratios are percents, V3DV is measured around passes only."""
    lab.record("r", "khr like=radv", "khr:L2*", "pass", lab.sample("--frames", "3", "--rerecord"))
    row = lab.rows("r", "passes")[0]
    if "khr:L2 cache hit ratio_percent" not in row:
        fail("RADV's ratio: %r" % [name for name in row if name.startswith("khr:")])
    if not any("pins the GPU's clocks" in note for note in lab.device("r")["notes"]):
        fail("no note of pinned clocks")
    for fake, words in (("khr like=v3dv", "counts whole jobs"), ("khr like=turnip", "wait between actions")):
        lab.record("n", fake, "khr:Vertices", "frame", lab.sample("--frames", "2"))
        if not any(words in note for note in lab.device("n")["notes"]):
            fail("%s: notes %r" % (fake, lab.device("n")["notes"]))
    lab.record("v", "khr like=v3dv", "khr:Vertices", "draw", lab.sample("--frames", "24", "--rerecord"))
    for i, row in enumerate(lab.rows("v", "draws")):
        if i % 8 not in (4, 6, 7):
            equal(values(row, "khr:"), {}, "a draw inside a pass on V3DV")


REFUSALS = (
    ("khr lock=timeout", "khr", "khr", "lock"),
    ("khr lock=timeout like=anv", "khr", "khr", "perf_stream_paranoid"),
    ("khr lock=timeout like=radv", "khr", "khr", "root"),
    ("khr lock=timeout like=turnip", "khr", "khr", "TU_DEBUG=perfc"),
    ("khr lock=memory", "khr", "khr", "lock"),
    ("khr pool=memory", "khr:Vertices", "khr", "query pool"),
    ("khr refuse", "khr", "khr", "refused"),
    ("", "khr", "khr", "lacks VK_KHR_performance_query"),
    ("", "oa", "oa", "lacks VK_INTEL_performance_query"),
    ("intel init=fail", "oa", "oa", "vkInitializePerformanceApiINTEL"),
    ("intel acquire=incomplete", "oa", "oa", "vkAcquirePerformanceConfigurationINTEL"),
    ("intel queue=fail", "oa", "oa", "vkQueueSetPerformanceConfigurationINTEL"),
    ("intel config=eacces", "oa", "oa", "perf_stream_paranoid"),
    ("intel config=eexist", "oa", "oa", "another program"),
    ("intel refuse", "oa", "oa", "refused"),
    ("intel pool=memory", "oa:RenderBasic", "oa", "query pool"),
)


def case_refusals(lab, _source):
    """Every way to refuse counters: the application runs, its passes are timed, session.json has the reason."""
    for fake, events, source, words in REFUSALS:
        lab.record(fake or source, fake, "time,pipeline," + events, "pass", lab.sample("--frames", "3", "--rerecord"))
        rows = lab.rows(fake or source, "passes")
        rows = [row for row in rows if row["kind"] != "barrier"]  # with like=anv
        equal(len(rows), 15, "passes with " + fake)
        for row in rows:
            if not row["gpu_time_ns"] or not row["pipeline:input_assembly_vertices"]:
                fail("%s: the rest is not measured either" % fake)
            equal(values(row, source + ":"), {}, "counters with " + fake)
        reason = " ".join(text for event, text in lab.reasons(fake or source).items() if event.startswith(source))
        if words not in reason:
            fail("%s: the reason is %r" % (fake, reason))


def case_fallback(lab, _source):
    """Both extensions, but the kernel accepts no metric set: khr is measured."""
    lab.record("s", "khr intel config=eacces", None, "pass", lab.sample("--frames", "2", "--rerecord"))
    if not values(lab.rows("s", "passes")[0], "khr:"):
        fail("nothing was measured")


def case_driver_faults(lab, _source):
    """What a version of Mesa is known to do wrong is not asked for, and the reason is given in a session and by `list`.
    Kaby Lake, then Tiger Lake, which the second fault spares. `khr` of ANV is measured on request only."""
    old, new = "13 GB", "value of another counter"
    for version, pci, events, measured, refused, words in (
            ("22.3.6", "5916", None, set(), "oa", old), ("22.3.6", "9a49", None, set(), "oa", old),
            ("22.3.6", "5916", "time,khr", {"khr:"}, None, None), ("22.3.6", "9a49", "time,khr", {"khr:"}, None, None),
            ("25.0.7", "5916", None, {"oa:"}, None, None), ("25.0.7", "9a49", None, {"oa:"}, None, None)):
        fake = "khr intel like=anv version=%s pci=%s" % (version, pci)
        lab.record("s", fake, events, "pass", lab.sample("--frames", "2", "--rerecord"))
        rows = lab.rows("s", "passes")  # sets of counters take turns
        equal({source for source in ("khr:", "oa:") if any(values(row, source) for row in rows)}, measured, "measured with " + fake)
        reasons = {event: reason for event, reason in lab.reasons("s").items() if event in ("khr", "oa")}
        # this machine has no kernel's oa to measure in its place
        equal("on request only" in reasons.pop("khr", ""), not measured, "khr with " + fake)
        equal({event: words in reason for event, reason in reasons.items()}, {refused: True} if refused else {}, "reasons with " + fake)
    for version, source, words in ("22.3.6", "oa", old), ("25.0.7", "khr", new):
        fake = "khr intel like=anv version=%s" % version
        lab.record("s", fake, "time," + source, "pass", lab.sample("--frames", "2", "--rerecord"))
        if not any(words in reason for event, reason in lab.reasons("s").items() if event.startswith(source)):
            fail("-e %s with %s: reasons %r" % (source, fake, lab.reasons("s")))
        out = lab.run([os.path.join(lab.build, "bin", "passprobe"), "list", "-e", source], **lab.words(fake))
        if words not in " ".join(out.split()):
            fail("list -e %s with %s:\n%s" % (source, fake, out))
    # without the extension that would be right, the wrong numbers are not measured either
    lab.record("s", "khr like=anv version=25.0.7", "time,khr:*", "pass", lab.sample("--frames", "2", "--rerecord"))
    equal(values(lab.rows("s", "passes")[0], "khr:"), {}, "counters of another counter's value")
    if new not in lab.reasons("s").get("khr", ""):
        fail("reasons %r" % lab.reasons("s"))


def case_unit_busy(lab, _source):
    """The kernel refuses the OA unit to the first queue: the summary says so, and `khr` is tried, but not on ANV."""
    for fake, measured, refused in (("khr intel queue=fail", True, {"oa"}),
                                    ("khr intel queue=fail like=anv", False, {"oa"}),
                                    ("intel queue=fail", False, {"oa"})):
        env = lab.words(fake)
        out = lab.run([os.path.join(lab.build, "bin", "passprobe"), "stat", "-v", "-o", lab.path("s"), "-l", "pass", "--",
                       *lab.sample("--frames", "2", "--rerecord")], **env)
        equal(bool(values(lab.rows("s", "passes")[0], "khr:")), measured, "khr is measured with " + fake)
        reasons = {event: reason for event, reason in lab.reasons("s").items() if event in ("khr", "oa")}
        equal(set(reasons), refused, "reasons with " + fake)
        for reason in reasons.values():
            if "perf_stream_paranoid" not in reason or "another profiler" not in reason:
                fail("no advice in %r" % reason)
        if "perf_stream_paranoid" not in out:
            fail("the summary says nothing of it:\n" + out)


def case_contradictions(lab, _source):
    """A driver that gives each counter the value of another one, and that no table knows: its cells are empty from the
    frame on in which that is proved, everywhere, with the reason. The rest is measured on."""
    for level in "pass", "draw", "frame":
        command = lab.sample("--frames", "24", "--rerecord")
        env = lab.words("intel shifted")
        out = lab.run([os.path.join(lab.build, "bin", "passprobe"), "stat", "-v", "-o", lab.path("s"), "-l", level, "--",
                       *command],
                      **env)
        reason = lab.reasons("s").get("oa", "")
        if level == "frame":  # without statistics, and with draws in each frame, nothing contradicts this
            equal(reason, "", "the reason at level frame")
            continue
        found = re.search(r"contradict each other: .*empty from frame ([0-9]+) on", reason)
        if not found or "contradict" not in out:
            fail("nothing is said at level %s: %r\n%s" % (level, reason, out))
        first = int(found.group(1))
        if first > 12:
            fail("found as late as in frame %d" % first)
        for table in ("frames", "passes", "labels") + (("draws",) if level == "draw" else ()):
            rows = [row for row in lab.rows("s", table) if int(row["frame"]) >= first]
            equal([values(row, "oa:") for row in rows if values(row, "oa:")], [], "counters in %s at level %s" % (table, level))
        for row in lab.rows("s", "passes"):
            if not row["gpu_time_ns"] or not row["pipeline:input_assembly_vertices"]:
                fail("the rest is not measured either")
            if int(row["frame"]) >= first and row["bound_by"]:
                fail("a bottleneck of wrong counters: %r" % row["bound_by"])
        cells = json.loads(lab.text("s"))["empty_cells"]
        if not any("oa:" in str(cell) for cell in cells):
            fail("empty cells without a reason: %r" % cells)
    # the same driver without the fault
    lab.record("good", "intel", None, "pass", lab.sample("--frames", "24", "--rerecord"))
    equal(lab.reasons("good").get("oa"), None, "the reason of a sound driver")
    if not all(values(row, "oa:") for row in lab.rows("good", "passes")):
        fail("a sound driver is not measured")


def case_reset(lab, _source):
    """Resetting a command buffer frees its queries, whether it is recorded anew or not."""
    lab.record("s", "khr", "khr:Vertices", "pass", [os.path.join(lab.build, "tests", "layer-walk")], WALK_CASES="reset",
               PASSPROBE_FRAME_ON="submit")
    rows = lab.rows("s", "frames")
    equal([values(row, "khr:") for row in rows], [{"Vertices": 3 * 256}] * 24, "frames")


def case_app_queries(lab, _source):
    """An application that uses VK_KHR_performance_query itself has the extension for itself."""
    out = lab.record("s", "khr", "khr,time", "pass", [os.path.join(lab.build, "tests", "layer-null-device"), "own"])
    if "own: 0" not in out:
        fail("the application could not use its own queries: " + out)
    if "itself" not in lab.reasons("s").get("khr", ""):
        fail("reasons: %r" % lab.reasons("s"))
    # On Intel's GPUs the other extension needs the same unit: passprobe uses neither, nor the kernel's stream, whether
    # -e names it or not.
    for events in "oa,khr,time", "":
        out = lab.record("i", "khr intel", events, "pass", [os.path.join(lab.build, "tests", "layer-null-device"), "own"])
        if "own: 0" not in out:
            fail("with Intel's extension the application could not use its own queries: " + out)
        for source in ("oa", "khr") if events else ():
            if "itself" not in lab.reasons("i").get(source, ""):
                fail("reasons on Intel's: %r" % lab.reasons("i"))
        for row in lab.rows("i", "frames"):
            equal((values(row, "oa:"), values(row, "khr:")), ({}, {}), "counters of an application that has its own queries")


VARIANTS = (("--rerecord",), (), ("--rerecord", "--secondary"), ("--rerecord", "--renderpass", "dynamic"), ("--query",))


ALONE = []  # the messages of the control, after its run


def spoken(lab, *what):
    """Messages of validation in a run, without those about allowed use: the layers of 1.3.239 report a query of the
    scope of a command buffer as last command, even if it is alone in its buffer."""
    if not ALONE:
        ALONE.append(messages(lab.run([os.path.join(lab.build, "tests", "layer-null-device"), "own"],
                                      **lab.words("khr", True))))
    alone = ALONE[0]
    if set(alone) - {"VUID-vkCmdEndQuery-queryPool-03227"}:
        fail("the control: %r" % alone)
    return {name: count for name, count in messages(lab.record("s", *what[:4], True, **dict(what[4:]))).items()
            if name not in alone}


def case_below(lab, _source):
    """Validation between passprobe and the driver reports nothing: variants of the sample, and the walk."""
    need_file(VALIDATION_PATH + "/VkLayer_khronos_validation.json", "the validation layer")
    walk = [os.path.join(lab.build, "tests", "layer-walk")]
    for fake, events, variants in (("khr", "khr", VARIANTS), ("khr multiple", "khr", VARIANTS[2:3]),
                                   ("intel", "oa:RenderBasic,oa:ComputeBasic", VARIANTS[:1])):
        for level in "pass", "draw", "frame":
            for program in [lab.sample("--frames", "4", *words) for words in variants] + [walk]:
                equal(spoken(lab, fake, events, level, program), {}, "%s at level %s, %s" % (program, level, fake))
    for level in "pass", "draw":
        equal(spoken(lab, "khr", "khr", level, walk, ("PASSPROBE_SERIALIZE", "1"), *serialized_walk().items()), {},
              "--serialize at level " + level)


def case_above(lab, _source):
    """Validation above passprobe sees what the application gets, and reports nothing."""
    manifest = VALIDATION_PATH + "/VkLayer_khronos_validation.json"
    need_file(manifest, "the validation layer")
    folder = os.path.join(lab.path("config"), "vulkan", "implicit_layer.d")
    os.makedirs(folder)
    with open(manifest, encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(folder, "validation.json"), "w", encoding="utf-8") as file:
        file.write(text.replace('"introduction"', '"disable_environment": {"PP_TEST_NO_VALIDATION": "1"}, "introduction"')
                   if '"introduction"' in text else
                   text.replace('"name": "%s",' % VALIDATION,
                                '"name": "%s", "disable_environment": {"PP_TEST_NO_VALIDATION": "1"},' % VALIDATION, 1))
    for level in "pass", "draw":
        for words in VARIANTS:
            equal(messages(lab.record("s", "khr", "khr", level, lab.sample("--frames", "4", *words))), {},
                  "%s at level %s" % (words, level))
    control = messages(lab.record("s", "khr", "khr", "pass", lab.sample("--frames", "2", "--hazard")))
    if not control:
        fail("the control: validation does not speak through this harness")


def case_radv(lab, _source):
    """RADV without hardware: its own counters, from creation and enumeration to pools and recording; validation reports
    nothing."""
    need_file(VALIDATION_PATH + "/VkLayer_khronos_validation.json", "the validation layer")
    for level in "pass", "draw", "frame":
        out = lab.record("s", "null_driver", "khr", level, [os.path.join(lab.build, "tests", "layer-null-device")], True,
                         driver=RADV, RADV_FORCE_FAMILY="navi21")
        equal(messages(out), {}, "level " + level)
        equal(len(lab.rows("s", "frames")), 6, "frames")
        names = [event for event in lab.device("s")["events_got"] if event.startswith("khr:")]
        equal(len(names), 17, "counters of RADV")
        equal(len(lab.device("s")["event_sets"]), 2, "sets")
        equal([name for name in lab.rows("s", "frames")[0] if "ratio" in name and not name.endswith("_percent")], [],
              "ratios that are no percents")


def case_list(lab, _source):
    """`passprobe list` prints the events of a recording with unit, scope and cost, or the same reason."""
    for fake, events, words in (
            ("khr", "khr", ("GPU: 4 counters", "khr:Time busy [ns]", "(passes only)", "(whole command buffers only)",
                            "profiling lock")),
            ("khr like=radv", "khr", ("L2 cache hit ratio [percent]", "pins the GPU's clocks")),
            ("khr lock=timeout like=anv", "khr", ("perf_stream_paranoid",)),
            ("", "khr", ("no: the driver lacks VK_KHR_performance_query",)),
            ("intel", "oa:Render*", ("RenderBasic: 64 counters", "oa:EuActive [percent]", "drains its pipeline")),
            ("intel config=eacces", "oa", ("perf_stream_paranoid",)),
            ("intel acquire=incomplete", "oa", ("does not find the metric set",))):
        env = lab.words(fake)
        out = lab.run([os.path.join(lab.build, "bin", "passprobe"), "list", "-e", events], **env)
        for text in words:
            if text not in out:
                fail("list with %s lacks %r:\n%s" % (fake, text, out[:3000]))


if __name__ == "__main__":
    main(globals(), PerfLab, lambda lab, _: (lab, ROOT))
