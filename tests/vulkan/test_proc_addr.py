"""An application finds the same functions with the layer as without, whatever the layer enables for itself."""
import os
import sys

from harness import ROOT, equal, fail, main, need_vulkan
from fake_vk_counters import PerfLab

# An instance below version 1.1 lacks what calibrated timestamps need; then the loader itself gives these functions.
GPDP2 = {"instance vkGetPhysicalDevice%s2KHR 1" % name for name in (
    "Features", "Properties", "FormatProperties", "ImageFormatProperties", "QueueFamilyProperties", "MemoryProperties",
    "SparseImageFormatProperties")}
UTILS = "VK_EXT_debug_utils"
WISHES = ("none", "all", "VK_KHR_swapchain", "VK_EXT_debug_marker", UTILS)
# least number of functions of a device: of versions 1.0 and 1.3 without extensions, and with all extensions
FEWEST = {("0", "none"): 130, ("3", "none"): 190, ("3", "all"): 250}


def names_of(registry):
    """Every command by each of its names, and some names of no command."""
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    from gen_vk import load_commands  # the layer's reader of the registry
    commands, _ = load_commands(registry)
    return sorted({name for command in commands for name in command.names()}) + [
        "", "vkNoSuchCommand", "vkCmdDraws", "vkNewerCommandFAKE", "vkFrameBoundaryANDROID",
        "vkNegotiateLoaderLayerInterfaceVersion"]


def ask(lab, names, arguments, session=None, **environment):
    """Lines that the application prints."""
    with open(lab.path("names"), "w", encoding="utf-8") as file:
        file.write("\n".join(names) + "\n")
    command = [os.path.join(lab.build, "tests", "layer-proc-addr"), lab.path("names"), *arguments]
    return lab.run(command, session, **environment).splitlines()


def compare(lab, names, environment, more):
    """Each version with each set of extensions, bare, and under the layer at two levels."""
    most = 0
    for version in "0", "1", "2", "3":
        for wish in WISHES:
            bare = ask(lab, names, (version, wish), **environment)
            equal(len(bare), 2 * len(names), "lines")
            there = sum(1 for line in bare if line.startswith("device ") and line.endswith(" 1"))
            most = max(most, there)
            if there < FEWEST.get((version, wish), 0):
                fail("version 1.%s, %s: %d functions" % (version, wish, there))
            for level in "pass", "draw":
                name = "s%s%s%s" % (version, wish, level)
                on = ask(lab, names, (version, wish), name, PASSPROBE_LEVEL=level, **{**environment, **more})
                new = {line for line in set(on) - set(bare) if line.endswith(" 1")}
                gone = {line for line in set(bare) - set(on) if line.endswith(" 1")}
                equal(sorted(new - (GPDP2 if version == "0" else set())), [], "new with version 1.%s, %s" % (version, wish))
                equal(sorted(gone), [], "gone with version 1.%s, %s" % (version, wish))
    return most


def case_fake(lab, names):
    if compare(lab.fake_driver(), names, {"FAKE_VK": "strict"}, {}) < 300:
        fail("the driver has few functions")


def case_lavapipe(lab, names):
    need_vulkan()
    compare(lab, names, {}, {})


def case_counters(lab, names):
    """A layer with fake counters is below: the application does not get what passprobe enables for them."""
    need_vulkan()
    for fake, events in (("khr", "khr"), ("intel", "oa")):
        compare(lab, names, lab.words(fake), {"PASSPROBE_EVENTS": events})


if __name__ == "__main__":
    main(globals(), PerfLab, lambda lab, _: (lab, names_of(lab.cached("PP_VK_REGISTRY"))))
