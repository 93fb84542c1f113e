"""Other tools in the same process: MangoHud before and after passprobe, an OpenGL driver on top of Vulkan, and
glmark2's check of its pictures."""
import os
import re

from harness import XVFB, Skip, equal, main, need, true
from shim import preload

MANGOHUD = "/usr/lib/x86_64-linux-gnu/mangohud"


def need_mangohud():
    if not os.path.exists(os.path.join(MANGOHUD, "libMangoHud.so")):
        raise Skip("mangohud is not installed")
    need("Xvfb")


def overlays(with_dlsym):
    """Libraries that MangoHud preloads: `mangohud`'s and `mangohud --dlsym`'s."""
    names = (["libMangoHud_dlsym.so"] if with_dlsym else []) + ["libMangoHud.so"]
    return [os.path.join(MANGOHUD, name) for name in names]


def run(lab, command, libraries, out, **options):
    """Preload libraries, in order, into an application on an X server. The output must be the same as without them."""
    env = {**preload(lab, out, **options), "LD_PRELOAD": ":".join(libraries), "MANGOHUD": "1",
           "MANGOHUD_CONFIG": "fps_only", "MANGOHUD_CONFIGFILE": lab.path("none")}
    return lab.run([XVFB, "env", *[f"{k}={v}" for k, v in env.items()], *command], check=False)


def programs(lab):
    """An application that links to libGL, and one that uses dlopen and dlsym, if it was built; with the lines that they
    print."""
    folder = os.path.join(lab.build, "tests", "reach")
    yield "linked", [os.path.join(folder, "windows"), "two"], "error 0\n", 12
    if os.path.exists(os.path.join(folder, "fw_sdl")):
        yield "looked_up", [os.path.join(folder, "fw_sdl"), "gl"], "swaps 20\n", 20


def case_mangohud_behind(lab):
    """passprobe comes first, as `passprobe` sets LD_PRELOAD: every frame has a row, and MangoHud's draws are not the
    application's."""
    need_mangohud()
    shim = preload(lab, "x")["LD_PRELOAD"]
    for name, command, text, frames in programs(lab):
        for dlsym in (False, True):
            out = f"{name}-{dlsym}"
            done = run(lab, command, [shim, *overlays(dlsym)], out)
            equal((done.returncode, done.stdout), (0, text), f"{out}: {done.stderr}")
            session = lab.session(out)
            equal(len(session.frames), frames, f"{out}: frames")
            want = ["2", "1"] * 6 if name == "linked" else ["0"] * 20
            equal([row["draws"] for row in session.frames], want, f"{out}: draws of the application")


def case_mangohud_first(lab):
    """MangoHud comes first: applications run. Where MangoHud calls the driver without passprobe, nothing is measured,
    and doctor says so; where the application finds functions with dlsym, passprobe sees all calls."""
    need_mangohud()
    shim = preload(lab, "x")["LD_PRELOAD"]
    for name, command, text, frames in programs(lab):
        for dlsym in (False, True):
            out = f"{name}-{dlsym}"
            done = run(lab, command, [*overlays(dlsym), shim], out)
            equal((done.returncode, done.stdout), (0, text), f"{out}: {done.stderr}")
            if name == "looked_up" and not dlsym:
                equal(len(lab.session(out).frames), frames, f"{out}: frames")


def doctor(lab, order, program="windows two"):
    """`passprobe doctor` on a script that puts MangoHud into LD_PRELOAD."""
    need_mangohud()
    script = lab.path("start.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\nLD_PRELOAD={order} MANGOHUD=1 exec {lab.build}/tests/reach/{program}\n")
    os.chmod(script, 0o755)
    return lab.run([XVFB, lab.passprobe, "doctor", "--", script], check=False)


def case_doctor(lab):
    mango = os.path.join(MANGOHUD, "libMangoHud.so")
    done = doctor(lab, f"{mango}:$LD_PRELOAD")
    equal(done.returncode, 1, f"MangoHud first: {done.stdout}{done.stderr}")
    true("libMangoHud.so is before the shim" in done.stdout, done.stdout)
    true("before the overlay in LD_PRELOAD" in done.stdout, done.stdout)
    done = doctor(lab, f"$LD_PRELOAD:{mango}")
    equal(done.returncode, 0, f"MangoHud behind: {done.stdout}{done.stderr}")
    true("12 were measured" in done.stdout and "is before the shim" not in done.stdout, done.stdout)
    true("BAD" not in done.stdout, f"nothing is wrong: {done.stdout}")
    if os.path.exists(os.path.join(lab.build, "tests", "reach", "fw_sdl")):
        # functions that are looked up are seen all the same
        done = doctor(lab, f"{mango}:$LD_PRELOAD", "fw_sdl gl")
        equal(done.returncode, 0, f"MangoHud first, looked up: {done.stdout}{done.stderr}")
        true("20 were measured" in done.stdout and "note preload order" in re.sub(" +", " ", done.stdout), done.stdout)


def case_doctor_variables(lab):
    """For a launcher's variables doctor reads the order in LD_PRELOAD; the files need not exist."""
    for order, wrong in (("libMangoHud.so:libpassprobe-gl.so", True), ("libpassprobe-gl.so:libMangoHud.so", False)):
        done = lab.run(["env", f"LD_PRELOAD={order}", lab.passprobe, "doctor"], check=False)
        equal("is before libpassprobe-gl.so" in done.stdout, wrong, f"{order}: {done.stdout}")


def case_zink(lab):
    """OpenGL on Vulkan: shim and layer are both in the process, and each frame has one row, as a frame of OpenGL."""
    need("Xvfb")
    env = {"GALLIUM_DRIVER": "zink", "XDG_RUNTIME_DIR": lab.scratch}
    command = [os.path.join(lab.build, "tests", "reach", "windows"), "two"]
    bare = lab.run([XVFB, *command], check=False, **env)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    loaded = lab.run([XVFB, *lab.record(), *command], check=False, **env)
    equal((loaded.returncode, loaded.stdout), (bare.returncode, bare.stdout), f"loaded: {loaded.stderr}")
    session = lab.session()
    names = [device["name"] for device in session.json["devices"]]
    if not any("zink" in name for name in names):
        raise Skip(f"Mesa has no zink here: {names}")
    equal({row["api"] for row in session.frames}, {"gl"}, "who reports frames")
    equal([row["draws"] for row in session.frames], ["2", "1"] * 6, "each frame once")


def pictures(done):
    """Scene, its options and the verdict of each line of `glmark2 --validate`."""
    return re.findall(r"^\[(\w+)\] (.+): Validation: (\w+)", done.stdout, re.M)


def validate(lab, program):
    """glmark2 compares pixels of its scenes with the expected ones: the result is the same with passprobe."""
    need("Xvfb", program)
    command = [program, "--validate", "--size", "800x600"]
    bare = lab.run([XVFB, *command], timeout=170, check=False)
    loaded = lab.run([XVFB, *lab.record("--level", "draw", "-e", "time,pipeline"), *command], timeout=170, check=False)
    true(len(pictures(bare)) > 10, f"{bare.stdout}{bare.stderr}")
    equal(pictures(loaded), pictures(bare), f"{program}: verdicts")
    equal(loaded.returncode, bare.returncode, "exit status")
    true(sum(int(row["draws"]) for row in lab.session().passes) > 50, "and we were there")


def case_glmark2_validate(lab):
    validate(lab, "glmark2")


def case_glmark2_es2_validate(lab):
    validate(lab, "glmark2-es2")


if __name__ == "__main__":
    main(globals())
