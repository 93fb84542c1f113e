#!/usr/bin/env python3
"""The packaged drivers come up on the lab's devices, and run the samples: the lab's log has each draw and dispatch that the
sample says it makes. The case is the driver, the argument the device."""
import re
import sys

from harness import equal, main, true
from simulated_gpu import driver, log_of, simulated

DEVICE = sys.argv.pop() if len(sys.argv) > 1 else ""
FRAMES = 3
# hasvk's, and what newer drivers say of options that driver() sets.
WARNING = (r"(?m)^(MESA-INTEL: warning: (Haswell|Ivy Bridge|Bay Trail) Vulkan support is incomplete|"
           r"ATTENTION: default value of option query_\w+ overridden by environment.)\n")
BLIT = (4, 2)  # iris copies a texture by a draw of 4 vertices and 2 primitives, which the statistics count


def comes_up(lab, sample, name, more=(0, 0)):
    """@p more: vertices and primitives that the driver itself draws in each frame."""
    done = lab.run(lab.sample(sample, "--frames", str(FRAMES)), timeout=60, **simulated(lab, DEVICE, **driver(name)))
    equal(re.sub(WARNING, "", done.stderr), "", "stderr of the sample")
    want = lab.expect(sample)["passes"]
    log = log_of(lab)
    draws = [line for line in log if line.name == "draw" and line["counted"] == 1]
    walks = [line for line in log if line.name == "walk"]
    equal(sum(line["vertices"] for line in draws),
          FRAMES * (sum(row["counts"]["input_assembly_vertices"] for row in want) + more[0]), "vertices of all draws")
    equal(sum(line["primitives"] for line in draws),
          FRAMES * (sum(row["counts"]["input_assembly_primitives"] for row in want) + more[1]), "primitives of all draws")
    equal(len(walks), FRAMES * sum(row["dispatches"] for row in want), "dispatches")
    equal(sum(line["invocations"] for line in walks),
          FRAMES * sum(row["counts"]["compute_shader_invocations"] for row in want), "invocations of all dispatches")
    true(all(line["begin"] < line["clock"] for line in draws + walks), "work takes time")


def case_anv(lab):
    comes_up(lab, "vk", "anv")


def case_hasvk(lab):
    comes_up(lab, "vk", "hasvk")


def case_iris(lab):
    comes_up(lab, "gl", "iris", BLIT)


def case_crocus(lab):
    comes_up(lab, "gl", "crocus", BLIT)


main(globals())
