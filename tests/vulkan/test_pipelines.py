"""A pipeline's name depends on its shaders' contents, not on the way in which it was made."""
import os

from harness import equal, fail, main
from layer import LayerLab, messages

VALIDATION = "VK_LAYER_KHRONOS_validation"
SAME = {"at once", "from code", "linked from four", "linked from two", "linked with one here", "by identifiers",
        "by identifiers of code"}
OTHER = {"vertices alone", "another entry"}
RAYS = {"rays at once", "rays linked"}


def check(lab, program, session, ways):
    """Run the application; the names by way. "strict" makes the fake driver offer all extensions."""
    out = lab.run(program, session, PASSPROBE_LEVEL="draw", FAKE_VK="strict")
    equal(set(out.splitlines()), ways, "ways")
    names = {row["label"]: row["pipeline"] for row in lab.rows(session, "draws")}
    equal(set(names), ways, "labels")
    equal({names[way] for way in SAME & ways}, {names["at once"]}, "names of the same shaders")
    for way in OTHER & ways:
        if names[way] == names["at once"] or not names[way].startswith("graphics "):
            fail("%s: %s" % (way, names))
    equal(names["named"], "\xe4" * 127, "a long name, cut between two characters")
    if RAYS & ways:
        equal({names[way] for way in RAYS}, {names["rays at once"]}, "names of rays")
        if names["rays linked twice"] == names["rays linked"] or not names["rays linked"].startswith("trace-rays "):
            fail("rays: %s" % names)
    return names


def run(lab, ways):
    """Each way to make a pipeline gives a name, the same in a second run."""
    program = [os.path.join(lab.build, "tests", "layer-pipelines")]
    names = check(lab, program, "one", ways)
    equal(check(lab, program, "two", ways), names, "names in a second run")
    return program


def case_fake(lab):
    run(lab.fake_driver(), SAME | OTHER | RAYS | {"named", "rays linked twice"})


def case_lavapipe(lab):
    program = run(lab, {"named", "at once", "vertices alone", "from code", "linked from four", "linked from two",
                        "linked with one here"})
    bare = messages(lab.run(program, layers=(VALIDATION,)))
    out = messages(lab.run(program, "below", layers=(VALIDATION,), PASSPROBE_LEVEL="draw"))
    equal({k: n for k, n in out.items() if n > bare.get(k, 0)}, {}, "new validation messages")


if __name__ == "__main__":
    main(globals(), LayerLab)
