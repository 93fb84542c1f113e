"""Other architectures: the whole shim is cross-compiled, and the applications of reach/ run against a fake GL: aarch64
under qemu-user, i386 on the processor itself. This tests trampolines, look-ups and a session without timer queries."""
import os
import shutil
import subprocess

from harness import ROOT, Skip, equal, main, true

HERE = os.path.dirname(os.path.abspath(__file__))
HOST = "/usr/lib/x86_64-linux-gnu"


class Machine:
    """A cross compiler, an emulator, and the files built for them."""

    def __init__(self, lab, triplet, processor, emulator):
        for tool in (f"{triplet}-gcc", emulator, "ninja", "cmake"):
            if tool and not shutil.which(tool):
                raise Skip(f"{tool} is not installed")
        self.lab, self.triplet, self.processor, self.emulator = lab, triplet, processor, emulator
        self.root = f"/usr/{triplet}"
        self.flags = ["-idirafter", "/usr/include", "-idirafter", HOST.replace("lib", "include")]

    def shim(self):
        build = self.lab.path("cross")
        options = [f"-DCMAKE_SYSTEM_PROCESSOR={self.processor}", "-DCMAKE_SYSTEM_NAME=Linux", "-DPP_TESTS=OFF",
                   f"-DCMAKE_C_COMPILER={self.triplet}-gcc", f"-DCMAKE_ASM_COMPILER={self.triplet}-gcc",
                   "-DPP_WERROR=ON", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_C_FLAGS={' '.join(self.flags)}",
                   "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG",  # these flags take two thirds of the time of -O2 -g
                   # these are only configured, not built, so the host's are good enough
                   f"-DVulkan_LIBRARY={HOST}/libvulkan.so", "-DVulkan_INCLUDE_DIR=/usr/include",
                   f"-DPP_LIBIBERTY={HOST}/libiberty.a", "-DPP_LIBIBERTY_INCLUDE=/usr/include"]
        self.tool("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *options)
        self.tool("cmake", "--build", build, "--target", "pp_gl", "--", "-j2")
        return os.path.join(build, "lib", "libpassprobe-gl.so")

    def tool(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def compile(self, out, source, *flags):
        path = self.lab.path(out)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.tool(f"{self.triplet}-gcc", "-O2", "-g", "-o", path, os.path.join(HERE, source), *self.flags,
                  *flags)
        return path

    def words(self, shim):
        """The words in front of an application. qemu-i386 7.2 hangs in applications with threads, so i386 applications
        run by their own loader."""
        if self.emulator:
            words = [self.emulator, "-L", self.root, "-E", f"LD_LIBRARY_PATH={self.lab.path('lib')}"]
            return words + (["-E", f"LD_PRELOAD={shim}"] if shim else [])
        words = [f"{self.root}/lib/ld-linux.so.2", "--library-path", f"{self.lab.path('lib')}:{self.root}/lib"]
        return words + (["--preload", shim] if shim else [])

    def run(self, command, shim=None, out="none"):
        done = subprocess.run(self.words(shim) + command, capture_output=True, text=True, check=False, timeout=120,
                              env=self.lab.environment(PASSPROBE="1", PASSPROBE_OUTPUT=self.lab.path(out),
                                                       FAKE_GL_VERSION="OpenGL ES 2.0 fake"))
        return done.returncode, done.stdout, done.stderr


def reach(machine):
    """The output is the same bare and preloaded; every frame and draw has a row, without GPU times."""
    lab = machine.lab
    shim = machine.shim()
    gles = machine.compile("lib/libGLESv2.so.2", "../../fake/gl/gl.c", "-shared", "-fPIC", "-Wl,-soname,libGLESv2.so.2")
    egl = machine.compile("lib/libEGL.so.1", "../../fake/gl/winsys.c", "-shared", "-fPIC", "-Wl,-soname,libEGL.so.1", gles)
    gl = [egl, gles]
    machine.compile("sub/libreach_relative_dep.so", "relative_dep.c", "-shared", "-fPIC")
    plugin = machine.compile("libreach_relative.so", "relative.c", "-shared", "-fPIC", "-Wl,-rpath,$ORIGIN/sub",
                             "-Wl,--enable-new-dtags", "-Wl,--no-as-needed", "-L" + lab.path("sub"),
                             "-lreach_relative_dep")
    host = machine.compile("host", "host.c")
    counted = {
        "link": [machine.compile("link", "link.c", *gl)],
        "address": [machine.compile("address", "address.c", *gl)],
        "open": [machine.compile("open", "open.c"), "handle", "libEGL.so.1", "libGLESv2.so.2"],
        "next": [machine.compile("next", "next.c", "-Wl,--no-as-needed", *gl)],
        "deep": [host, "deepbind", machine.compile("libreach_plugin.so", "plugin.c", "-shared", "-fPIC", *gl)],
    }
    for name, command in counted.items():
        bare = machine.run(command)
        equal(bare[:2], (0, "pixel 0 255 6 255 error 0\n"), f"{name} bare: {bare[2]}")
        loaded = machine.run(command, shim, f"data-{name}")
        equal(loaded[:2], bare[:2], f"{name}: {loaded[2]}")
        session = lab.session(f"data-{name}")
        equal([row["draws"] for row in session.frames], ["3"] * 7, f"{name}: draws of each frame")
        equal({row["gpu_time_ns"] for row in session.frames}, {""}, f"{name}: no timer, no GPU times")
        true("timer" in loaded[2] or "timer" in str(session.json["devices"]), f"{name}: the reason is given")
    for command in ([host, "local", plugin], [machine.compile("phantom", "phantom.c")]):
        bare = machine.run(command)
        equal(bare[0], 0, f"{command} bare: {bare[2]}")
        equal(machine.run(command, shim, "none")[:2], bare[:2], f"{command}: look-ups")


def case_aarch64(lab):
    reach(Machine(lab, "aarch64-linux-gnu", "aarch64", "qemu-aarch64"))


def case_i386(lab):
    machine = Machine(lab, "i686-linux-gnu", "i686", None)
    try:
        if machine.run([machine.compile("phantom", "phantom.c")])[0]:
            raise Skip("the phantom program does not run")
    except OSError as error:
        raise Skip(f"this machine does not run i386 programs: {error}") from error
    reach(machine)


if __name__ == "__main__":
    main(globals())
