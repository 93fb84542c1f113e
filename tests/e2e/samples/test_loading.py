"""Ways to load the shim and the layer: the application always runs, and every frame is written where the core can be found.
"""
import json
import os
import shutil
import subprocess

from harness import Skip, equal, main, need, need_vulkan, true

FRAMES = 20
SHIM, LAYER, CORE = "libpassprobe-gl.so", "libVkLayer_passprobe.so", "libpassprobe-core.so.0"


def libraries(lab):
    """The folder of the build's libraries. Skips where a sanitizer's library would have to be first in the process."""
    if lab.cached("PP_SANITIZE"):
        raise Skip("a sanitizer's library cannot be preloaded in front of other libraries")
    return os.path.join(lab.build, "lib")


def bare(lab, which):
    done = lab.run(lab.sample(which, "--frames", str(FRAMES)))
    return done.stdout


def run(lab, which, out, said="", **env):
    """Run a sample with variables alone. @p said A part of the only line on stderr but the one that names the session at the
    end; "": there is none. @return the number of its frames that were written."""
    env = {"PASSPROBE": "1", "PASSPROBE_OUTPUT": lab.path(out), **env}
    done = lab.run(lab.sample(which, "--frames", str(FRAMES)), **env)
    equal(done.stdout, bare(lab, which), f"{out}: the sample's output")
    lines = [line for line in done.stderr.splitlines() if (line.startswith("passprobe: ") and
                                                           not line.endswith("[PP-3475]")) or "ERROR: ld.so" in line]
    equal(len(lines), int(bool(said)), f"{out}: lines on stderr: {done.stderr}")
    true(said in "".join(lines), f"{out}: {lines}")
    return len(lab.session(out).frames) if os.path.exists(lab.path(out)) else 0


def link(lab, library, folder):
    """A link to a library in a folder of its own, where its neighbours are not."""
    path = lab.path(os.path.join(folder, os.path.basename(library)))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(library, path)
    return path


def manifest(lab, library):
    """Variables by which the Vulkan loader finds the layer as @p library."""
    folder = lab.path("share/vulkan/implicit_layer.d")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(lab.build, "share/vulkan/implicit_layer.d/VkLayer_passprobe.json"), encoding="utf-8") as file:
        content = json.load(file)
    content["layer"]["library_path"] = library
    with open(os.path.join(folder, "VkLayer_passprobe.json"), "w", encoding="utf-8") as file:
        json.dump(content, file)
    return {"XDG_DATA_DIRS": lab.path("share") + ":/usr/local/share:/usr/share"}


def installed(lab, name, core=True):
    """A copy of the three libraries as an installation has them. @return its lib folder."""
    lib = lab.path(name)
    os.makedirs(os.path.join(lib, "passprobe"))
    source = libraries(lab)
    shutil.copy(os.path.join(source, SHIM), lib)
    shutil.copy(os.path.join(source, LAYER), os.path.join(lib, "passprobe"))
    if core:
        shutil.copy(os.path.join(source, CORE), os.path.join(lib, "passprobe"))
    return lib


def case_link(lab):
    """As Steam's containers preload: a link in a folder of its own."""
    path = link(lab, os.path.join(libraries(lab), SHIM), "t/x86_64")
    for name in "haswell", "xeon_phi":  # what glibc takes ${PLATFORM} for on newer processors
        link(lab, os.path.join(libraries(lab), SHIM), "t/" + name)
    equal(subprocess.run(["/bin/true"], env=lab.environment(LD_PRELOAD=path), check=False).returncode, 0, "another program")
    equal(run(lab, "gl", "link", LD_PRELOAD=path), FRAMES, "by a link")
    equal(run(lab, "gl", "platform", LD_PRELOAD=lab.path("t/${PLATFORM}/") + SHIM), FRAMES, "by ${PLATFORM}")


def case_names(lab):
    """By its name, by $LIB, and by a relative path."""
    lib = libraries(lab)
    equal(run(lab, "gl", "name", LD_PRELOAD=SHIM, LD_LIBRARY_PATH=lib), FRAMES, "by name")
    need("ld.so")
    lab_lib = "x86_64-linux-gnu"
    for name in ("lib/x86_64-linux-gnu", "lib64", "lib"):
        link(lab, os.path.join(lib, SHIM), os.path.join("root", name))
    equal(run(lab, "gl", "lib", LD_PRELOAD=lab.path("root/$LIB/") + SHIM), FRAMES, f"by $LIB, as {lab_lib}")
    equal(run(lab, "gl", "relative", LD_PRELOAD=os.path.relpath(os.path.join(lib, SHIM))), FRAMES, "by a relative path")


def case_layer_link(lab):
    """As Steam's containers import layers: the manifest names a link in another folder."""
    need_vulkan()
    path = link(lab, os.path.join(libraries(lab), LAYER), "overrides")
    equal(run(lab, "vk", "layer", **manifest(lab, path)), FRAMES, "by a link")


def case_installed(lab):
    """Both folders of an installation."""
    need_vulkan()
    lib = installed(lab, "installed")
    equal(run(lab, "gl", "gl", LD_PRELOAD=os.path.join(lib, SHIM)), FRAMES, "shim")
    equal(run(lab, "vk", "vk", **manifest(lab, os.path.join(lib, "passprobe", LAYER))), FRAMES, "layer")
    both = {"LD_PRELOAD": os.path.join(lib, SHIM), **manifest(lab, os.path.join(lib, "passprobe", LAYER))}
    equal(run(lab, "vk", "both", **both), FRAMES, "both in one process")


def case_no_core(lab):
    """No core, none that can be read, one of another build: the application runs, and one line says why if the user asked
    for profiling."""
    need_vulkan()
    lib = installed(lab, "alone", core=False)
    core = os.path.join(lib, "passprobe", CORE)
    shim = {"LD_PRELOAD": os.path.join(lib, SHIM)}
    layer = manifest(lab, os.path.join(lib, "passprobe", LAYER))

    def refused(name, said):
        equal(run(lab, "gl", name + "-gl", said, **shim), 0, name)
        equal(run(lab, "vk", name + "-vk", said, **layer), 0, name)
        equal(run(lab, "vk", name + "-both", said, **shim, **layer), 0, name)
        equal(run(lab, "gl", name + "-silent", PASSPROBE="", **shim), 0, name)

    refused("missing", "PP-3200")
    with open(os.path.join(libraries(lab), CORE), "rb") as file:
        content = file.read()
    for name, length in ("empty", 0), ("truncated", 4000), ("cut", 100000):
        with open(core, "wb") as file:
            file.write(content[:length])
        refused(name, "PP-3200")
    at = content.index(b"PP_CORE_") + len(b"PP_CORE_")
    other = content.replace(content[at:at + 16], b"0123456789abcdef")
    with open(core, "wb") as file:
        file.write(other)
    refused("other", "PP-3201")


def case_not_opened(lab):
    """A program that never uses graphics does not open the core."""
    shim = os.path.join(libraries(lab), SHIM)
    done = lab.run(["/bin/cat", "/proc/self/maps"], LD_PRELOAD=shim, PASSPROBE="1", PASSPROBE_OUTPUT=lab.path("none"))
    true(SHIM in done.stdout and CORE not in done.stdout, done.stdout)


def case_needed(lab):
    """What the libraries need, and where they search it."""
    need("readelf")
    allowed = {"libc.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2"}
    for name, more in (SHIM, set()), (LAYER, set()), (CORE, {"libm.so.6"}):
        dynamic = subprocess.run(["readelf", "-dW", os.path.join(libraries(lab), name)], capture_output=True, text=True,
                                 check=True).stdout
        needed = {line.split("[")[1].split("]")[0] for line in dynamic.splitlines() if "(NEEDED)" in line}
        equal(needed - allowed - more, set(), f"{name} needs")
        true("RUNPATH" not in dynamic and "RPATH" not in dynamic, f"{name} searches no folder")
        # glibc before 2.40 overwrites vector registers in descriptors of thread-local storage (sourceware bug 31372)
        relocations = subprocess.run(["readelf", "-rW", os.path.join(libraries(lab), name)], capture_output=True, text=True,
                                     check=True).stdout
        true("R_X86_64_TLSDESC" not in relocations, f"{name} has descriptors of thread-local storage")


def application(lab, *words, said="", **env):
    """Run tests/gl/programs/loading.c; its output is the same as without passprobe. @return number of its frames."""
    program = os.path.join(lab.build, "tests", "reach", "loading")
    alone = lab.run([program, "plain"], check=False)
    if alone.returncode == 77:
        raise Skip(alone.stdout)
    out = words[0]
    done = lab.run([program, *words], PASSPROBE="1", PASSPROBE_OUTPUT=lab.path(out), **env)
    equal((done.stdout, said in done.stderr), (alone.stdout, True), f"{words}: {done.stderr}")
    return len(lab.session(out).frames) if os.path.exists(lab.path(out)) else 0


def case_before(lab):
    """What an application does before it uses OpenGL: it changes its folder, or confines itself."""
    shim = os.path.relpath(os.path.join(libraries(lab), SHIM))
    true(application(lab, "plain", LD_PRELOAD=shim) >= 5, "frames")
    true(application(lab, "chdir", LD_PRELOAD=shim) >= 5, "frames after chdir(), shim preloaded by a relative path")
    equal(application(lab, "confined", said="PP-027", LD_PRELOAD=shim), 0, "no session after a filter")


def case_opened(lab):
    """The shim is opened late: floating-point arguments of the first call of a new thread arrive at the driver."""
    for how in "open", "deepbind":
        application(lab, how, os.path.join(libraries(lab), SHIM))


main(globals())
