"""The command names what made a frame slow: applications make one frame of 120 long, each by another cause, and
`report --worst` must name this cause for this frame, first. Planted frames last 200 ms and more, the others less than a
millisecond, so that a busy machine does not decide. 1,000 ordinary frames show that nothing is blamed without a
reason."""
import os
import re
import statistics

from harness import XVFB, Skip, equal, fail, fake_library, main, need, need_vulkan, number, true

FRAMES, PLANTED = 120, 60
SLEEP_NS = 200e6  # of planted.h
# Shader programs are created anew: Mesa's cache would return them at once.
NO_CACHE = {"MESA_SHADER_CACHE_DISABLE": "true"}
# A software driver is on the CPU, too: while the application computes, passes of a busy machine may be long.
STARVED = r"(?:gpu: [^;]*; )?"
WITH_CPU = ("-e", "time,cpu:task-clock,cpu:page-faults")
RAN = r"cpu: \d+ ms: ran \d\d\d \(usually [\d.]+\), "
# On a busy machine the draws may end in the next pass.
IN_SHADOWS = "gpu: (?:all passes together [^;]*, most of it in )?shadows"
NOT_RUN = (r"cpu: \d+ ms: ran [\d.]+(?: to [\d.]+)? \(usually [\d.]+\), "
           r"(?:slept or had no processor \d\d\d|else slept or had no processor)")


def listed(lab, *words):
    """Frame -> causes, of the table of slow frames that the command prints."""
    text = lab.run([lab.passprobe, "report", *words, lab.path("data")], COLUMNS="160").stdout
    causes, frame = {}, None
    for line in text.partition(" ms  because\n")[2].splitlines():
        row = re.match(r" +(\d+) +[\d.-]+ +[\d.]+  (\S.*)", line)
        if row:
            frame = int(row.group(1))
            causes[frame] = row.group(2)
        elif frame is not None and re.match(r" {20,}\S", line):
            causes[frame] += " " + line.strip()
        else:
            break
    return causes


def record(lab, api, frames, causes=(), events=(), waits=""):
    """Record an application with one long frame."""
    env = dict(NO_CACHE)
    window = []
    if api == "vk":
        need_vulkan()
        need("Xvfb")
        window = [XVFB]
    if waits:
        env["FAKE_WAITS"] = ",".join(f"{call}:{PLANTED}:{ms}" for call, ms in (word.split("=") for word in waits.split()))
    if waits and api == "gl":
        env["LD_PRELOAD"] = fake_library(lab, "libfake-waits.so")
    elif waits:
        env.update(VK_LAYER_PATH=os.path.join(lab.build, "tests", "fake_waits"), VK_INSTANCE_LAYERS="VK_LAYER_PP_fake_waits")
    program = os.path.join(lab.build, "tests", f"planted_{api}")
    lab.run(window + lab.record(*events) + [program, str(frames), str(PLANTED), *causes], **env)


def compare(lab, want):
    """Compare what is named for the planted frame with a pattern."""
    found = listed(lab, "--worst", "10")
    print(found)
    true(PLANTED in found, f"frame {PLANTED} is among the longest: {found}")
    true(re.match(want, found[PLANTED]), f"frame {PLANTED}: {found[PLANTED]}, want {want}")
    shown = lab.run([lab.passprobe, "report", "--frame", str(PLANTED), lab.path("data")], COLUMNS="160").stdout
    first = found[PLANTED].split(";")[0].split(" (")[0]
    true(first in " ".join(shown.split()), f"report --frame has the same cause {first}:\n{shown}")


def planted(lab, api, causes, want, **how):
    """Record, and compare."""
    record(lab, api, FRAMES, causes, **how)
    compare(lab, want)


def slow_pass(lab, api):
    """A pass with a thousand times as many draws."""
    planted(lab, api, ["draws"], r"gpu: shadows \d.*, usually .*; [\d,.k]+ draws, usually 6\b")


def polls(lab, api):
    """A slow pass, and an application that does not wait in the driver: it asks for the fence again and again."""
    planted(lab, api, ["draws", "polls"], r"gpu: shadows \d.*, usually .*; [\d,.k]+ draws, usually 6\b")


def stream(lab, api):
    """A pass that only each 25th frame has: usually, it takes no time."""
    record(lab, api, FRAMES, ["stream"])
    compare(lab, r"gpu: stream \d[^;]*, in 5 of 119 frames; [\d,.k]+ draws, usually 6\b.*")
    times = {int(row["frame"]): number(row, "frame_time_ns") for row in lab.session().frames}
    rare = [time for frame, time in times.items() if frame % 25 == PLANTED % 25]
    if max(time for frame, time in times.items() if frame and frame % 25 != PLANTED % 25) >= min(rare) / 4 or max(rare) >= 2 * min(rare):
        print("other frames are as long on this busy machine")
        return
    found = listed(lab)
    regular = [frame for frame, causes in found.items() if causes.startswith("gpu: stream") and "every 25th frame" in causes]
    print(found)
    true(len(regular) >= 4, f"the period is named: {found}")


def pipelines(lab, api):
    """Shader programs are linked, pipelines created. On a busy machine the thread may have no processor for longer."""
    planted(lab, api, ["pipelines"], r"(?:cpu: [^;]*; )?(?:cpu: )?(?:[\d,.]+ pipelines created|new pipelines)")


def uploads(lab, api):
    """An upload storm. On a busy machine the copies take less than half of the frame's excess; they are counted anyway."""
    planted(lab, api, ["uploads"], r"(?:(?:gpu|cpu): .*; )?[\d,.k]+ copies, usually 1\b")


def sleep(lab, api):
    """The application's thread sleeps."""
    planted(lab, api, ["sleep"], NOT_RUN, events=WITH_CPU)


def not_known(lab, api):
    """Sleep is not named where nothing measured whether the thread slept."""
    planted(lab, api, ["sleep"], r"cpu: the application's own time was \d\d\d.* ms, usually .*is not known\)",
            events=("-e", "time"))


def fence(lab, api):
    """The application waits for the GPU, which works as long as usual."""
    planted(lab, api, [], r"sync: the application waited \d\d\d.* for the GPU", waits="fence=200")


def present(lab, api):
    """The driver keeps the application in present."""
    planted(lab, api, [], r"present: the application waited \d\d\d.* in present", waits="present=200")


def faults(lab, api):
    """Fresh memory is touched."""
    planted(lab, api, ["faults"], STARVED + RAN + r".*; [\d,.kM]+ page faults, usually", events=WITH_CPU)


def objects(lab, api):
    """The thread computes, and a user counter is ten times as high."""
    planted(lab, api, ["objects"], STARVED + RAN + ".*; app:objects 40, usually 4", events=WITH_CPU)


def two(lab, api):
    """Two causes at once are both named, if each is a fifth of the frame: the draws take seconds on a busy machine, and
    little of the time on a fast one."""
    record(lab, api, FRAMES, ["sleep", "draws"], events=WITH_CPU)
    [row] = [row for row in lab.session().frames if row["frame"] == str(PLANTED)]
    share = {cause: time > 0.22 * number(row, "frame_time_ns")
             for cause, time in ((NOT_RUN, SLEEP_NS), (IN_SHADOWS, number(row, "gpu_busy_ns")))}
    true(any(share.values()), f"a cause is a fifth of the frame: {row}")
    compare(lab, "".join(f"(?=.*{cause})" for cause, large in share.items() if large))


def usual_time(times, index):
    """The median of a frame's neighbours, as docs/internals/statistics.md defines them."""
    block = index // 30 * 30
    return statistics.median(times[max(0, block - 60):block + 90])


def excused(lab, cause, row, rows, excess):
    """Why a cause may be named for a frame, from the files alone."""
    before = re.match(r"new pipelines .* in frame (\d+), usually 0", cause)
    if before:
        return sum(int(it["pipelines_created"]) for it in lab.session().frames if it["frame"] == before.group(1)) >= 1
    if "pipelines created" in cause or "new pipelines" in cause:
        return number(row, "pipeline_create_ns") >= 0.19 * excess
    if re.search(r"\d copies", cause):
        return number(row, "copies") >= 2 * statistics.median(number(it, "copies") for it in rows)
    if cause.startswith("gpu: "):
        near = {str(int(row["frame"]) - back) for back in range(4)}
        return sum(number(it, "gpu_time_ns") for it in lab.session().passes if it["frame"] in near) >= 0.2 * excess
    return True


def ordinary(lab, api):
    """1,000 frames that are alike: frames that are listed as slow are so, and what is blamed can be seen in the
    files. A busy machine may have frames that are slow."""
    if api == "vk":
        need_vulkan()
    lab.run(lab.record() + lab.sample(api, "--frames", "1000", "--size", "64x64"))
    rows = sorted(lab.session().frames, key=lambda row: int(row["frame"]))[1:]
    times = [number(row, "frame_time_ns") for row in rows]
    equal(len(rows), 999, "frames")
    found = listed(lab)
    print(found)
    for i, row in enumerate(rows):
        usual = usual_time(times, i)
        causes = found.pop(int(row["frame"]), None)
        if causes is None:
            continue
        true(times[i] >= max(1.75 * usual, usual + 2e6), f"frame {row['frame']} is not slow: {times[i]}, usually {usual}")
        for cause in causes.split("; "):
            if not excused(lab, cause, row, rows, times[i] - usual):
                fail(f"frame {row['frame']}, {cause}: {row}")
    equal(found, {}, "frames that do not exist")


def case_sample(lab):
    """The README's first screen: the sample draws its full-screen pass 100 times in one frame. The counts are exact."""
    lab.run(lab.record() + lab.sample("gl", "--frames", str(FRAMES), "--labels", "--stutter", str(PLANTED)))
    # llvmpipe counts a draw of that pass as 66,560 fragments: each pixel once, and 1,024 more at the triangle's edge.
    usual, of_draw = 235840, 66560
    for row in lab.session().frames:
        stutters = row["frame"] == str(PLANTED)
        equal(number(row, "draws"), 104 if stutters else 5, f"draws of frame {row['frame']}")
        equal(number(row, "pipeline:fragment_shader_invocations"), usual + (99 * of_draw if stutters else 0),
              f"fragments of frame {row['frame']}")
    if PLANTED not in listed(lab):
        print("other frames are as long on this busy machine")
        return
    compare(lab, r"(?:cpu: [^;]*; )?(?:gpu: (?!post)[^;]*; )?gpu: post \d.*, usually .*; 104 draws, usually 5\b")


def case_vk_image(lab):
    """The driver has no image to render to."""
    planted(lab, "vk", [], r"present: the application waited \d\d\d.* for an image", waits="image=200")


def is_divided(lab):
    """Whether none of the planted frame's five parts is much longer than the others: on a busy machine one may be."""
    row = next(it for it in lab.session().frames if it["frame"] == str(PLANTED))
    waits = [number(row, column) for column in ("cpu_wait_ns", "cpu_sync_ns", "cpu_acquire_ns")]
    pipelines_ns = number(row, "pipeline_create_ns")
    own = number(row, "cpu_busy_ns") - sum(waits[1:]) - pipelines_ns
    whole = number(row, "frame_time_ns")
    return max([own, *waits]) < 0.24 * whole and pipelines_ns < 0.19 * whole


def case_vk_nameless(lab):
    """Five things at once, of which none made a quarter of the frame. In OpenGL a frame has only four."""
    for _ in range(8):
        record(lab, "vk", FRAMES, ["sleep=300", "pipelines=180"], waits="image=300 fence=300 present=300")
        if is_divided(lab):
            break
    else:
        raise Skip("the machine is too busy to divide a frame into five parts")
    compare(lab, "no cause in what was measured")


def add_cases():
    """Each cause in OpenGL and in Vulkan."""
    for cause in slow_pass, polls, stream, pipelines, uploads, sleep, not_known, fence, present, faults, objects, two, ordinary:
        for api in "gl", "vk":
            def case(lab, cause=cause, api=api):
                cause(lab, api)
            case.__doc__ = cause.__doc__
            globals()[f"case_{api}_{cause.__name__}"] = case


add_cases()
if __name__ == "__main__":
    main(globals())
