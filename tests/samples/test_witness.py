"""Do the samples' own hand-written queries agree with what the samples say they must count? No passprobe here:
this is the ground on which test_exact.py stands."""
import json

from harness import Skip, equal, main, need_vulkan, true


def compare(lab, which, *words):
    """Run with --query and compare every count of every pass."""
    expected = lab.expect(which, "--frames", "10", *words)
    done = lab.run(lab.sample(which, "--query", "--frames", "10", *words))
    text, line = done.stdout.rstrip("\n").rsplit("\n", 1)
    measured = json.loads(text)
    true("10 frames" in line, f"last line: {line}")
    equal(measured, expected, f"{which} {words}")


def case_gl(lab):
    """OpenGL, three sizes, and without a surface."""
    compare(lab, "gl", "--surfaceless")
    for size in "256x256", "128x64", "640x384":
        compare(lab, "gl", "--size", size)


def case_vk(lab):
    """Vulkan, three sizes, three ways to begin a render pass."""
    need_vulkan()
    for size in "256x256", "128x64", "640x384":
        compare(lab, "vk", "--size", size)
    for way in "2", "dynamic":
        compare(lab, "vk", "--renderpass", way, "--rerecord")


def case_images(lab):
    """All ways to draw the scene give the same pixels."""
    need_vulkan()
    images = []
    for i, (which, words) in enumerate((("gl", []), ("gl", ["--es"]), ("gl", ["--surfaceless", "--labels"]),
                                        ("vk", []), ("vk", ["--renderpass", "dynamic", "--secondary"]))):
        lab.run(lab.sample(which, "--frames", "7", "--image", lab.path(f"{i}.ppm"), *words))
        with open(lab.path(f"{i}.ppm"), "rb") as file:
            images.append(file.read())
    true(len(set(images[0][20:])) > 10, "the image is not one flat colour")
    for image in images[1:]:
        equal(image == images[0], True, "images are the same")


def case_usage(lab):
    """Bad command lines end with status 2 and a message, --help with 0."""
    for which in "gl", "vk":
        for words in (["--frames", "0"], ["--size", "100x100"], ["--size", "256"], ["--nothing"], ["more"],
                      ["--frames", "-1"], ["--renderpass", "3"], ["--es=1"]):
            done = lab.run(lab.sample(which, *words), check=False)
            equal((done.returncode, done.stdout), (2, ""), f"{which} {words}")
            true(done.stderr, f"{which} {words} says what is wrong")
        true("--frames" in lab.run(lab.sample(which, "--help")).stdout, "--help tells the options")
    done = lab.run(lab.sample("gl", "--image", lab.path("no/such/dir.ppm"), "--frames", "1"), check=False)
    equal(done.returncode, 1, "an image that cannot be written is an error")


main(globals())
