"""What an application can see is the same bare, idle and at every level; and the measured values are true."""
import os

from harness import Skip, equal, main, number, true
from shim import preload


def program(lab, case):
    return [os.path.join(lab.build, "tests", "reach", "side_effects"), case]


def same(lab, case, **more):
    """Run bare and in every mode; @return the sessions by level."""
    bare = lab.run(program(lab, case), check=False, **more)
    if bare.returncode == 77:
        raise Skip(f"{case}: {bare.stdout}")
    equal(bare.returncode, 0, f"{case}, bare")
    ways = {"idle": {"PASSPROBE_DISABLE": "1"}, "frame": {"PASSPROBE_LEVEL": "frame"},
            "pass": {"PASSPROBE_LEVEL": "pass"}, "draw": {"PASSPROBE_LEVEL": "draw"}}
    for way, env in ways.items():
        loaded = lab.run(program(lab, case), **preload(lab, way), **env, **more)
        if loaded.stdout != bare.stdout:
            for want, got in zip(bare.stdout.splitlines(), loaded.stdout.splitlines()):
                equal(got, want, f"{case}, {way}: {loaded.stderr}")
        equal(loaded.stdout, bare.stdout, f"{case}, {way}")
    return {way: lab.session(way) for way in ("frame", "pass", "draw")}


def same_counts(sessions, frames=None):
    """Numbers of draws do not depend on the level."""
    draws = [[row["draws"] for row in sessions[way].frames] for way in ("frame", "pass", "draw")]
    equal(draws[0], draws[1], "draws at frame and pass")
    equal(draws[1], draws[2], "draws at pass and draw")
    if frames:
        equal(len(draws[0]), frames, "frames")
    return draws[0]


def case_begin_end(lab):
    equal(same_counts(same(lab, "begin_end")), ["3"] * 6, "two glBegin pairs and a glRect")


def case_lists(lab):
    # a triangle, the list that is executed while it is compiled, glCallList, glCallLists, glCallList
    equal(same_counts(same(lab, "lists")), ["5"] * 5, "a list is one draw")


def case_list_queries(lab):
    equal(same_counts(same(lab, "list_queries")), ["2"] * 2 + ["3"] * 8, "draws")


def case_begin_swap(lab):
    same(lab, "begin_swap")


def case_list_swap(lab):
    # a triangle; one; one and the list that is executed while compiled; one; one and four calls
    equal(same_counts(same(lab, "list_swap")), ["1", "1", "2", "1", "5"] * 3, "draws")


def case_open_lists(lab):
    # actions after a list that may have begun a primitive are one action with it
    same_counts(same(lab, "open_lists"), 4)


def case_open_refused(lab):
    equal(same_counts(same(lab, "open_refused")), ["3"] * 9, "draws")


def case_open_nested(lab):
    """passprobe knows what lists leave open, so it asks nothing inside of them."""
    same_counts(same(lab, "open_nested"))


def case_modes(lab):
    same_counts(same(lab, "modes"), 5)


def case_queries(lab):
    sessions = same(lab, "queries")
    equal(same_counts(sessions), ["7"] * 8 + ["3"] + ["1"] * 5, "draws")
    own = [row for row in sessions["pass"].passes if row["frame"] == "3" and row["kind"] == "render"]
    true(all(row["pipeline:vertex_shader_invocations"] == "" for row in own), "passes of the application's queries stay empty")
    reasons = [m["reason"] for d in sessions["pass"].json["devices"] for m in d["events_missing"]]
    true(any("application measured" in reason for reason in reasons), f"{reasons} say why")
    last = [row for row in sessions["pass"].passes if row["frame"] == "12" and row["kind"] == "render"]
    equal([row["pipeline:input_assembly_vertices"] for row in last], ["3"], "and come back when it stops")


def case_first_query(lab):
    """Before the first action of a context passprobe knows nothing of its queries: it asks which query is active."""
    same_counts(same(lab, "first_query"), 4)


def case_names(lab):
    """Names that the application makes up, in either profile: passprobe's query names are no exception, and measuring
    continues."""
    for case in ("names", "names_core"):
        sessions = same(lab, case)
        measured = [(row["gpu_time_ns"] != "", row["pipeline:vertex_shader_invocations"]) for row in sessions["pass"].passes]
        equal(measured, [(True, "0")] * 12, f"{case}: passes with a time and statistics")


def case_query_buffer(lab):
    sessions = same(lab, "query_buffer")
    same_counts(sessions, 12)
    timed = [row for row in sessions["pass"].frames if row["gpu_time_ns"]]
    true(len(timed) >= 10, f"{len(timed)} frames have a time with a buffer bound")


def case_framebuffers(lab):
    sessions = same(lab, "framebuffers")
    same_counts(sessions)
    passes = [row for row in sessions["pass"].passes if row["frame"] == "1"]
    render = [row["attachments"] for row in passes if row["kind"] == "render"]
    true(any("color0=RGBA8:clear" in a and "depth_stencil=DEPTH24_STENCIL8:clear" in a for a in render), render)
    true(any(a.startswith("color0=RGBA16F") and "depth" not in a for a in render), render)
    equal([row["copies"] for row in passes if row["kind"] == "transfer"], ["1"], "the blit")
    equal({(row["width"], row["height"]) for row in passes if row["attachments"].startswith("color0=RGBA")},
          {("64", "64")}, "size")


def case_conditional(lab):
    """Times near zero are right for passes under a condition: session.json has the number of such passes, each counted
    once."""
    sessions = same(lab, "conditional")
    same_counts(sessions, 4)
    for way in ("pass", "draw"):
        equal(sessions[way].json["counts"]["conditional_passes"], 12, f"{way}: passes under a condition")


def case_feedback(lab):
    equal(same_counts(same(lab, "feedback")), ["3", "3", "3", "2", "1", "3"], "draws")


def case_glthread(lab):
    """Mesa's thread between the application and the driver. Case `contexts` is left out: without a flush, the order of
    one context's actions on another one's attachment is undefined."""
    for case in ("begin_end", "lists", "queries", "query_buffer", "framebuffers", "feedback"):
        same(lab, case, mesa_glthread="true")


def case_debug(lab):
    same(lab, "debug")


def case_bad_source(lab):
    same_counts(same(lab, "bad_source"), 1)


def case_programs(lab):
    """passprobe asks nothing about shader programs and pipelines that do not exist, and actions have the name of the
    program that they ran."""
    sessions = same(lab, "programs")
    rows = [row for row in sessions["draw"].table("draws.csv") if row["call"] == "glBegin"]
    for frame in ("0", "1", "2"):
        names = [row["pipeline"] for row in rows if row["frame"] == frame]
        used, separate = names[1], names[3]
        true(used.startswith("program-") and separate.startswith("pipeline-"), names)
        # a made-up name is refused: its draw has the program before, or no name
        equal([names[0], names[4], names[5]], ["", "", used], f"frame {frame}: {names}")
        true(names[2] in ("", used), f"frame {frame}: {names}")
    ids = [{row["draw_id"] for row in rows if row["frame"] == frame} for frame in ("0", "1", "2")]
    equal(ids[1:], ids[:1] * 2, "ids, although pipelines are made anew")
    equal(rows[-1]["pipeline"], "", "after all")
    # where the driver cannot say which shader program is in use
    same(lab, "programs_arb", MESA_GL_VERSION_OVERRIDE="1.5")


def case_no_error(lab):
    same_counts(same(lab, "no_error"), 5)


def case_contexts(lab):
    sessions = same(lab, "contexts")
    surfaces = {row["surface"] for row in sessions["pass"].frames}
    true(len(surfaces) >= 2, f"surfaces are distinguished: {surfaces}")
    # queries belong to their context: no other context reads or reuses them
    render = [row for row in sessions["pass"].passes if row["kind"] == "render"]
    for queue in ("context 1", "context 2"):
        elsewhere = [row for row in render if row["queue"] == queue and row["draws"] == "2" and row["name"] == "pbuffer"]
        equal(len(elsewhere), 3, f"{queue}: frames on the other thread")
        # the last result may still be missing when it is given up
        for row in elsewhere[:2]:
            equal(row["pipeline:input_assembly_vertices"], "6", f"vertices: {row}")
            true(number(row, "gpu_time_ns") > 0, f"times: {row}")
    for row in render:
        counted = row["pipeline:input_assembly_vertices"]
        true(counted in ("", str(3 * int(row["draws"]))), f"{row}: three vertices a draw")


def case_surfaceless(lab):
    sessions = same(lab, "surfaceless")
    equal(same_counts(sessions), ["1"] * 6, "frames end at glFinish after work")
    equal({row["surface"].split()[0] for row in sessions["pass"].frames}, {"offscreen"}, "surface")


if __name__ == "__main__":
    main(globals())
