"""Every way to find OpenGL's functions: the application prints the same as bare, and every swap and draw is counted."""
import itertools
import os
import re
import shutil

from harness import Skip, equal, main, true
from shim import preload

FRAMES, DRAWS = 7, 3


def builds(lab):
    """The folders of the compilers and optimisation levels."""
    top = os.path.join(lab.build, "tests", "reach")
    found = [os.path.join(top, name) for name in sorted(os.listdir(top)) if "-O" in name]
    true(len(found) >= 2, "at least -O0 and -O2 were built")
    return found


def caught(lab, *command, status=0, **env):
    """Run bare and preloaded; all frames must have rows."""
    name = re.sub(r"\W+", "_", "_".join(command)[-80:])
    bare = lab.run(list(command), check=False, **env)
    if bare.returncode == 77:
        raise Skip(bare.stderr)
    equal(bare.returncode, status, f"{command} bare: {bare.stderr}")
    loaded = lab.run(list(command), check=False, **preload(lab, name), **env)
    equal((loaded.returncode, loaded.stdout), (bare.returncode, bare.stdout), f"{command}: {loaded.stderr}")
    session = lab.session(name)
    equal(len(session.frames), FRAMES, f"{command}: frames")
    equal([row["draws"] for row in session.frames], [str(DRAWS)] * FRAMES, f"{command}: draws")
    equal({(row["width"], row["height"]) for row in session.passes if row["kind"] == "render"}, {("32", "16")},
          f"{command}: size")
    equal(session.lost(), {}, f"{command}: nothing lost")
    return loaded


def case_link(lab):
    for folder in builds(lab):
        for variant in ("link_lazy", "link_now", "link_noplt", "address"):
            caught(lab, os.path.join(folder, variant))


def case_proc(lab):
    for folder in builds(lab):
        caught(lab, os.path.join(folder, "proc"))


def case_open(lab):
    for folder in builds(lab):
        for mode in ("handle", "default", "self", "proc"):
            caught(lab, os.path.join(folder, "open"), mode, "libEGL.so.1", "libGLESv2.so.2")
        caught(lab, os.path.join(folder, "open"), "handle", "libEGL.so", "libGLESv2.so")
        caught(lab, os.path.join(folder, "open"), "handle", "libEGL.so.1", "libGL.so.1")
        caught(lab, os.path.join(folder, "open"), "handle", "libEGL.so.1", "libOpenGL.so.0")


def case_app_dlsym(lab):
    """The application defines dlsym, and finds the next one by its version."""
    for folder in builds(lab):
        caught(lab, os.path.join(folder, "open_own"), "handle", "libEGL.so.1", "libGLESv2.so.2")


def case_overlays(lab):
    """Another tool defines dlsym, before or after passprobe: both see every swap."""
    for folder in builds(lab):
        for name, words in itertools.product(("overlay.so", "overlay_plt.so"),
                                             (["open", "handle", "libEGL.so.1", "libGLESv2.so.2"], ["link_now"])):
            tool = os.path.join(folder, name)
            command = [os.path.join(folder, words[0]), *words[1:]]
            bare = lab.run(command, LD_PRELOAD=tool)
            equal(bare.stderr, f"overlay: {FRAMES} swaps\n", f"{command} without passprobe")
            for ahead in (False, True):
                out = f"{name}-{words[0]}-{ahead}"
                env = preload(lab, out, quiet="1")
                order = [tool, env["LD_PRELOAD"]] if ahead else [env["LD_PRELOAD"], tool]
                done = lab.run(command, **{**env, "LD_PRELOAD": ":".join(order)})
                equal((done.stdout, done.stderr), (bare.stdout, bare.stderr), f"{out}")
                equal(len(lab.session(out).frames), FRAMES, f"{out}: frames")
                shutil.rmtree(lab.path(out))


def case_reopened(lab):
    """Libraries are closed and opened again at another address: functions of the old address are not called."""
    for folder in builds(lab):
        caught(lab, os.path.join(folder, "open"), "again", "libEGL.so.1", "libGLESv2.so.2")


def case_angle(lab):
    """Libraries of the application, under ANGLE's names and opened by dlopen, are not intercepted: the Vulkan layer
    sees their calls."""
    for folder in builds(lab):
        libraries = [os.path.join(folder, "angle", name) for name in ("libEGL.so", "libGLESv2.so")]
        command = [os.path.join(folder, "open"), "handle", *libraries]
        bare = lab.run(command)
        loaded = lab.run(command, **preload(lab, "angle"))
        equal((bare.stdout, loaded.stdout), ("pixel 0 255 6 255 error 0\n",) * 2, f"{command}")
        true(not os.path.exists(lab.path("angle")), "no session of the shim's")


def case_next(lab):
    for folder in builds(lab):
        caught(lab, os.path.join(folder, "next"))


def case_plugin(lab):
    for folder in builds(lab):
        for how in ("local", "deepbind"):
            for plugin in ("plugin", "plugin_noplt", "plugin_open"):
                caught(lab, os.path.join(folder, "host"), how, os.path.join(folder, f"libreach_{plugin}.so"))


def case_keep_deepbind(lab):
    """The option to keep RTLD_DEEPBIND: the loader gets the flag, so the plug-in's calls are not intercepted."""
    folder = builds(lab)[0]
    done = lab.run([os.path.join(folder, "host"), "deepbind", os.path.join(folder, "libreach_plugin.so")],
                   **preload(lab, "keep"), PASSPROBE_KEEP_DEEPBIND="1")
    true(done.stdout.startswith("pixel 0 255 6 255"), done.stdout)
    true(not os.path.exists(lab.path("keep")), "nothing was caught")


def case_relative(lab):
    """RTLD_NEXT, RTLD_DEFAULT and $ORIGIN have the meaning that they have for the object that asks."""
    for folder in builds(lab):
        command = [os.path.join(folder, "host"), "local", os.path.join(folder, "libreach_relative.so")]
        bare = lab.run(command)
        true("origin dependency\nnext dependency\ndefault dependency\n" in bare.stdout, bare.stdout)
        loaded = lab.run(command, **preload(lab, "relative"))
        equal(loaded.stdout, bare.stdout, "look-ups relative to the caller")


def case_phantom(lab):
    """A process without a GL library finds no glClear, nor does an object that cannot see the library which another
    object opened; another namespace has its own; objects that have the library find it."""
    for folder in builds(lab):
        for words in ([], ["namespace"], ["local"], ["global"], ["plugin", os.path.join(folder, "libreach_plugin.so")]):
            command = [os.path.join(folder, "phantom"), *words]
            bare = lab.run(command)
            loaded = lab.run(command, **preload(lab, "phantom"))
            equal(loaded.stdout, bare.stdout, f"{command}")
            true(not os.path.exists(lab.path("phantom")), "no session without GL")


def case_not_loaded(lab):
    """Applications without OpenGL: no file, no output, no thread; shells and their children, too."""
    shell = shutil.which("bash") or "/bin/sh"
    done = lab.run([shell, "-c", "echo $(echo inner); ls /proc/self/task | wc -l; exit 3"], check=False,
                   **preload(lab, "shell"))
    equal((done.returncode, done.stdout, done.stderr), (3, "inner\n1\n", ""), "a shell")
    true(not os.path.exists(lab.path("shell")), "not a session")


def case_disabled(lab):
    """PASSPROBE_DISABLE=1: the shim is loaded and does nothing."""
    folder = builds(lab)[0]
    for words in (["link_now"], ["open", "handle", "libEGL.so.1", "libGLESv2.so.2"]):
        done = lab.run([os.path.join(folder, words[0]), *words[1:]], **preload(lab, "disabled"),
                       PASSPROBE_DISABLE="1")
        equal(done.stderr, "", "no output")
        true(not os.path.exists(lab.path("disabled")), "not a session")


if __name__ == "__main__":
    main(globals())
