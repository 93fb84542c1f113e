"""Best practices and synchronization validation of the validation layer, below passprobe's layer, report nothing that
they do not report for the application by itself.

validation reports vkGetFenceStatus with VK_NOT_READY only as information and only on demand; this test does not demand
it."""
import os
import re
import shutil

from harness import XVFB, Skip, fail, main, need_vulkan
from layer import VALIDATION, LayerLab, need_validation, serialized_walk

SETTINGS = """khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT,%s
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,perf
khronos_validation.enable_message_limit = false
khronos_validation.log_filename = stdout
""" % "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
LEVELS = [{"PASSPROBE_LEVEL": level} for level in ("frame", "pass", "draw")]
SERIALIZED = [{"PASSPROBE_LEVEL": level, "PASSPROBE_SERIALIZE": "1"} for level in ("pass", "draw")]


def count(output):
    """Number of each message."""
    found = {}
    for name in re.findall(r"\[ ([A-Za-z][A-Za-z0-9_-]*) \]", output):
        found[name] = found.get(name, 0) + 1
    return found


def compare(lab, command, variants, **environment):
    """No message comes more often than bare, in any variant. Messages about the application's own calls come once for
    each frame or command, so each bare run has the same number."""
    bare = count(lab.run(command, layers=[VALIDATION], **environment))
    if not any("BestPractices" in name for name in bare):
        fail("best practices are not on: " + repr(bare))
    for number, variant in enumerate(variants):
        session = "s%d" % number
        out = lab.run(command, session, layers=[VALIDATION], **environment, **variant)
        for name, times in count(out).items():
            if times > bare.get(name, 0):
                text = re.search(r"\[ %s \](.*)" % re.escape(name), out).group(1)
                fail("%r: %s: %d times, bare %d, for example %s" % (variant, name, times, bare.get(name, 0), text))
        if not lab.rows(session, "frames"):
            fail("%r: nothing was measured" % variant)


def walk(lab, cases, variants):
    """The walk, or some cases of it."""
    only = {"WALK_CASES": cases} if cases else {}
    compare(lab, [os.path.join(lab.build, "tests", "layer-walk")], variants, **only)


def case_walk(lab):
    """All ways to record and submit."""
    walk(lab, None, LEVELS)


def case_indirect(lab):
    """Indirect arguments are copied."""
    walk(lab, "indirect", [{"PASSPROBE_LEVEL": "draw", "PASSPROBE_INDIRECT": "1"}])


def case_serialize(lab):
    """Command buffers in parts, with barriers between them."""
    walk(lab, serialized_walk().get("WALK_CASES"), SERIALIZED)


def case_resubmit(lab):
    """Command buffers that are submitted again and again."""
    walk(lab, "resubmit", LEVELS)


def case_app_queries(lab):
    """Queries of the application's own."""
    walk(lab, "app queries", LEVELS)


def case_load(lab):
    """The load of the benchmarks: recorded anew for each frame, and recorded once."""
    load = [os.path.join(lab.build, "bin", "passprobe-load-vk"), "--draws", "42", "--passes", "4", "--frames", "20"]
    compare(lab, load, LEVELS + SERIALIZED)
    compare(lab, load + ["--prerecorded"], LEVELS)


def need_x11():
    """Skip without an X server."""
    if shutil.which("Xvfb") is None:
        raise Skip("Xvfb is not installed")


def case_cube(lab):
    """vkcube in a window."""
    need_x11()
    if shutil.which("vkcube") is None:
        raise Skip("vkcube is not installed")
    cube = [XVFB, "vkcube", "--c", "30", "--width", "64", "--height", "64", "--suppress_popups"]
    compare(lab, cube, LEVELS)


def case_windows(lab):
    """Several windows on one device."""
    need_x11()
    compare(lab, [XVFB, os.path.join(lab.build, "tests", "layer-windows"), "together"], LEVELS, WINDOWS_X11="1")


def arguments(lab, _case):
    need_vulkan()
    need_validation()
    with open(lab.path("vk_layer_settings.txt"), "w", encoding="utf-8") as file:
        file.write(SETTINGS)
    return (lab,)


if __name__ == "__main__":
    main(globals(), LayerLab, arguments)
