"""tools/gen_gl.py and hooks/entry_points.txt: the table covers the registries, and mistakes are found."""
import os
import re
import subprocess
import sys
import tempfile

from chain import equal, main, true

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATOR = os.path.join(TOP, "tools", "gen_gl.py")
KINDS = os.path.join(TOP, "hooks", "entry_points.txt")
XML = "/usr/share/khronos-api"
EGL = ["/usr/include/EGL/egl.h", "/usr/include/EGL/eglext.h"]


def generate(*more, kinds=KINDS, gl=os.path.join(XML, "gl.xml")):
    return subprocess.run([sys.executable, "-B", GENERATOR, "--gl", gl, "--glx", os.path.join(XML, "glx.xml"),
                           "--egl", *EGL, "--kinds", kinds, *more], capture_output=True, text=True, check=False)


def with_kinds(text):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        return generate(kinds=file.name)


def case_covers(_lab):
    """Every command is classified."""
    done = generate()
    equal((done.returncode, done.stderr), (0, ""), "the table fits the registries")


def case_new_command(_lab):
    """A registry with a command that nobody has classified is refused."""
    with open(os.path.join(XML, "gl.xml"), encoding="utf-8-sig") as file:
        text = file.read()
    new = "<command><proto>void <name>glDrawSomethingNewEXT</name></proto></command>"
    text = text.replace("<commands namespace=\"GL\">", "<commands namespace=\"GL\">" + new)
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(text)
        file.flush()
        done = generate(gl=file.name)
    equal(done.returncode, 1, "refused")
    true("glDrawSomethingNewEXT is not classified" in done.stderr, done.stderr)


def case_mistakes(_lab):
    """A pattern that meets nothing, a parameter that is none, a line that is no rule."""
    with open(KINDS, encoding="utf-8") as file:
        text = file.read()
    for line, message in (("work draw: glNoSuchThing", "no command is named glNoSuchThing"),
                          ("after clear($nothing): glClear", "glClear has no parameter nothing"),
                          ("swap $nothing program_query($id): glBeginQuery", "not a $PARAMETER of glBeginQuery"),
                          ("before call_lists(): glBindTexture", "glBindTexture has a note and another verb"),
                          ("wrok draw: glClear", "not a rule"),
                          ("work draw: gl(Clear", "missing )")):
        done = with_kinds(text + line + "\n")
        equal(done.returncode, 1, line)
        true(message in done.stderr, f"{line}: {done.stderr}")


def case_every_draw(_lab):
    """What a reader of the registry would call work is hooked: by name, independent of the table."""
    hooked = set(generate("--list").stdout.split())
    with open(os.path.join(XML, "gl.xml"), encoding="utf-8-sig") as file:
        names = set(re.findall(r"<proto.*?<name>(gl\w+)</name></proto>", file.read()))
    work = {n for n in names
            if re.match(r"gl(Multi)?Draw(?!Buffer)|gl(Dispatch|Blit|CallList|Rect|Bitmap|EvalMesh|GenerateMipmap)", n)
            or re.match(r"glClear(Buffer|Tex|Named)|glCopy(Tex|Image|Buffer|Named|Pixels)|glReadn?Pixels", n)
            or re.match(r"gl(Compressed)?Tex(ture)?(Sub)?Image\dD(?!Multisample)|gl(Named)?Buffer(Sub)?Data", n)}
    true(len(work) > 200, f"{len(work)} names found")
    equal(sorted(work - hooked - {"glDrawBuffersIndexedEXT"}), [], "work that is not hooked")
    for name in ("glBegin", "glEnd", "glClear", "glXSwapBuffersMscOML", "eglSwapBuffersWithDamageKHR", "dlsym"):
        true(name in hooked, name)


def case_hands_over(_lab):
    """What hands work to the GPU, waits for it or fetches from it, by name, ends the open pass's time first."""
    sure = {"glFlush", "glFinish", "glXWaitGL", "eglWaitClient", "eglWaitGL", "eglDupNativeFenceFDANDROID"}
    named = re.compile(r"gl(FenceSync|ClientWaitSync|SetFence|FinishFence)(APPLE|NV)?|glFinishObjectAPPLE"
                       r"|egl(Create(Fence)?Sync|ClientWaitSync)(64)?(KHR|NV)?"
                       r"|glSignal(Semaphore|Vk)\w+|glMap(Named)?Buffer(Range)?(ARB|EXT|OES)?|glGetQueryObject(i|ui)\w*v\w*"
                       r"|glReadn?Pixels\w*|glGetn?(Compressed)?(Multi)?Tex(ture)?(Sub)?Image\w*|glGet(Named)?BufferSubData\w*")
    with tempfile.TemporaryDirectory() as out:
        generate("--out", out)
        with open(os.path.join(out, "gl_hooks.c"), encoding="utf-8") as file:
            bodies = dict(re.findall(r"^pp_hook_(\w+)\([^)]*\)\n\{\n(.*?)^\}", file.read(), re.M | re.S))
    text = "".join(open(path, encoding="utf-8-sig").read() for path in (os.path.join(XML, "gl.xml"), *EGL))
    names = sure | {n for n in re.findall(r"(?:<name>|EGLAPIENTRY )((?:gl|egl)[A-Z]\w+)", text) if named.fullmatch(n)}
    true(len(names) > 60, f"{len(names)} names: {sorted(names)}")
    lack = [n for n in sorted(names)
            if not re.search(r"pp_gl_before_(send|send_if|wait|finish|fetch|readback|wait_if|ask)\(ctx", bodies.get(n, ""))]
    equal(lack, [], "a pass stays open over them")


def case_deterministic(_lab):
    """The same inputs, the same bytes."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        generate("--out", one)
        generate("--out", two)
        for name in ("gl_table.h", "gl_hooks.c", "gl_lookup.c", "gl.map"):
            with open(os.path.join(one, name), "rb") as a, open(os.path.join(two, name), "rb") as b:
                equal(a.read(), b.read(), name)


if __name__ == "__main__":
    main(globals())
