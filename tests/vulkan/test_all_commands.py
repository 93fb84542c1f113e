"""Every command that makes the GPU work, by each of its names, which a separate reader of vk.xml finds: each has a row
of draws.csv, in order; the application's output is the same; the sums are the same at every level."""
import os
import re

from harness import equal, fail, main
from layer import LayerLab

KIND = (("vkCmd(Draw|ExecuteGenerated|SubpassShading|ClearAttachments)", "render"), ("vkCmd(Dispatch|Cu|Preprocess)", "compute"),
        (r"vkCmd(TraceRays|Build|Copy\w*(AccelerationStructure|Micromap)|Write(AccelerationStructures|Micromaps))", "trace-rays"),
        ("", "transfer"))


def kind_of(call):
    """The kind of pass that has the command."""
    return next(kind for begins, kind in KIND if re.match(begins, call))


def case_rows(lab):
    """Each command has a row."""
    lab.driver = os.path.join(lab.build, "tests", "fake-vulkan.json")
    program = [os.path.join(lab.build, "tests", "layer-all-commands")]
    bare = lab.run(program)
    wanted = [line.split() for line in bare.splitlines()]
    equal([name for name, _, there in wanted if there != "1"], [], "names that the driver lacks")
    if len(wanted) < 70 or "vkCmdDrawIndirectCountAMD" not in bare:
        fail("only %d names" % len(wanted))
    sums = {}
    for level in "frame", "pass", "draw":
        equal(lab.run(program, level, PASSPROBE_LEVEL=level), bare, "output at level " + level)
        sums[level] = [tuple(int(f[n]) for n in ("draws", "dispatches", "copies")) for f in lab.rows(level, "frames")]
    equal(sums["frame"], sums["draw"], "sums at level frame")
    equal(sums["pass"], sums["draw"], "sums at level pass")
    kinds = {(p["frame"], p["pass"]): p["kind"] for p in lab.rows("draw", "passes")}
    rows = [(d["call"], kinds[d["frame"], d["pass"]]) for d in lab.rows("draw", "draws")]
    equal([call for call, _ in rows], [first for _, first, _ in wanted], "calls")
    equal([row for row in rows if row[1] != kind_of(row[0])], [], "calls in passes of another kind")


if __name__ == "__main__":
    main(globals(), LayerLab)
