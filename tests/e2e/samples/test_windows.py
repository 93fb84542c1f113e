"""Windows of frames while recording: the frames that are measured finely are those that session.json names, and every
figure of the command describes them."""
import json
import os

from harness import XVFB, equal, main, need, need_vulkan, number, true

FRAMES, PLANTED = 60, 20


def planted(lab, api, options, *causes, frames=FRAMES):
    """Record an application in whose frame PLANTED something happens."""
    window = []
    if api == "vk":
        need_vulkan()
        need("Xvfb")
        window = [XVFB]
    program = os.path.join(lab.build, "tests", f"planted_{api}")
    lab.run(window + lab.record(*options) + [program, str(frames), str(PLANTED), *causes])
    return lab.session()


def report(lab, *words):
    """The figures of the command."""
    return json.loads(lab.run([lab.passprobe, "report", "--json", *words, lab.path("data")]).stdout)


def check(lab, session, inside, level, options):
    """The frames inside are measured at a level, all others at level frame, and all figures describe these frames."""
    for row in session.frames:
        want = level if int(row["frame"]) in inside else "frame"
        equal(row["level"], want, f"frame {row['frame']}: level")
    equal(session.json["window"]["options"], options, "the window's options")
    cost = session.json["window"]["own_cost"]
    equal(cost["frames"], len(inside), "frames whose cost is known")
    times = [number(row, "frame_time_ns") for row in session.frames if int(row["frame"]) in inside]
    equal(cost["frame_time_ns"], sum(times), "time of the frames whose cost is known")
    true(0 < cost["hooks_cpu_ns"] < session.json["own_cost"]["hooks_cpu_ns"], "cost of calls inside the window")
    true(0 < cost["collector_cpu_ns"] < session.json["own_cost"]["collector_cpu_ns"], "cost of the collector inside the window")
    true(0 < cost["brackets"] <= session.json["counts"]["brackets"], "brackets inside the window")
    figures = report(lab)
    equal([figures["window"][name] for name in ("frames", "of_frames", "first_inside", "last_inside", "recorded")],
          [len(inside), len(session.frames), inside[0], inside[-1], options], "the window of the figures")
    equal(figures["own_cost"], cost, "the cost of the figures")
    surface, = figures["surfaces"]
    equal((surface["frames"], surface["times"]["frame_time"]["frames"]), (len(inside), len(inside)), "frames of the figures")
    equal(surface["times"]["frame_time"]["max_ns"], max(times), "the longest frame of the figures")
    for one in surface["passes"]:
        equal(one["count"], len(inside), f"runs of the pass {one['name']}")
    equal(report(lab, "--frames", "0-")["surfaces"][0]["frames"], len(session.frames), "all frames can be seen")


def frames(lab, api, level):
    """--frames A-B at a level."""
    session = planted(lab, api, ("-l", level, "--frames", "30-39"))
    check(lab, session, list(range(30, 40)), level, "--frames 30-39")


def between(lab, api):
    """--between MARK,MARK: a frame begins after its mark."""
    session = planted(lab, api, ("-l", "pass", "--between", "level begins,level ends"), "marks")
    check(lab, session, list(range(PLANTED + 1, PLANTED + 6)), "pass", "--between level begins,level ends")


def duration(lab, api):
    """--delay and --duration: frames that begin in this time, counted from the begin of the first frame."""
    for seconds in "0.3", "1.2", "4.8":  # on a busy machine the first frame, which loads, can be longer than the window
        options = f"--delay 0.05 --duration {seconds}"
        session = planted(lab, api, ("-l", "pass", *options.split()), "sleep=100")
        begin, end = session.json["window"]["from_ns"], session.json["window"]["to_ns"]
        equal(end - begin, round(float(seconds) * 1e9), "length of the window")
        true(begin - number(session.frames[0], "cpu_start_ns") <= 50_000_000, "the first frame began before --delay")
        inside = [int(row["frame"]) for row in session.frames if begin <= number(row, "cpu_start_ns") < end]
        if inside:
            break
    true(inside, "frames in the window")
    check(lab, session, inside, "pass", options)


def level_frame(lab, api):
    """At level frame, too, figures are only those of the window."""
    frames(lab, api, "frame")


def level_pass(lab, api):
    """--frames A-B."""
    frames(lab, api, "pass")


def first_frames(lab, api):
    """Without a window, what measuring cost counts all frames but the first one, which loads."""
    session = planted(lab, api, ("-l", "pass"))
    cost, whole = session.json["own_cost"]["without_first"], session.json["own_cost"]
    times = [number(row, "frame_time_ns") for row in session.frames]
    equal((cost["frames"], cost["frame_time_ns"]), (FRAMES - 1, sum(times[1:])), "frames whose cost is known")
    equal(whole["frame_time_ns"], sum(times), "time of all frames")
    for name in "hooks_cpu_ns", "collector_cpu_ns":
        true(0 < cost[name] < whole[name], f"{name} without the first frame")
    passes = sum(number(row, "passes") for row in session.frames[1:])
    equal(cost["brackets"], passes, "brackets")
    share = 100 * (cost["hooks_usual_ns"] + cost["collector_cpu_ns"]) / sum(times[1:])
    true(abs(cost["percent"] - share) <= share / 1000, "share")
    figures = report(lab)
    equal(figures["own_cost"], cost, "the cost of the figures")
    equal(figures["surfaces"][0]["first_frames"], 1, "first frames")


def add_cases():
    """Each case in OpenGL and in Vulkan."""
    for test in level_pass, level_frame, between, duration, first_frames:
        for api in "gl", "vk":
            def case(lab, test=test, api=api):
                test(lab, api)
            case.__doc__ = test.__doc__
            globals()[f"case_{api}_{test.__name__}"] = case


add_cases()
if __name__ == "__main__":
    main(globals())
