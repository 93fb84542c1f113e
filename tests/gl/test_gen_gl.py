"""tools/gen_gl.py and hooks/entry_points.txt: the table covers the registries, and mistakes are found."""
import os
import re
import subprocess
import sys
import tempfile

from harness import ROOT, equal, main, true

GENERATOR = os.path.join(ROOT, "tools", "gen_gl.py")
TABLE = os.path.join(ROOT, "hooks", "entry_points.txt")
XML = "/usr/share/khronos-api"
EGL = ["/usr/include/EGL/egl.h", "/usr/include/EGL/eglext.h"]


def generate(*more, table=TABLE, gl=os.path.join(XML, "gl.xml")):
    return subprocess.run([sys.executable, "-B", GENERATOR, "--gl", gl, "--glx", os.path.join(XML, "glx.xml"),
                           "--egl", *EGL, "--table", table, *more], capture_output=True, text=True, check=False)


def with_table(text):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        return generate(table=file.name)


def case_covers(_lab):
    """The table has a rule for every command."""
    done = generate()
    equal((done.returncode, done.stderr), (0, ""), "the table fits the registries")


def case_new_command(_lab):
    """A registry with a command that no rule matches is refused."""
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
    """Each mistake in the table is reported with its line: patterns, kinds, keys, values, parameters."""
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    number = len(text.splitlines()) + 1
    for line, message in (
            ("glNoSuchThing draw", "no command is named glNoSuchThing"),
            ("glClear|glNoSuchThing handlers before=submit()", "no command is named glNoSuchThing"),
            ("glClear handlers after=clear(nothing)", "glClear has no parameter nothing"),
            ("glFlush|glBeginQuery handlers before=ask(target, mode)", "glBeginQuery has no parameter mode"),
            ("glBeginQuery handlers swap=nothing:program_query(id)", "glBeginQuery has no parameter nothing"),
            ("glBindTexture handlers before=call_lists()", "glBindTexture has a note and another handler"),
            ("glClear wrok", "no kind: wrok"),
            ("glClear", "not REGEX KIND"),
            ("glClear clear vertices=4", "clear has no key vertices"),
            ("glDrawArrays draw vertices=", "vertices has no value"),
            ("glDrawArrays draw vertices=count first", "draw has no key first"),
            ("glFlush handlers", "names no handler"),
            ("glFlush handlers before=submit", "not of the form of before"),
            ("glClear clear if=mask", "not of the form of if"),
            ("glFlush hand", "has one of replace= and always="),
            ("gl(Clear draw", "a parenthesis is open"),
            ("gl)Clear draw", "a parenthesis too many"),
            ("gl+?*Clear draw", "multiple repeat")):
        done = with_table(text + line + "\n")
        equal(done.returncode, 1, line)
        where = [row for row in done.stderr.splitlines() if message in row]
        true(where, f"{line}: {done.stderr}")
        if "a note and another" not in message:
            true(f".txt:{number}: " in where[0], f"{line}: no line in {where[0]}")


def case_counts(_lab):
    """A draw has the counts that its rule names, whatever its parameters are called."""
    with open(os.path.join(XML, "gl.xml"), encoding="utf-8-sig") as file:
        text = file.read()
    new = ("<command><proto>void <name>glNewCommandEXT</name></proto><param><ptype>GLsizei</ptype> <name>count</name></param>"
           "<param><ptype>GLsizei</ptype> <name>corners</name></param></command>")
    text = text.replace("<commands namespace=\"GL\">", "<commands namespace=\"GL\">" + new)
    with open(TABLE, encoding="utf-8") as file:
        rules = file.read() + "glNewCommandEXT draw vertices=pp_gl_positive(corners)\n"
    with tempfile.TemporaryDirectory() as out:
        for name, content in (("gl.xml", text), ("table.txt", rules)):
            with open(os.path.join(out, name), "w", encoding="utf-8") as file:
                file.write(content)
        done = generate("--out", out, gl=os.path.join(out, "gl.xml"), table=os.path.join(out, "table.txt"))
        equal((done.returncode, done.stderr), (0, ""), "one line makes a new draw known")
        with open(os.path.join(out, "gl_hooks.c"), encoding="utf-8") as file:
            hooks = file.read()
    true("{PP_HOOK_glNewCommandEXT, PP_ACTION_DRAW, 0, pp_gl_positive(corners)," in hooks, "its vertices")


def case_every_draw(_lab):
    """Every command whose name says that it draws, dispatches, clears or copies is hooked; the names are read
    independently of the table."""
    hooked = set(generate("--list").stdout.split())
    with open(os.path.join(XML, "gl.xml"), encoding="utf-8-sig") as file:
        names = set(re.findall(r"<proto.*?<name>(gl\w+)</name></proto>", file.read()))
    work = {n for n in names
            if re.match(r"gl(Multi)?Draw(?!Buffer)|gl(Dispatch|Blit|CallList|Rect|Bitmap|EvalMesh|GenerateMipmap)", n)
            or re.match(r"glClear(Buffer|Tex|Named)|glCopy(Tex|Image|Buffer|Named|Pixels)|glReadn?Pixels", n)
            or re.match(r"gl(Compressed)?Tex(ture)?(Sub)?Image\dD(?!Multisample)|gl(Named)?Buffer(Sub)?Data", n)}
    true(len(work) > 200, f"{len(work)} names found")
    equal(sorted(work - hooked - {"glDrawBuffersIndexedEXT"}), [], "actions that are not hooked")
    for name in ("glBegin", "glEnd", "glClear", "glXSwapBuffersMscOML", "eglSwapBuffersWithDamageKHR", "dlsym"):
        true(name in hooked, name)


def case_hands_over(_lab):
    """Every command whose name says that it flushes, waits or reads back ends the open pass's time first."""
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
            if not re.search(r"pp_gl_before_(submit|submit_if|wait|finish|fetch|read_back|wait_if|look|ask)\(ctx", bodies.get(n, ""))]
    equal(lack, [], "a pass stays open over them")


def case_deterministic(_lab):
    """Equal inputs give equal bytes."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        generate("--out", one)
        generate("--out", two)
        for name in ("gl_table.h", "gl_hooks.c", "gl_lookup.c", "gl.map"):
            with open(os.path.join(one, name), "rb") as a, open(os.path.join(two, name), "rb") as b:
                equal(a.read(), b.read(), name)


if __name__ == "__main__":
    main(globals())
