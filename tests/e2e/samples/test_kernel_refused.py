"""Every documented way in which the kernel refuses counters: the application runs and is timed, no value is guessed,
and the reason says what would help and what it costs. The kernel is a fake (tests/fake/kernel/machines.h)."""
import errno
import os

from harness import equal, fake_kernel, main, true

FRAMES = 8


def write(lab, path, text):
    path = os.path.join(lab.path("root"), path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(lab, number, driver, events, files, **env):
    """The sample on a machine that refuses. @return missing events, notes, the session."""
    device = "sys/class/drm/renderD128/device"
    root = lab.path("root")
    # so that every frame asks and reads
    files = {f"{device}/device": "0x5916\n", f"{device}/drm/card0/gt_max_freq_mhz": "1050\n",
             f"{device}/drm/card0/metrics/none": "", f"sys/bus/drivers/{driver}/bind": "", "dev/dri/renderD128": "", **files}
    for path, text in files.items():
        write(lab, path, text)
    link = os.path.join(root, device, "driver")
    if os.path.islink(link):
        os.unlink(link)
    os.symlink(f"../../../../bus/drivers/{driver}", link)
    out = f"data{number}"
    done = lab.run(lab.record("--serialize", "-l", "pass", "-e", f"time,{events}", out=out)
                   + lab.sample("gl", "--surfaceless", "--frames", str(FRAMES)),
                   LD_PRELOAD=fake_kernel(lab), FAKE_KERNEL_ROOT=root, **env)
    true("VIOLATION" not in done.stderr, done.stderr)
    session = lab.session(out)
    for path in files:
        os.unlink(os.path.join(root, path))
    equal(len(session.frames), FRAMES, f"{env}: frames")
    true(all(row["gpu_time_ns"] for row in session.passes), f"{env}: times are there")
    said = {}
    for device in session.json["devices"]:
        said.update({it["event"]: it["reason"] for it in device["events_missing"]})
    said.update({it["event"]: it["reason"] for it in session.json["frames"]["events_missing"]})
    return said, [note for device in session.json["devices"] for note in device["notes"]], session


def check(lab, source, rows, **options):
    """Rows of environment, files, event and expected text: a missing event's reason, or else a note."""
    for number, (env, files, event, *words) in enumerate(rows):
        said, notes, session = run(lab, number, options.get("driver", "i915"), options.get("events", source), files,
                                   **options.get("env", {}), **env)
        text = said.get(event, "") if event else " ".join(notes)
        true(text and all(word in text for word in words), f"{env}: {words} in {text!r} ({said}, {notes})")
        cells = [value for row in session.passes + session.frames for name, value in row.items()
                 if name.startswith(source + ":")]
        equal([value for value in cells if value], [], f"{env}: values")


PARANOID = "proc/sys/dev/i915/perf_stream_paranoid"
RATE = "proc/sys/dev/i915/oa_max_sample_rate"


def i915(kind, error):
    return {"FAKE_I915": f"{kind}={int(error)}"}


def case_i915(lab):
    check(lab, "oa", [
        ({"FAKE_I915": "paranoid"}, {PARANOID: "1\n"}, "oa", "perf_stream_paranoid is 1", "needs 0", "sudo sysctl",
         "lets every user watch the whole GPU", "CAP_PERFMON"),
        ({"FAKE_I915": "paranoid"}, {PARANOID: "0\n"}, "oa", "although", "container"),
        (i915("rate", 100), {PARANOID: "0\n", RATE: "100\n"}, "oa", "oa_max_sample_rate is 100", "needs 10000", "sudo sysctl"),
        ({"FAKE_I915": "busy"}, {}, "oa", "another profiler"),
        (i915("open", errno.ENODEV), {}, "oa", "no i915-perf"),
        (i915("open", errno.EMFILE), {}, "oa", "no file descriptor is left", "ulimit -n"),
        (i915("open", errno.EIO), {}, "oa", "dmesg"),
        (i915("open", errno.ENOMEM), {}, "oa", "Cannot allocate memory"),
        (i915("remove", 524), {}, "oa", "no i915-perf"),
        (i915("remove", errno.EINVAL), {}, "oa", "no i915-perf"),
        ({"FAKE_NODE": f"open={errno.EACCES}"}, {}, "oa", "renderD128: Permission denied", "group render"),
        # after the application has started
        (i915("later", errno.EBUSY), {}, None, "oa: the kernel did not measure", "another profiler", "only one can"),
        (i915("later", errno.EACCES), {PARANOID: "1\n"}, None, "oa: the kernel did not measure", "perf_stream_paranoid is 1"),
        (i915("later", errno.EMFILE), {}, None, "oa: the kernel did not measure", "ulimit -n"),
        (i915("set", errno.EACCES), {PARANOID: "1\n"}, None, "oa: the kernel did not measure", "perf_stream_paranoid is 1"),
        (i915("set", errno.EADDRINUSE), {}, None, "oa: the kernel did not measure", "another program adds the same metric set"),
        (i915("set", errno.ENOMEM), {}, None, "oa: the kernel did not measure", "Cannot allocate memory"),
    ], events="oa:RenderBasic.VsThreads")


def mali(kind):
    return {"FAKE_MALI": kind, "FAKE_MALI_ACTIVE": "1000"}


ACTIVE = "mali:MaliGPUCyclesGPUActive"


def case_panfrost(lab):
    check(lab, "mali", [
        (mali("panfrost,off"), {}, "mali", "root must write Y into /sys/module/panfrost/parameters/unstable_ioctls",
         "taints the kernel", "keep it powered"),
        (mali("panfrost,owned"), {}, "mali", "another profiler", "only one can"),
        ({"FAKE_NODE": f"open={errno.EACCES}"}, {}, "mali", "renderD128: Permission denied", "group render"),
        (mali(f"panfrost,later={errno.EBUSY}"), {}, None, "mali: some values could not be read", "another profiler"),
        (mali(f"panfrost,later={errno.ENOSYS}"), {}, None, "mali: some values could not be read", "unstable_ioctls"),
    ], driver="panfrost", events=ACTIVE)
    check(lab, "mali", [({}, {}, "mali", "panthor offers no counters")], driver="panthor", events=ACTIVE)


def case_kbase(lab):
    check(lab, "mali", [
        (mali("kbase,csf"), {}, "mali", "GPUs with command streams"),
        (mali("kbase,old"), {}, "mali", "interface is 11.30", "need 11.37"),
        (mali("kbase,nokinstr"), {}, "mali", "kinstr_prfcnt"),
        (mali(f"kbase,setup={errno.EINVAL}"), {}, "mali", "CONFIG_MALI_PRFCNT_SET_SECONDARY"),
        (mali(f"kbase,setup={errno.EBUSY}"), {}, "mali", "accepts no more readers"),
        (mali(f"kbase,setup={errno.EPERM}"), {}, "mali", "Operation not permitted"),
        (mali(f"kbase,later={errno.ENOMEM}"), {}, None, "mali: some values could not be read", "accepts no more readers"),
        (mali(f"kbase,later={errno.EMFILE}"), {}, None, "mali: some values could not be read", "ulimit -n"),
        ({}, {}, "mali", "/dev/mali0 does not exist"),
    ], events=ACTIVE)


def case_xe(lab):
    """The xe driver of newer Intel GPUs has streams of another form, which passprobe does not read: list, doctor and a
    recording say so and name the alternatives."""
    words = ("kernel driver is xe", "only the counters of i915", "khr:", "sysctl dev.xe.observation_paranoid=0")
    said, _, session = run(lab, 0, "xe", "oa", {})
    true(all(word in said.get("oa", "") for word in words), f"record: {said}")
    true(not any(row[name] for row in session.passes for name in row if name.startswith("oa:")), "nothing is guessed")
    device = "sys/class/drm/renderD128/device"
    for path in f"{device}/device", "dev/dri/renderD128":
        write(lab, path, "0x64a0\n")
    env = {"LD_PRELOAD": fake_kernel(lab), "FAKE_KERNEL_ROOT": lab.path("root"), "FAKE_FDINFO": "xe"}
    for command in ([lab.passprobe, "list", "-e", "oa"],
                    [lab.passprobe, "doctor", "-e", "time,oa,drm", "--", *lab.sample("gl", "--surfaceless", "--frames", "3")]):
        text = " ".join(lab.run(command, check=False, **env).stdout.split())
        true(all(word in text for word in words), f"{command[1]}: {text}")
    text = " ".join(lab.run([lab.passprobe, "list", "-e", "drm"], **env).stdout.split())
    true("driver xe counts clocks instead of time" in text and "drm:cycles-rcs [cycles]" in text, f"drm: {text}")


LEVEL = "proc/sys/kernel/perf_event_paranoid"


def perf(kind):
    return {"FAKE_PERF_STEP": "1", "FAKE_PERF_REFUSES": kind}


def case_perf(lab):
    check(lab, "cpu", [
        (perf("paranoid=3"), {LEVEL: "3\n"}, "cpu:cycles", "kernel.perf_event_paranoid is 3; cpu needs 2", "sudo sysctl",
         "lets every user count the user space of their own processes", "CAP_PERFMON"),
        (perf(f"error={errno.EPERM}"), {LEVEL: "1\n"}, "cpu:cycles", "although", "seccomp"),
        (perf(f"error={errno.ENOSYS}"), {}, "cpu:cycles", "CONFIG_PERF_EVENTS"),
        (perf(f"error={errno.ENOENT}"), {}, "cpu:cycles", "a virtual machine needs a virtual PMU"),
        (perf(f"error={errno.EMFILE}"), {}, "cpu:cycles", "ulimit -n"),
        (perf(f"error={errno.EBUSY}"), {}, "cpu:cycles", "busy"),
        (perf(f"error={errno.ENOSPC}"), {}, "cpu:cycles", "No space left"),
        (perf("nopmu"), {LEVEL: "2\n"}, "cpu:cycles", "a virtual machine needs a virtual PMU"),
        # what a thread is refused after it has begun to draw
        (perf("after=1"), {}, None, "cpu: some values could not be read", "ulimit -n"),
    ], events="cpu:cycles,cpu:instructions")


def case_drm(lab):
    def client(kind):
        return {"FAKE_FDINFO": kind}
    check(lab, "drm", [
        (client("nokeys"), {}, "drm", "this version of the kernel's driver nouveau does not report it in fdinfo"),
        (client("noclient"), {}, "drm", "driver i915 does not report it"),
        (client("nonsense"), {}, "drm", "driver i915 does not report it"),
        (client("notime"), {}, "drm:busy", "driver i915 does not report the time of engines"),
        ({"FAKE_NODE": f"open={errno.EACCES}"}, {}, "drm", "renderD128: Permission denied", "group render"),
    ], events="drm:busy")


def case_drm_gone(lab):
    """An fdinfo file that disappears while the application runs leaves that client's cells empty, and no others."""
    _, _, session = run(lab, 0, "i915", "drm", {}, FAKE_FDINFO="gone")
    values = [row["drm:engine-copy_ns"] for row in session.frames]
    true(values[0] != "" and values[-1] in ("0", ""), f"values {values}")


def case_hwmon(lab):
    """A sensor that fails leaves its own cell empty, and no other cell."""
    folder = "sys/class/drm/card0/device/hwmon/hwmon1"
    files = {f"{folder}/temp1_input": "61000\n", f"{folder}/power1_average": "1\n"}
    for number, (what, error) in enumerate((("read", errno.EIO), ("read", errno.EAGAIN), ("read", errno.ENODEV),
                                            ("read", errno.ETIMEDOUT), ("open", errno.EACCES), ("open", errno.ENXIO))):
        said, _, session = run(lab, number, "i915", "hwmon", files, FAKE_SENSOR=f"{what}={int(error)}")
        for row in session.frames:
            equal(row["hwmon:temperature_millicelsius"], "61000", f"{what} {error}: the other sensor")
            equal(row.get("hwmon:power_microwatts", ""), "", f"{what} {error}: this one")
        if what == "open":
            reason = next((text for name, text in said.items() if "power" in name), "")
            true("power1_average: " + os.strerror(error) in reason, f"{what} {error}: {said}")


main(globals())
