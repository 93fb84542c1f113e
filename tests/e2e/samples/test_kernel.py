"""Counters that the kernel offers as files, from the device to the CSV: fake devices in the sample's process
(tests/fake/kernel) have counts that come out unchanged in frames.csv, passes.csv and draws.csv."""
import os
import re

import intel_model
from harness import Skip, equal, fake_kernel, main, true

from fake_gl_counters import driver

ACTIVE = 123457


SWIFTSHADER = "/usr/lib/chromium/vk_swiftshader_icd.json"


def record(lab, *words, level):
    preload = fake_kernel(lab)
    events = "time,mali:MaliGPUCyclesGPUActive,mali:fragment_queue_utilization"
    done = lab.run(lab.record("-l", level, "-e", events, *words) + lab.sample("gl", "--frames", "12"), LD_PRELOAD=preload,
                   FAKE_MALI_ACTIVE=str(ACTIVE))
    equal(done.returncode, 0, done.stderr)
    return lab.session()


def mali(row):
    return {name: value for name, value in row.items() if name.startswith("mali:MaliGPUCyclesGPUActive")}


def case_mali(lab):
    session = record(lab, "--serialize", level="pass")
    measured = 0
    for row in session.passes:
        for name, value in mali(row).items():
            if value:
                equal(int(float(value)), ACTIVE, f"frame {row['frame']}, pass {row['pass']}: {name}")
                measured += 1
    true(measured >= 12, f"{measured} of {len(session.passes)} passes were measured")


def case_mali_draws(lab):
    """The fake counts at each reading: once for a draw; a part of a pass of n draws has n readings, before the draws,
    between them and after them. A pass has at most as many parts as draws."""
    session = record(lab, "--serialize", level="draw")
    rows = session.table("draws.csv")
    draws = [value for row in rows for value in mali(row).values() if value]
    passes = [(value, row) for row in session.passes for value in mali(row).values() if value]
    true(draws and passes, f"{len(draws)} draws and {len(passes)} passes were measured")
    equal({int(float(value)) for value in draws}, {ACTIVE}, "clocks of draws")
    for value, row in passes:
        own = sum((it["frame"], it["pass"]) == (row["frame"], row["pass"]) for it in rows)
        times, rest = divmod(int(float(value)), ACTIVE)
        true(rest == 0 and 2 * own < times <= 3 * own, f"{value} clocks of a pass of {own} draws: {row}")


def clocks_of_draw(row):
    """The clocks that tests/fake/gl_perf reports for an action; work.c computes the same."""
    if row["call"].startswith("glDispatch"):
        return 400 + 40 * int(row["groups"])
    if row["call"].startswith(("glBlit", "glRead")):
        return 900
    if row["call"] == "glBufferData":
        return 0  # not executed by that driver's GPU
    return 500 if row["call"].startswith("glClear") else 700 + 3 * int(row["vertices"]) * int(row["instances"])


def record_worked(lab, level, options=()):
    """Record the sample on the driver that reports its actions: the GPU counts exactly these actions, as soon as they
    are waited for."""
    done = lab.run(lab.record("-l", level, "-e", "time,mali:MaliGPUCyclesGPUActive", "--serialize", *options) +
                   lab.sample("gl", "--frames", "6"), LD_PRELOAD=fake_kernel(lab), FAKE_MALI_ACTIVE="0", **driver(lab))
    true("VIOLATION" not in done.stderr, done.stderr)
    return lab.session()


def clocks_of(row):
    """The clocks of a row that must have been measured."""
    (value,) = mali(row).values()
    true(value != "", f"not measured: {row}")
    return int(float(value))


def case_mali_worked(lab):
    """Serialized, every draw, pass and frame has exactly the clocks of its own actions."""
    session = record_worked(lab, "draw")
    rows, of_pass = session.table("draws.csv"), {}
    for row in rows:
        key = row["frame"], row["pass"]
        of_pass[key] = of_pass.get(key, 0) + clocks_of_draw(row)
        equal(clocks_of(row), clocks_of_draw(row), f"{row}")
    equal([clocks_of(row) for row in session.passes], [of_pass[row["frame"], row["pass"]] for row in session.passes], "passes")
    per_frame = [sum(value for key, value in of_pass.items() if key[0] == row["frame"]) for row in session.frames]
    equal([clocks_of(row) for row in session.frames], per_frame, "frames")
    session = record_worked(lab, "pass")
    equal([clocks_of(row) for row in session.passes], [of_pass[row["frame"], row["pass"]] for row in session.passes],
          "passes that are measured as such")
    equal([clocks_of(row) for row in session.frames], per_frame, "frames of passes")
    # Actions that were not waited for before the window opened do not belong to its first pass.
    session = record_worked(lab, "pass", options=("--frames", "3-4"))
    found = {row["frame"]: clocks_of(row) for row in session.frames if row["level"] == "pass"}
    equal(found, {"3": per_frame[3], "4": per_frame[4]}, "frames of a window")


def case_mali_needs_serialize(lab):
    session = record(lab, level="pass")
    true(not any(value for row in session.passes for value in mali(row).values()),
         "nothing is measured while other actions may run")
    said = {it["event"]: it["reason"] for device in session.json["devices"] for it in device["events_missing"]}
    true("needs --serialize" in said["mali"], f"why: {said}")


def case_mali_frames(lab):
    """A frame at level frame has the clocks from its first action to its end; at the finer levels it has its passes'
    sum."""
    frames = [clocks_of(row) for row in record_worked(lab, "draw").frames]
    session = record_worked(lab, "frame")
    equal([clocks_of(row) for row in session.frames], frames, "clocks of frames")
    said = [it["event"] for device in session.json["devices"] for it in device["events_missing"]]
    true("mali of frames" not in said, f"nothing is missing: {said}")


def case_mali_frames_overlapped(lab):
    """Frames of contexts whose actions overlapped have no count."""
    done = lab.run(lab.record("-l", "frame", "-e", "time,mali:MaliGPUCyclesGPUActive", "--serialize") +
                   [os.path.join(lab.build, "tests", "reach", "serialize"), "waits"], LD_PRELOAD=fake_kernel(lab),
                   FAKE_MALI_ACTIVE=str(ACTIVE))
    equal(done.returncode, 0, done.stderr)
    equal(sorted(value for row in lab.session().frames for value in mali(row).values()), ["", "", str(ACTIVE)], "clocks")


def record_mali(lab, *program, **env):
    """Record an application with --serialize and what else it needs."""
    done = lab.run(lab.record("-l", "pass", "-e", "time,mali:MaliGPUCyclesGPUActive", "--serialize") + list(program),
                   LD_PRELOAD=fake_kernel(lab), FAKE_MALI_ACTIVE=str(ACTIVE), **env)
    equal(done.returncode, 0, done.stderr)
    session = lab.session()
    return session, [(row["serialize:isolated"], *mali(row).values()) for row in session.passes]


def case_mali_no_timer(lab):
    """Counters that are read while the GPU is idle need no timer queries."""
    session, cells = record_mali(lab, *lab.sample("gl", "--frames", "12", "--es"),
                                 MESA_EXTENSION_OVERRIDE="-GL_EXT_disjoint_timer_query")
    equal({row["gpu_time_ns"] for row in session.passes}, {""}, "times")
    true(("1", str(ACTIVE)) in cells, f"{cells}")
    equal({value for _, value in cells} - {""}, {str(ACTIVE)}, "clocks")


def case_mali_overlapped(lab):
    """Passes that overlapped with another thread's passes have no counts, because the counts cannot be divided."""
    session, cells = record_mali(lab, os.path.join(lab.build, "tests", "reach", "serialize"), "waits")
    equal(len(cells), 3, f"{session.passes}")
    equal(sorted(cells), [("0", ""), ("0", ""), ("1", str(ACTIVE))], "clocks")


def write(lab, path, text):
    """Write a file of the machine."""
    path = os.path.join(lab.path("root"), path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def machine(lab, which, words, *sample, **env):
    """A sample on a machine with a Kaby Lake GT2, as /sys describes it."""
    preload = fake_kernel(lab)
    device = "sys/class/drm/renderD128/device"
    write(lab, f"{device}/device", "0x5916\n")
    write(lab, f"{device}/drm/card0/gt_min_freq_mhz", "300\n")
    write(lab, f"{device}/drm/card0/gt_max_freq_mhz", "1050\n")
    write(lab, f"{device}/drm/card0/metrics/none", "")
    write(lab, "sys/bus/pci/drivers/i915/bind", "")
    write(lab, "proc/sys/dev/i915/perf_stream_paranoid", "1\n" if env.get("FAKE_I915") == "paranoid" else "0\n")
    write(lab, "dev/dri/renderD128", "")
    driver = os.path.join(lab.path("root"), device, "driver")
    if not os.path.islink(driver):
        os.symlink("../../../../bus/pci/drivers/i915", driver)
    lab.run(lab.record(*words) + lab.sample(which, *sample), LD_PRELOAD=preload, FAKE_KERNEL_ROOT=lab.path("root"), **env)
    return lab.session()


def check_oa(rows, times=1, brackets=1, name="RenderBasic"):
    """Check every metric of every row. @return the number of rows with metrics."""
    metrics, measured = intel_model.MetricSet(name), 0
    for i, row in enumerate(rows):
        where = f"row {i} (frame {row['frame']})"
        ticks, seen = metrics.check(row, times, where)
        if ticks is None:
            continue
        true(seen >= 50, f"{where}: {seen} metrics")
        measured += 1
        # Both ends of a bracket are rounded to ticks. With --serialize a pass is the sum of its actions' brackets.
        if row["gpu_time_ns"] and brackets:
            off = abs(ticks - int(row["gpu_time_ns"]) * 12 / 1000)
            summed = row.get("level") == "draw" and sum(int(row[kind]) for kind in ("draws", "dispatches", "copies"))
            true(off <= 1 + brackets + summed, f"{where}: {ticks} ticks, {row['gpu_time_ns']} ns")
    return measured


def marks_estimates(rows):
    """Each row with values of oa says whether they are estimates."""
    for row in rows:
        counted = intel_model.ticks_of(row) is not None
        true(row["estimate:oa"] in (("0", "1") if counted else ("",)), f"estimate:oa of {row}")


def all_oa(session, level):
    """Check all rows of all files."""
    missing = [it for device in session.json["devices"] for it in device["events_missing"]]
    equal([it for it in missing if "oa" in it["event"]], [], "what is missing")
    passes = check_oa(session.passes)
    true(passes >= 0.8 * len(session.passes), f"{passes} of {len(session.passes)} passes were measured")
    true(check_oa(session.frames, brackets=0) > 0, "frames were measured")
    marks_estimates(session.passes)
    if level == "draw":
        draws = session.table("draws.csv")
        marks_estimates(draws)
        timed = [row for row in draws if row["gpu_time_ns"]]
        true(timed and check_oa(timed) >= 0.8 * len(timed), f"{len(timed)} of {len(draws)} draws have times")


def case_oa_gl(lab):
    words = "-l", "pass", "-e", "time,oa:RenderBasic"
    all_oa(machine(lab, "gl", words, "--surfaceless", "--frames", "20", FAKE_I915="alone"), "pass")


def case_oa_gl_draws(lab):
    words = "--serialize", "-l", "draw", "-e", "time,oa:RenderBasic"
    all_oa(machine(lab, "gl", words, "--surfaceless", "--frames", "20", FAKE_I915="alone"), "draw")


def case_oa_vk(lab):
    words = "-l", "pass", "-e", "time,oa:RenderBasic"
    all_oa(machine(lab, "vk", words, "--frames", "20", FAKE_I915="alone"), "pass")


def case_oa_vk_draws(lab):
    """lavapipe has no times of draws within passes, so these have no counts; dispatches and copies have."""
    words = "-l", "draw", "-e", "time,oa:RenderBasic"
    session = machine(lab, "vk", words, "--frames", "20", FAKE_I915="alone")
    all_oa(session, "draw")
    for row in session.table("draws.csv"):
        true(row["gpu_time_ns"] or intel_model.ticks_of(row) is None, f"frame {row['frame']}: counted, but not timed")


def case_oa_vk_draws_within_passes(lab):
    """SwiftShader takes timestamps between draws."""
    if not os.path.exists(SWIFTSHADER):
        raise Skip("SwiftShader (Debian's chromium-common) is not installed")
    words = "-l", "draw", "-e", "time,oa:RenderBasic"
    session = machine(lab, "vk", words, "--frames", "20", FAKE_I915="alone",
                      VK_ICD_FILENAMES=SWIFTSHADER)
    all_oa(session, "draw")
    draws = [row for row in session.table("draws.csv") if row["call"].startswith("vkCmdDraw")]
    true(any(intel_model.ticks_of(row) for row in draws), "draws within passes were measured")


def names_of(session, source):
    return [name for name in session.frames[0] if name.startswith(source + ":")]


def case_oa_default_gl(lab):
    """Without -e, OA is measured where the driver has no counters and the kernel allows it, and only on the GPU that
    draws."""
    words, sample = ("-l", "pass"), ("--surfaceless", "--frames", "20")
    session = machine(lab, "gl", words, *sample, FAKE_I915="alone", force_gl_vendor="Intel")
    all_oa(session, "pass")
    true("pipeline:vertex_shader_invocations" in session.frames[0], "the rest of the default set is measured, too")
    true(any(row["bound_by"] for row in session.passes), "what bound passes")
    true(any("does not sleep" in note for note in session.json["devices"][0]["notes"]), "what it changes")
    session = machine(lab, "gl", words, *sample, FAKE_I915="alone")
    equal(names_of(session, "oa"), [], "on llvmpipe")
    equal(session.json["devices"][0]["events_missing"], [], "which lacks nothing")
    session = machine(lab, "gl", (*words, "-e", "time"), *sample, FAKE_I915="alone", force_gl_vendor="Intel")
    equal(names_of(session, "oa"), [], "where it was not asked for")
    for kind, said in ("paranoid", "sudo sysctl dev.i915.perf_stream_paranoid=0"), ("busy", "another profiler"):
        session = machine(lab, "gl", words, *sample, FAKE_I915=kind, force_gl_vendor="Intel")
        reasons = {it["event"]: it["reason"] for it in session.json["devices"][0]["events_missing"]}
        true(said in reasons.get("oa", ""), f"{kind}: {reasons}")
        equal([row["frame"] for row in session.frames if not row["gpu_time_ns"]], [], f"{kind}: the rest is there")
    # With several Intel GPUs, the GPU of an OpenGL context is unknown.
    write(lab, "sys/class/drm/renderD129/device/device", "0x56a0\n")
    os.symlink("../../../../bus/pci/drivers/i915", os.path.join(lab.path("root"), "sys/class/drm/renderD129/device/driver"))
    session = machine(lab, "gl", words, *sample, FAKE_I915="alone", force_gl_vendor="Intel")
    equal(names_of(session, "oa"), [], "with two GPUs")


def case_oa_default_vk(lab):
    """Without -e, OA is measured in Vulkan, too. A driver that opens the OA unit by itself does so on request only."""
    def record_on(counters, *words, **more):
        return machine(lab, "vk", ("-l", "pass", *words), "--frames", "20", FAKE_I915="alone", FAKE_VK_PERF=counters,
                       VK_LAYER_PATH=os.path.join(lab.build, "tests", "fake_perf"),
                       VK_INSTANCE_LAYERS="VK_LAYER_PP_fake_perf", **more)
    all_oa(record_on("like=anv"), "pass")
    all_oa(record_on("like=anv khr"), "pass")
    session = record_on("like=anv khr", "-e", "time,khr:*")
    equal(names_of(session, "oa"), [], "no oa where khr is measured")
    true(names_of(session, "khr"), "which is measured instead")
    equal(names_of(record_on("like=radv"), "oa"), [], "on another maker's GPU")


def case_mali_default(lab):
    """With --serialize and without -e on a Mali GPU, in both APIs: the events that name the unit which bounds a pass.
    """
    folder = os.path.join(lab.build, "tests", "fake_perf")
    counters = {"FAKE_VK_PERF": "like=mali", "VK_LAYER_PATH": folder, "VK_INSTANCE_LAYERS": "VK_LAYER_PP_fake_perf"}
    # What the fake driver reports to the GPU for the sample's passes: see PASSES in test_kernel_vulkan.py.
    work = {1103, 3113, 456, 1010, 1000}
    for which, words, done, env in (("gl", ("--surfaceless",), {0}, {"force_gl_renderer": "Mali-G76 (Panfrost)"}),
                                    ("vk", (), work, counters)):
        for options in (("--serialize",), (), ("--serialize", "-e", "time")):
            lab.run(lab.record("-l", "pass", *options) + lab.sample(which, "--frames", "6", *words),
                    LD_PRELOAD=fake_kernel(lab), FAKE_MALI_ACTIVE=str(ACTIVE), FAKE_MALI_ALU="95", **env)
            session, where = lab.session(), f"{which} {options}"
            if options != ("--serialize",):
                equal(names_of(session, "mali"), [], where)
                continue
            active = {row["mali:MaliGPUCyclesGPUActive_cycles"] for row in session.passes} - {""}
            equal(active, {str(ACTIVE + it) for it in done}, f"{where}: clocks")
            equal({row["bound_by"] for row in session.passes if row["mali:MaliGPUCyclesGPUActive_cycles"]}, {"alu"},
                  f"{where}: what bound passes")
            true("mali:fragment_queue_utilization_percent" in session.frames[0] and 20 < len(names_of(session, "mali")) < 40,
                 f"{where}: {names_of(session, 'mali')}")
            true("pipeline:vertex_shader_invocations" in session.frames[0], f"{where}: the rest of the default set is measured, too")


def clocks(session):
    """Ticks by which times in the files may differ from the OA unit's: the precision of the clocks' samples, from which
    rates are computed, and of rounded timestamps."""
    return 3 * session.json["devices"][0]["clock"]["uncertainty_max_ns"] * 12 // 1000 + 24


def case_oa_others(lab):
    """Another context has the GPU now and then: its counts are not the application's. (Here the drivers write
    timestamps while the other context runs, which no GPU does; so these times are not compared.)"""
    session = machine(lab, "gl", ("-l", "pass", "-e", "time,oa:RenderBasic"), "--surfaceless", "--frames", "30",
                      FAKE_I915="others")
    metrics, shared, near = intel_model.MetricSet("RenderBasic"), 0, clocks(session)
    for row in session.passes:
        begin = intel_model.ticks_at(int(row["gpu_start_ns"]))
        end = intel_model.ticks_at(int(row["gpu_start_ns"]) + int(row["gpu_time_ns"]))
        if not near < begin % intel_model.SLOT < intel_model.SLOT - near:
            continue
        theirs = intel_model.is_theirs(begin)
        where = f"frame {row['frame']}, pass {row['pass']}"
        ticks, _ = metrics.check(row, 3 if theirs else 1, where)
        if ticks is None:
            continue
        want = intel_model.of_context(begin, end, theirs)
        true(abs(ticks - want) <= near, f"{where}: {ticks} ticks, not {want} of {end - begin}")
        shared += want < end - begin - near
    true(shared >= 3, f"{shared} passes shared the GPU")


def case_oa_loses(lab):
    """A bracket that spans a lost buffer is empty; a lost report hides nothing."""
    session = machine(lab, "gl", ("-l", "pass", "-e", "time,oa:RenderBasic"), "--surfaceless", "--frames", "40",
                      FAKE_I915="loses")
    metrics, lost, near = intel_model.MetricSet("RenderBasic"), 0, clocks(session)
    for row in session.passes:
        begin = intel_model.ticks_at(int(row["gpu_start_ns"]))
        end = intel_model.ticks_at(int(row["gpu_start_ns"]) + int(row["gpu_time_ns"]))
        where = f"frame {row['frame']}, pass {row['pass']}"
        ticks, _ = metrics.check(row, 1, where)
        want = intel_model.is_lost(begin, end, near)
        if want is not None and row["frame"] != "0":
            equal(ticks is None, want, f"{where}: is empty ({begin} to {end})")
        lost += bool(want)
    true(lost >= 3, f"{lost} of {len(session.passes)} passes lost their reports")


def case_oa_rotates(lab):
    """Two sets rotate. A set is measured for 50 ms, then it changes when the reports of its frames have come."""
    sets = {name: intel_model.MetricSet(name) for name in ("RenderBasic", "ComputeBasic")}
    own = {"RenderBasic": "oa:L3Lookups", "ComputeBasic": "oa:TypedBytesRead_bytes"}
    session = machine(lab, "gl", ("-l", "pass", "-e", "time,oa:RenderBasic,oa:ComputeBasic"), "--surfaceless", "--frames",
                      "400", FAKE_I915="alone")
    frames = {name: set() for name in sets}
    for row in session.passes:
        got = [name for name in sets if row[own[name]]]
        true(len(got) <= 1, f"frame {row['frame']}: one set at a time")
        for name in got:
            sets[name].check(row, 1, f"frame {row['frame']}, pass {row['pass']}, {name}")
            frames[name].add(int(row["frame"]))
    true(all(len(it) >= 5 for it in frames.values()), f"frames of the sets: {frames}")
    equal(frames["RenderBasic"] & frames["ComputeBasic"], set(), "frames of both")


def case_mali_overlapped_sets(lab):
    """A source that counts the whole GPU (in every set), memory that frames show, and two rotated sets: each has the
    values that it has without the others."""
    sets = {name: intel_model.MetricSet(name) for name in ("RenderBasic", "ComputeBasic")}
    own = {"RenderBasic": "oa:L3Lookups", "ComputeBasic": "oa:TypedBytesRead_bytes"}
    events = "time,drm,oa:RenderBasic,oa:ComputeBasic,mali:MaliGPUCyclesGPUActive"
    session = machine(lab, "gl", ("--serialize", "-l", "pass", "-e", events), "--surfaceless", "--frames", "200",
                      FAKE_I915="alone", FAKE_MALI_ACTIVE=str(ACTIVE), FAKE_FDINFO="1")
    frames = {name: set() for name in sets}
    for row in session.passes:
        where = f"frame {row['frame']}, pass {row['pass']}"
        equal([int(float(value)) for value in mali(row).values()], [ACTIVE], f"{where}: clocks of the whole GPU")
        equal(row["serialize:isolated"], "1", f"{where}: is alone")
        got = [name for name in sets if row[own[name]]]
        true(len(got) <= 1, f"{where}: one set at a time")
        for name in got:
            sets[name].check(row, 1, f"{where}, {name}")
            frames[name].add(int(row["frame"]))
    equal(frames["RenderBasic"] & frames["ComputeBasic"], set(), "frames of both")
    true(all(len(it) >= 5 for it in frames.values()), f"frames of the sets: {frames}")
    equal([row["frame"] for row in session.frames if row["drm:engine-render_ns"] == ""], [], "frames without memory")


def case_oa_refused(lab):
    """A user whom the kernel refuses learns what to do, and all other events are measured."""
    for kind, words in ("paranoid", ("perf_stream_paranoid is 1", "sudo sysctl")), ("busy", ("another profiler",)):
        session = machine(lab, "gl", ("-l", "pass", "-e", "time,oa"), "--surfaceless", "--frames", "3", FAKE_I915=kind)
        missing = [it for it in session.json["devices"][0]["events_missing"] if it["event"] == "oa"]
        equal(len(missing), 1, f"{kind}: missing")
        true(all(word in missing[0]["reason"] for word in words), f"{kind}: {missing[0]['reason']}")
        true(all(row["gpu_time_ns"] for row in session.passes), f"{kind}: times are there")


def drm(lab, which, *sample):
    """Every frame's reading is one step further; the next reading makes up for a step back."""
    session = machine(lab, which, ("-e", "time,drm"), "--frames", "40", *sample, FAKE_FDINFO="1")
    rows = [row for row in session.frames if row["drm:engine-render_ns"]]
    equal(len(rows), len(session.frames), "frames with a value, the first too")
    total = 0
    for i, row in enumerate(rows):
        where = f"frame {row['frame']}"
        render = int(row["drm:engine-render_ns"])
        kib = int(row["drm:resident-system0_bytes"]) // 1024
        reading = kib - 4096
        back = reading % 10
        equal(render, {9: 0, 0: 2 * 1000003}.get(back, 1000003), f"{where}: engine-render, reading {reading}")
        equal(row["drm:engine-copy_ns"], "70001", f"{where}: engine-copy")
        equal(row["drm:engine-video_ns"], "0", f"{where}: engine-video")
        equal(int(row["drm:busy_ns"]), render + 70001, f"{where}: busy is all engines'")
        equal(row["drm:memory_bytes"], row["drm:resident-system0_bytes"], f"{where}: memory is what is resident")
        equal(row["drm:total-system0_bytes"], str(65536 * 1024), f"{where}: total")
        equal(reading, int(rows[0]["drm:resident-system0_bytes"]) // 1024 - 4096 + i, f"{where}: one reading a frame")
        total += render
    true(total > 0, "something was counted")


def case_drm_gl(lab):
    drm(lab, "gl", "--surfaceless")


def case_drm_vk(lab):
    drm(lab, "vk")


def hwmon(lab, which, *sample):
    card = "sys/class/drm/card0"
    sensors = {"device/hwmon/hwmon1/temp1_input": "-41500", "device/hwmon/hwmon1/temp2_input": "61000",
               "device/hwmon/hwmon1/power1_average": "123000000", "device/hwmon/hwmon1/in0_input": "806",
               "device/hwmon/hwmon1/energy1_input": "987654321", "gt_act_freq_mhz": "750"}
    for path, text in sensors.items():
        write(lab, f"{card}/{path}", text + "\n")
    write(lab, f"{card}/device/hwmon/hwmon1/temp2_label", "junction\n")
    os.makedirs(os.path.join(lab.path("root"), card, "device/hwmon/hwmon1/fan1_input"), exist_ok=True)
    session = machine(lab, which, ("-e", "time,hwmon"), "--frames", "20", *sample, FAKE_I915="alone")
    want = {"hwmon:temperature_millicelsius": "-41500", "hwmon:temperature-junction_millicelsius": "61000",
            "hwmon:power_microwatts": "123000000", "hwmon:voltage_millivolts": "806", "hwmon:fan_rpm": "",
            "hwmon:energy_microjoules": "987654321", "hwmon:clock-actual_hz": "750000000"}
    for row in session.frames:
        equal({name: value for name, value in row.items() if name.startswith("hwmon:")}, want, f"frame {row['frame']}")


def case_hwmon_gl(lab):
    """A sensor that cannot be read (here a folder) leaves its cell empty, and no other cell."""
    hwmon(lab, "gl", "--surfaceless")


def case_hwmon_vk(lab):
    hwmon(lab, "vk")


CPU = {"cpu:cycles_cycles": 1, "cpu:instructions": 2, "cpu:cache-misses": 4, "cpu:page-faults": 3}


def cpu(row, step):
    """Readings that were made one after another; all events of a set have the same reading."""
    got = {column: row[column] for column in row if column.startswith("cpu:")}
    if not any(got.values()):
        return None
    readings = {int(row[column]) // step // times for column, times in CPU.items()}
    equal(got, {column: str(step * times * min(readings)) for column, times in CPU.items()}, f"frame {row['frame']}")
    return min(readings)


HARDWARE = {"cpu:cycles_cycles": 1, "cpu:instructions": 2, "cpu:cache-references": 3, "cpu:cache-misses": 4,
            "cpu:branches": 5, "cpu:branch-misses": 6, "cpu:stalled-cycles-frontend_cycles": 8,
            "cpu:stalled-cycles-backend_cycles": 9, "cpu:ref-cycles_cycles": 10}
EVERY_CPU = "time,cpu:cycles,cpu:instructions,cpu:cache-misses,cpu:page-faults"


def recorded(session, step, frames):
    """Every reading is one step further. A draw's readings are one step apart; a pass has two for each of its draws and
    one more; frames have the rest, the first frame too."""
    draws = session.table("draws.csv") if session.json["options"]["level"] == "draw" else []
    equal({cpu(row, step) for row in draws} - {1}, set(), "readings of draws")
    for row in session.passes:
        within = [it for it in draws if it["frame"] == row["frame"] and it["pass"] == row["pass"]]
        equal(cpu(row, step), 1 + 2 * len(within), f"frame {row['frame']}, pass {row['pass']}: readings")
    for row in frames:
        brackets = [it for it in draws + session.passes if it["frame"] == row["frame"]]
        equal(cpu(row, step), 1 + 2 * len(brackets), f"frame {row['frame']}: readings")


def case_cpu_gl(lab):
    step = 1009
    session = machine(lab, "gl", ("-l", "draw", "-e", EVERY_CPU), "--surfaceless", "--frames", "20", FAKE_PERF_STEP=str(step))
    recorded(session, step, session.frames)


def case_cpu_turns(lab):
    """More events than the CPU has counters (8): frames have one set or the other, of the presenting thread, in both
    APIs. Events that software counts do not rotate."""
    step = 1031
    for which, words in ("gl", ("--surfaceless",)), ("vk", ()):
        for level in ("frame", "pass"):
            session = machine(lab, which, ("-l", level, "-e", "time,cpu"), "--frames", "20", *words, FAKE_PERF_STEP=str(step))
            had = {}
            for row in session.frames[1:]:
                got = frozenset(name for name in row if name.startswith("cpu:") and row[name])
                had.setdefault(got, []).append(int(row["frame"]))
                readings = {int(row[name]) / step / times for name, times in HARDWARE.items() if row[name]}
                true(len(readings) == 1 and min(readings) >= 1, f"{which}, {level}, {row}: {readings} readings")
            hardware = [{name for name in it if name in HARDWARE} for it in had]
            true(len(hardware) > 1 and all(hardware), f"{which}, {level}: sets {had}")
            equal(set().union(*hardware), set(HARDWARE), f"{which}, {level}: all in some frames")
            equal(sum(len(it) for it in hardware), len(HARDWARE), f"{which}, {level}: no event is in two sets: {hardware}")
            equal([it for it in session.json["frames"]["events_missing"] if "perf_event" not in it["reason"]
                   and "paranoid" not in it["reason"]], [], f"{which}, {level}: what is missing")
            software = {"cpu:page-faults", "cpu:minor-faults", "cpu:major-faults", "cpu:task-clock_ns"}
            equal([row["frame"] for row in session.frames if not all(row[name] for name in software)], [],
                  f"{which}, {level}: frames without what software counts")
            for row in session.passes if which == "gl" else ():  # Vulkan's command buffers are recorded once
                true(all(row[name] for name in software), f"{which}, {level}: pass {row['pass']} of frame {row['frame']}")
            got, sets = session.json["frames"]["events_got"], session.json["frames"]["event_sets"]
            equal(len(set(got)), len(got), f"{which}, {level}: each event once: {got}")
            equal((len(sets), set().union(*sets)), (len(had), set(got)), f"{which}, {level}: sets")
            text = " ".join(lab.run([lab.passprobe, "report", session.path]).stdout.split())
            equal(len(set(re.findall(r" (cpu:\S+) scaled duty [0-9.]+%", text))), len(HARDWARE),
                  f"{which}, {level}: turns in {text}")
            true(re.search(r" cpu:page-faults \d", text), f"{which}, {level}: page-faults in {text}")


def case_cpu_vk(lab):
    """Recording costs CPU time: each frame that is recorded anew has the cost."""
    step = 1013
    for level in ("pass", "draw"):
        session = machine(lab, "vk", ("-l", level, "-e", EVERY_CPU), "--frames", "20", "--rerecord", FAKE_PERF_STEP=str(step))
        recorded(session, step, session.frames)


def case_cpu_vk_once(lab):
    """Recorded once (the sample has two command buffers, which alternate): the first submission of each has the cost of
    recording; later ones have none."""
    step = 1019
    session = machine(lab, "vk", ("-l", "draw", "-e", EVERY_CPU), "--frames", "20", FAKE_PERF_STEP=str(step))
    for row in session.passes + session.table("draws.csv"):
        true((cpu(row, step) is not None) == (int(row["frame"]) < 2), f"frame {row['frame']}: {row}")
    equal({cpu(row, step) for row in session.frames[2:]}, {1}, "readings of frames that recorded nothing")


def case_cpu_vk_secondary(lab):
    """The scene's draws come from a secondary command buffer: the draws have a cost; their pass, which was recorded
    elsewhere, has none."""
    step = 1021
    session = machine(lab, "vk", ("-l", "draw", "-e", EVERY_CPU), "--frames", "2", "--secondary", FAKE_PERF_STEP=str(step))
    equal({cpu(row, step) for row in session.table("draws.csv")}, {1}, "readings of draws")
    for row in session.passes:
        want = {"0": 3, "1": None, "2": 3, "3": 3, "4": 5}[row["pass"]]
        equal(cpu(row, step), want, f"frame {row['frame']}, pass {row['pass']}: readings")


main(globals())
