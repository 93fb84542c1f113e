"""Applications of other authors, under Xvfb and weston: as many frames as they report, nothing dropped, and possible
values."""
import os
import re
import shutil

from harness import LIB, attachments, equal, main, need, need_vulkan, number, true



def record(lab, *command, timeout=None, server="Xvfb", **env):
    """Run under a display server and passprobe; after the timeout the application gets SIGTERM."""
    need(server, command[0])
    end = ["timeout", str(timeout)] if timeout else []
    done = lab.run([os.path.join(LIB, "with-" + server.lower())] + lab.record("-e", "time,pipeline") + end + ["stdbuf", "-oL", *command],
                   check=not timeout, **env)
    return done, lab.session()


def gaps_of(session):
    """Gaps of frame numbers; they must all be counted as dropped frames."""
    numbers = [int(row["frame"]) for row in session.frames]
    gaps = [(a, b) for a, b in zip(numbers, numbers[1:]) if b != a + 1]
    dropped = session.json["dropped"]["frames"]
    true(sum(b - a - 1 for a, b in gaps) <= dropped, f"{dropped} frames dropped, gaps {gaps[:5]}")
    return numbers, gaps


def check(session, api, **want):
    """Rules for every application."""
    numbers, gaps = gaps_of(session)
    true(numbers[:1] == [0] and not gaps, f"frame numbers: {gaps[:5]}, dropped {session.json['dropped']}")
    equal({row["api"] for row in session.frames}, {api}, "api")
    timed = [row for row in session.frames if row["gpu_time_ns"]]
    true(len(timed) >= 0.95 * len(session.frames) - 4, f"{len(timed)} of {len(session.frames)} frames have times")
    sums = {}
    for row in session.passes:
        total = sums.setdefault(row["frame"], [0, 0])
        total[0] += 1
        total[1] += number(row, "draws")
    for row in session.frames:
        got = sums.get(row["frame"], [0, 0])
        equal([number(row, "passes"), number(row, "draws")], got, f"frame {row['frame']}: passes and draws add up")
    for row in timed:
        true(number(row, "gpu_busy_ns") <= number(row, "gpu_time_ns"), "busy lies in the frame's time")
    equal(session.lost(), {}, "nothing was lost")
    size = {(row["width"], row["height"]) for row in session.passes if row["kind"] == "render"}
    for name, value in want.items():
        equal({"size": size}[name], value, name)


def reported_in_5_seconds(text):
    """The number of frames that the gears print for their first five seconds."""
    found = re.search(r"(\d+) frames in (\d+\.\d+) seconds", text)
    true(found, f"no frame count in {text!r}")
    return int(found.group(1)), float(found.group(2))


def gears(lab, program, api):
    """The gears count frames until five seconds have passed; passprobe must count as many. When a virtual machine
    is stopped, the gears' clock moves forward and passprobe's clock does not. When its disk is blocked, the
    collector waits until frames are dropped. In these cases the run is repeated once, if the drops are counted."""
    try:
        return gears_once(lab, program, api)
    except AssertionError as failure:
        print(f"once more: {failure}")
        gaps_of(lab.session())
        shutil.rmtree(lab.path("data"), ignore_errors=True)
        return gears_once(lab, program, api)


def gears_once(lab, program, api):
    """One run."""
    done, session = record(lab, program, timeout=6.5)
    if "frames in" not in done.stdout:  # a busy machine: the start took longer than a second and a half
        shutil.rmtree(session.path)
        done, session = record(lab, program, timeout=20)
    check(session, api)
    reported, seconds = reported_in_5_seconds(done.stdout)
    start = number(session.frames[0], "cpu_start_ns")
    ours = sum(1 for row in session.frames
               if number(row, "cpu_start_ns") + number(row, "frame_time_ns") - start <= seconds * 1e9)
    # the gears' clock starts a little after passprobe's (the first frame includes start-up) and is rounded to 0.1 s
    true(abs(ours - reported) <= 0.05 * reported + 3, f"{program} reports {reported}, passprobe {ours}")
    return session


def case_glxgears(lab):
    """GLX, compatibility profile, display lists."""
    session = gears(lab, "glxgears", "gl")
    equal({(row["width"], row["height"]) for row in session.passes if row["kind"] == "render"}, {("300", "300")},
          "size of the window")


def case_es2gears(lab):
    """EGL, GLES 2."""
    session = gears(lab, "es2gears_x11", "gles")
    equal({(row["width"], row["height"]) for row in session.passes if row["kind"] == "render"}, {("300", "300")},
          "size of the window")
    equal({number(row, "draws") for row in session.frames[:-1]}, {3}, "draws of a frame: three gears")


def glmark2(lab, program, api, scene, **how):
    """A fixed number of frames, however long a busy machine takes (glmark2's own limit is ten seconds). While it loads
    it shows at most one more frame."""
    done, session = record(lab, program, "-b", f"{scene}:duration=600:nframes=150", "--size", "64x64", **how)
    true(re.search(r"nframes=150: FPS: \d+", done.stdout), f"it ran: {done.stdout[-500:]}")
    check(session, api)
    true(150 <= len(session.frames) <= 151, f"{len(session.frames)} frames, not 150 or 151")


def case_glmark2(lab):
    """Desktop OpenGL that the application finds by dlopen and dlsym."""
    glmark2(lab, "glmark2", "gl", "build")


def case_glmark2_passes(lab):
    """A scene with several passes: refract renders a depth map first."""
    glmark2(lab, "glmark2", "gl", "refract")


def case_glmark2_es2(lab):
    """GLES 2."""
    glmark2(lab, "glmark2-es2", "gles", "build")


def case_wayland(lab):
    """Desktop OpenGL by EGL on a Wayland surface."""
    glmark2(lab, "glmark2-wayland", "gl", "build", server="weston")


def case_wayland_es2(lab):
    """GLES 2 on a Wayland surface."""
    glmark2(lab, "glmark2-es2-wayland", "gles", "build", server="weston")


def vkcube(lab, program, size, **how):
    """Three command buffers recorded once, 200 presents."""
    need_vulkan()
    _, session = record(lab, program, "--c", "200", "--width", "64", "--height", "64", "--suppress_popups", **how)
    equal(len(session.frames), 200, "frames")
    check(session, "vulkan", size={size})
    for row in session.passes:
        if row["kind"] == "render":
            equal(number(row, "draws"), 1, "draws of a frame")
            equal([number(row, "pipeline:" + name) for name in
                   ("input_assembly_vertices", "input_assembly_primitives", "vertex_shader_invocations")],
                  [36, 12, 36], "a cube is 12 triangles")
            true(attachments(row["attachments"]).startswith("color0=B8G8R8A8_"), row["attachments"])


def case_vkcube(lab):
    """A swapchain on X11."""
    vkcube(lab, "vkcube", ("64", "64"))


def case_vkcube_wayland(lab):
    """A swapchain on Wayland."""
    vkcube(lab, "vkcube-wayland", ("64", "64"), server="weston")


main(globals())
