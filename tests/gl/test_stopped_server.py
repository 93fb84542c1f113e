"""An application whose X server stops for some frames, with the fake driver: it does not wait while the X server answers what
passprobe asks, and no answer wakes it while it sets no viewport of another size. The size follows a change within 32 swaps."""
import os

from harness import XVFB, equal, main, need, true
from shim import preload

GOES_ON = 80  # the window becomes larger in this frame; it is destroyed in frame 160


def follows(lab, *how, program="stopped_server", events=2):
    """The size is followed, and the application sees no X errors and all events."""
    need("Xvfb")
    words = [f"{name}={value}" for name, value in preload(lab, "data").items()]
    done = lab.run([XVFB, "env", *words, os.path.join(lab.build, "tests", "reach", program), *how])
    equal(done.stdout, f"error 0, X errors 0, events {events}, wakes 0\n", done.stderr)
    rows = sorted(lab.session().passes, key=lambda row: int(row["frame"] or -1))
    sizes = [(row["width"], row["height"]) for row in rows if row["kind"] == "render"]
    equal([size for size, before in zip(sizes, [None, *sizes]) if size != before], [("64", "48"), ("100", "80")], "sizes")
    at = sizes.index(("100", "80"))
    true(GOES_ON <= at <= GOES_ON + 32, f"the size changed in frame {at}")


def case_glx(lab):
    follows(lab, "glx")


def case_glx_viewport(lab):
    """Viewports of another size ask for the size more often, and do not wait either."""
    follows(lab, "glx", "viewport")


def case_glx_switches(lab):
    follows(lab, "glx", "switches")


def case_display(lab):
    """eglGetDisplay with a display of Xlib."""
    follows(lab, "display")


def case_x11(lab):
    """eglGetPlatformDisplay with a display of Xlib."""
    follows(lab, "x11")


def case_xcb(lab):
    """eglGetPlatformDisplay with a connection of xcb."""
    follows(lab, "xcb")


def case_viewport(lab):
    follows(lab, "display", "viewport")


def case_parts(lab):
    """A window that is drawn in parts is not asked for again and again."""
    need("Xvfb")
    for how in ("glx", "display", "xcb"):
        words = [f"{name}={value}" for name, value in preload(lab, f"data-{how}").items()]
        done = lab.run([XVFB, "env", *words, os.path.join(lab.build, "tests", "reach", "stopped_server"), how, "parts"])
        equal(done.stdout, "requests 0\n", done.stderr)
        true(len(lab.session(f"data-{how}").frames) >= 399, "frames")


def case_switches(lab):
    """A window that is made current in each frame."""
    follows(lab, "x11", "switches")


def case_mesa(lab):
    """The size follows in windows of Mesa, too, however the application opens its display."""
    for how in ("default", "display", "x11", "xcb"):
        follows(lab, how, "mesa", program="stopped_server_mesa", events=1)


main(globals())
