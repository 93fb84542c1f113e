"""The application never notices passprobe: same pixels, same stdout and stderr, same exit status, with and without."""
import os

from harness import equal, main, need_vulkan, true

VARIANTS = {
    "gl": (["--labels"], ["--es"], ["--surfaceless"], ["--query"], ["--nothing"], ["--image", "/no/such/dir/x.ppm"]),
    "vk": (["--labels"], ["--rerecord", "--renderpass", "2"], ["--renderpass", "dynamic", "--secondary"],
           ["--query"], ["--renderpass", "9"], ["--image", "/no/such/dir/x.ppm"]),
}


def compare(lab, which, front, **env):
    """Run every variant of a sample bare and after the words in front."""
    for words in VARIANTS[which]:
        told = []
        for prefix, extra in ((), {}), (front, env):
            image = lab.path("image.ppm")
            if os.path.exists(image):
                os.remove(image)
            words_now = words if "--image" in words else [*words, "--image", image]
            done = lab.run([*prefix, *lab.sample(which, "--frames", "9", *words_now)], check=False, **extra)
            pixels = b""
            if os.path.exists(image):
                with open(image, "rb") as file:
                    pixels = file.read()
            ours = [line for line in done.stderr.splitlines() if line.startswith("passprobe: ")]
            true(len(ours) <= bool(prefix), f"at most one line of passprobe: {ours}")
            theirs = [line for line in done.stderr.splitlines() if line not in ours]
            told.append((done.returncode, done.stdout, theirs, pixels))
        for name, bare, probed in zip(("exit status", "stdout", "stderr", "pixels"), *told):
            true(bare == probed, f"{which} {words}: {name} differs:\n{bare[:1000]!r}\n{probed[:1000]!r}"
                 if name != "exit status" else f"{which} {words}: exit status {bare} became {probed}")


def case_gl_pass(lab):
    """OpenGL at level pass, all events."""
    compare(lab, "gl", lab.record("--level", "pass", "-e", "time,pipeline"))


def case_vk_pass(lab):
    """Vulkan at level pass, all events."""
    need_vulkan()
    compare(lab, "vk", lab.record("--level", "pass", "-e", "time,pipeline"))


def case_gl_draw(lab):
    """OpenGL at level draw, all events."""
    compare(lab, "gl", lab.record("--level", "draw", "-e", "time,pipeline"))


def case_gl_frame(lab):
    """OpenGL at level frame."""
    compare(lab, "gl", lab.record("--level", "frame"))


def case_vk_frame(lab):
    """Vulkan at level frame."""
    need_vulkan()
    compare(lab, "vk", lab.record("--level", "frame"))


def case_gl_disabled(lab):
    """PASSPROBE_DISABLE=1: nothing is written."""
    compare(lab, "gl", lab.record(), PASSPROBE_DISABLE="1")
    equal(os.path.exists(lab.path("data")), False, "not a session directory")


def case_vk_disabled(lab):
    """PASSPROBE_DISABLE=1 in Vulkan: nothing is written."""
    need_vulkan()
    compare(lab, "vk", lab.record(), PASSPROBE_DISABLE="1")
    equal(os.path.exists(lab.path("data")), False, "not a session directory")


def case_children(lab):
    """A shell that runs processes without a GPU: passprobe writes no output and no file."""
    script = "echo one; /bin/true; cat /dev/null; echo two >&2; exit 7"
    done = lab.run(lab.record() + ["sh", "-c", script], check=False)
    equal((done.returncode, done.stdout), (7, "one\ntwo\n"[:4]), "status and stdout")
    true(done.stderr.startswith("two\n"), f"stderr: {done.stderr!r}")


main(globals())
