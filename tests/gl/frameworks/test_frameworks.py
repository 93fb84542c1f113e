"""Applications of frameworks that each find OpenGL in another way: as many frames as the application swaps."""
import os

from harness import XVFB, Skip, equal, main, need, true
from shim import preload



def swaps(lab, name, *words, draws="0", extra=0, **env):
    """20 swaps are 20 frames, and the application's output is unchanged. GLFW swaps once itself when it makes a window.
    """
    need("Xvfb")
    program = os.path.join(lab.build, "tests", "reach", name)
    if not os.path.exists(program):
        raise Skip(f"{name} was not built: its development package is missing")
    bare = lab.run([XVFB, "env", *[f"{k}={v}" for k, v in env.items()], program, *words], check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    equal((bare.returncode, bare.stdout), (0, "swaps 20\n"), f"bare: {bare.stderr}")
    options = [f"{k}={v}" for k, v in {**env, **preload(lab, "data")}.items()]
    loaded = lab.run([XVFB, "env", *options, program, *words], check=False)
    equal((loaded.returncode, loaded.stdout), (0, bare.stdout), f"loaded: {loaded.stderr}")
    session = lab.session()
    equal([row["draws"] for row in session.frames], ["0"] * extra + [draws] * 20, "frames and draws")
    equal({(row["width"], row["height"]) for row in session.passes}, {("80", "60")}, "size")
    return session


def case_sdl_gl(lab):
    equal(swaps(lab, "fw_sdl", "gl").frames[0]["api"], "gl", "api")


def case_sdl_es(lab):
    equal(swaps(lab, "fw_sdl", "es").frames[0]["api"], "gles", "api")


def case_glfw_glx(lab):
    swaps(lab, "fw_glfw", "glx", extra=1)


def case_glfw_egl(lab):
    swaps(lab, "fw_glfw", "egl", extra=1)


def case_glew(lab):
    swaps(lab, "fw_glew", draws="1", extra=1)


def case_qt_glx(lab):
    swaps(lab, "fw_qt", QT_XCB_GL_INTEGRATION="xcb_glx", QT_QPA_PLATFORM="xcb")


def case_qt_egl(lab):
    swaps(lab, "fw_qt", QT_XCB_GL_INTEGRATION="xcb_egl", QT_QPA_PLATFORM="xcb")


def gtk(lab, debug):
    """A GtkGLArea's framebuffer, drawn in a context that is never swapped, is a pass of its window's frames."""
    need("Xvfb")
    program = os.path.join(lab.build, "tests", "reach", "fw_gtk")
    if not os.path.exists(program):
        raise Skip("fw_gtk was not built: libgtk-4-dev is missing")
    env = {"GDK_BACKEND": "x11", "GSK_RENDERER": "gl", "GDK_DEBUG": debug, "GTK_A11Y": "none"}
    bare = lab.run([XVFB, "env", *[f"{k}={v}" for k, v in env.items()], program], check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    equal((bare.returncode, bare.stdout), (0, "renders of 7 draws: enough\n"), f"bare: {bare.stderr}")
    options = [f"{k}={v}" for k, v in {**env, **preload(lab, "data")}.items()]
    loaded = lab.run([XVFB, "env", *options, program], check=False)
    equal((loaded.returncode, loaded.stdout), (0, bare.stdout), f"loaded: {loaded.stderr}")
    session = lab.session()
    area = [row for row in session.passes if row["kind"] == "render" and row["name"] != "window" and int(row["draws"]) >= 7]
    equal(sum(int(row["draws"]) for row in area), 20 * 7, "draws of the area")
    # the first swaps, before the window has been shown twice, belong to no frame
    window = {row["frame"] for row in session.frames if row["surface"].startswith("window")}
    hosted = [row for row in area if row["frame"] in window]
    true(len(hosted) >= 15, f"{len(hosted)} passes of the area in the window's frames")
    for row in hosted:
        passes = session.passes_of(row["frame"])
        true(any(other["name"] == "window" and int(other["draws"]) > 0 and other["queue"] != row["queue"]
                 for other in passes), f"with the window's own pass, by another context: {passes}")


def case_gtk_glx(lab):
    gtk(lab, "gl-glx")


def case_gtk_egl(lab):
    gtk(lab, "gl-egl")


def case_python(lab):
    """ctypes: an interpreter's extension calls dlopen and dlsym."""
    need("python3")
    script = ("import ctypes as c; e = c.CDLL('libEGL.so.1'); g = c.CDLL('libGLESv2.so.2');"
              "e.eglGetPlatformDisplay.restype = e.eglCreateContext.restype = e.eglCreatePbufferSurface.restype = "
              "c.c_void_p; d = c.c_void_p(e.eglGetPlatformDisplay(0x31DD, None, None)); e.eglInitialize(d, None, None);"
              "a = (c.c_int * 5)(0x3033, 1, 0x3040, 4, 0x3038); f = c.c_void_p(); n = c.c_int();"
              "e.eglChooseConfig(d, a, c.byref(f), 1, c.byref(n));"
              "s = c.c_void_p(e.eglCreatePbufferSurface(d, f, (c.c_int * 5)(0x3057, 8, 0x3056, 8, 0x3038)));"
              "x = c.c_void_p(e.eglCreateContext(d, f, None, (c.c_int * 3)(0x3098, 2, 0x3038)));"
              "e.eglMakeCurrent(d, s, s, x);"
              "[(g.glClear(0x4000), e.eglSwapBuffers(d, s)) for i in range(9)]; print(n.value)")
    done = lab.run(["python3", "-c", script], **preload(lab, "data"))
    equal(done.stdout, "1\n", "output")
    equal(len(lab.session().frames), 9, "frames")
    true(lab.session().frames[0]["api"] == "gles", "api")


if __name__ == "__main__":
    main(globals())
