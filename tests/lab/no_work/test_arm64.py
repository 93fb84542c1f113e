"""Debian's arm64 drivers on simulated devices whose GPU executes nothing, under qemu-user: Turnip, freedreno, V3DV, v3d and
panfrost. tools/lab_arm64.sh prepares what the tests need; without it they are skipped."""
import glob
import os
import re

from harness import Skip, equal, main, true
from no_work import LEVELS, nothing_measured

FRAMES = 3
LEAST_COUNTERS = 400  # Turnip's for Adreno 630: 489 in Mesa 22.3.6


class Device:
    """A simulated device of a system on a chip. The words in front of a program are qemu's, because this machine does not
    run arm64 programs; so applications are recorded by variables, not by the command."""

    def __init__(self, lab, name, icd="freedreno", **more):
        self.top = os.environ.get("PP_LAB_ARM64", "")
        if not os.path.exists(os.path.join(self.top, "build", "liblab-drm.so")) or not self.top:
            raise Skip("the arm64 drivers are not there: run tools/lab_arm64.sh")
        self.lab, self.name = lab, name
        self.root = os.path.join(self.top, "root")
        self.build = os.path.join(self.top, "build")
        self.more = {"DISPLAY": "", "EGL_PLATFORM": "surfaceless", "LIBGL_ALWAYS_SOFTWARE": "0", "LAB_MODE": "noop",
                     "VK_ICD_FILENAMES": os.path.join(self.top, icd + ".json"), "LAB_DEVICE": name,
                     "XDG_DATA_DIRS": os.path.join(self.build, "share") + ":/usr/share",
                     "LAB_LOG": lab.path("lab.log"), **more}

    def emulated(self, program, *words, shim=False):
        libraries = os.path.join(self.root, "usr", "lib", "aarch64-linux-gnu")
        preload = os.path.join(self.build, "liblab-drm.so")
        if shim:
            preload = os.path.join(self.build, "lib", "libpassprobe-gl.so") + ":" + preload
        return ["qemu-aarch64", "-L", self.root, "-E", f"LD_LIBRARY_PATH={libraries}:{self.root}/lib/aarch64-linux-gnu",
                "-E", f"LD_PRELOAD={preload}", "-E", f"LIBGL_DRIVERS_PATH={libraries}/dri",
                "-E", f"__EGL_VENDOR_LIBRARY_DIRS={self.root}/usr/share/glvnd/egl_vendor.d",
                os.path.join(self.build, "bin", program), *words]

    def list(self, *words):
        return self.lab.run(self.emulated("passprobe", "list", *words), **self.more).stdout

    def record(self, which, level, *words, **more):
        """Run a sample bare and with passprobe: the same output. Returns what was said on stderr, and the session."""
        command = (f"passprobe-sample-{which}", "--frames", str(FRAMES), *words)
        variables = {**self.more, **more}
        bare = self.lab.run(self.emulated(*command), **self.more)
        out = f"data-{level}"
        done = self.lab.run(self.emulated(*command, shim=which == "gl"), **variables, PASSPROBE="1",
                            PASSPROBE_LEVEL=level, PASSPROBE_OUTPUT=self.lab.path(out))
        equal(done.stdout, bare.stdout, "what the application prints")
        return done.stderr, self.lab.session(out)


def missing(session):
    return {(row["event"], row["reason"]) for row in session.json["devices"][0]["events_missing"]}


def case_list(lab):
    adreno = Device(lab, "adreno630", TU_DEBUG="perfc", FD_MESA_DEBUG="perfcntrs")
    shown = adreno.list()
    for text in ("Turnip Adreno (TM) 630", "FD630", "SP: 85 counters, 23 at a time"):
        true(text in shown, f"{text} in {shown}")
    true(len(re.findall(r"^ +khr:", adreno.list("-e", "khr:*"), re.MULTILINE)) >= LEAST_COUNTERS, "counters of Turnip")
    pi = Device(lab, "rpi4", "broadcom")
    shown = pi.list()
    for text in ("V3D 4.2", "V3D counters: 87 counters, 32 at a time", "V3DV counts whole jobs"):
        true(text in shown, f"{text} in {shown}")
    equal(len(re.findall(r"^ +khr:", pi.list("-e", "khr:*"), re.MULTILINE)), 87, "counters of V3DV")
    shown = Device(lab, "mali-g52").list()
    true("Mali-G52 (Panfrost)" in shown and "no: the driver lacks GL_AMD_performance_monitor" in shown, shown)


def case_turnip(lab):
    device = Device(lab, "adreno630", TU_DEBUG="perfc")
    for level in LEVELS:
        _, session = device.record("vk", level)
        nothing_measured(session.frames, f"{level}: frames.csv")
        if level != "frame":
            nothing_measured(session.passes, f"{level}: passes.csv")
        true(session.lost().get("times_not_landed", 0) >= FRAMES, f"{level}: {session.lost()}")


def case_turnip_khr(lab):
    """The driver counts whole command buffers. Results never come, so no frame has values."""
    device = Device(lab, "adreno630", TU_DEBUG="perfc")
    for level in ("frame", "pass"):
        _, session = device.record("vk", level, "--rerecord", PASSPROBE_EVENTS="khr:PERF_SP_BUSY_CYCLES")
        nothing_measured(session.frames, f"{level}: frames.csv")
        true("khr:PERF_SP_BUSY_CYCLES" in session.json["devices"][0]["events_got"], "the event is planned")
        notes = " ".join(session.json["devices"][0]["notes"])
        true("count whole command buffers" in notes, notes)
    bare = Device(lab, "adreno630")  # without TU_DEBUG there is no extension
    _, session = bare.record("vk", "pass", PASSPROBE_EVENTS="khr:PERF_SP_BUSY_CYCLES")
    true(any("khr" in event for event, _ in missing(session)), str(missing(session)))


def case_v3dv(lab):
    device = Device(lab, "rpi4", "broadcom")
    for level in LEVELS:
        _, session = device.record("vk", level)
        equal(len(session.frames), FRAMES, f"{level}: frames")
        for row in session.frames:
            equal({name: cell for name, cell in row.items() if name.startswith("pipeline:") and cell}, {}, level)
        true(any("pipelineStatisticsQuery" in reason for _, reason in missing(session)), str(missing(session)))


def case_v3dv_khr(lab):
    """Counter number N grows by N + 1 with each job. Each pass is one job with a monitor of its own; the transfer pass
    is one job for the blit, and copies without a monitor."""
    device = Device(lab, "rpi4", "broadcom")
    _, session = device.record("vk", "pass", PASSPROBE_EVENTS="khr:TLB-quads-*,khr:CLE-active-cycles")
    columns = [name for name in session.passes[0] if name.startswith("khr:")]
    true(len(columns) >= 6, str(columns))
    numbers = dict(zip(("khr:TLB-quads-not-passing-stencil-test", "khr:TLB-quads-not-passing-z-and-stencil-test",
                        "khr:TLB-quads-passing-z-and-stencil-test", "khr:TLB-quads-with-zero-coverage",
                        "khr:TLB-quads-with-non-zero-coverage"), range(5, 10)))
    for row in session.passes:
        for name, number in numbers.items():
            equal(row[name], str(number), f"{name} of {row['name']} in frame {row['frame']}: one job")
    log = "".join(open(path, encoding="utf-8").read() for path in glob.glob(lab.path("lab.log") + ".*"))
    jobs = len(re.findall(r"SUBMIT_C(?:L|SD) monitor [1-9]", log))
    equal(jobs, len(session.passes), f"jobs with a monitor: {log}")


def case_v3d(lab):
    """No timer queries: the reason is given, on stderr, too."""
    device = Device(lab, "rpi4", "broadcom")
    for level in LEVELS:
        said, session = device.record("gl", level, "--es")
        equal({row["gpu_time_ns"] for row in session.frames}, {""}, f"{level}: GPU times")
        true("no timer queries" in said, said)


def case_panfrost(lab):
    device = Device(lab, "mali-g52")
    for level in LEVELS:
        said, session = device.record("gl", level, "--es")
        equal({row["gpu_time_ns"] for row in session.frames}, {""}, f"{level}: GPU times")
        true("no timer queries" in said, said)


def case_freedreno(lab):
    """The sample has a dispatch, after which this version of the driver hangs at a query unless the rendering in front of
    the dispatch was flushed."""
    device = Device(lab, "adreno630", FD_MESA_DEBUG="perfcntrs")
    for level in LEVELS:
        _, session = device.record("gl", level, "--es")
        nothing_measured(session.frames, f"{level}: frames.csv")
        if level != "frame":
            nothing_measured(session.passes, f"{level}: passes.csv")
        true(session.lost().get("times_not_landed", 0) >= FRAMES, f"{level}: {session.lost()}")
    _, session = device.record("gl", "pass", "--es", PASSPROBE_EVENTS="amd:PERF_SP_BUSY_CYCLES")
    true("amd:PERF_SP_BUSY_CYCLES" in session.json["devices"][0]["events_got"], "the event is planned")
    nothing_measured(session.passes, "amd: passes.csv")


if __name__ == "__main__":
    main(globals())
