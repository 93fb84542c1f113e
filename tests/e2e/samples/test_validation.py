"""Khronos' validation layer, with synchronization validation, prints nothing with passprobe that it does not print
without. Below passprobe it sees what passprobe adds; above passprobe it sees what the application gets."""
import json
import os
import re
import shutil

from harness import XVFB, Skip, equal, main, need, need_vulkan, true

MANIFEST = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"
SYNC = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
VARIANTS = (["--labels"], ["--query"], ["--rerecord", "--renderpass", "2", "--labels"],
            ["--renderpass", "dynamic", "--labels", "--rerecord"], ["--secondary"],
            ["--secondary", "--renderpass", "dynamic"], ["--hazard"])


def need_validation():
    """Skip if the validation layer is not installed."""
    need_vulkan()
    if not os.path.exists(MANIFEST):
        raise Skip("the Khronos validation layer is not installed")


def below(_lab):
    """Explicit layers are below implicit ones."""
    return {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation", "VK_LAYER_ENABLES": SYNC}


def above(lab):
    """An implicit layer in the first folder that the loader searches is above passprobe."""
    folder = os.path.join(lab.path("config"), "vulkan", "implicit_layer.d")
    os.makedirs(folder, exist_ok=True)
    with open(MANIFEST, encoding="utf-8") as file:
        manifest = json.load(file)
    manifest["layer"]["disable_environment"] = {"PP_TEST_NO_VALIDATION": "1"}
    with open(os.path.join(folder, "validation.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return {"VK_LAYER_ENABLES": SYNC}


def messages(text):
    """Messages of validation without handles and without places in the command buffer, which passprobe's commands
    shift."""
    return sorted(re.sub(r"0x[0-9a-f]+|seq_no: \d+|reset_no: \d+", "", line) for line in text.splitlines()
                  if re.search(r"VUID|SYNC-HAZARD|UNASSIGNED|Validation", line))


def order(lab, env, command):
    """Names of the instance layers, from the application down, as the loader reports them."""
    done = lab.run(command, VK_LOADER_DEBUG="layer", **env)
    chain = re.findall(r'Insert instance layer "?(VK_LAYER_\w+)', done.stdout + done.stderr)
    return list(reversed(chain))


def compare(lab, place):
    """Compare all variants of the sample, and check that both layers are where they should be."""
    need_validation()
    env = place(lab)
    record = lab.record("--level", "pass", "-e", "time,pipeline")
    chain = order(lab, env, record + lab.sample("vk", "--frames", "1"))
    ours = [name for name in chain if "passprobe" in name.lower()]
    true(ours and "VK_LAYER_KHRONOS_validation" in chain, f"both layers are loaded: {chain}")
    is_below = chain.index(ours[0]) < chain.index("VK_LAYER_KHRONOS_validation")
    equal(is_below, place is below, f"validation lies below passprobe; chain {chain}")
    for words in VARIANTS:
        command = lab.sample("vk", "--frames", "6", *words)
        bare = lab.run(command, **env)
        for level in "pass", "frame":
            record = lab.record("--level", level, "-e", "time,pipeline")
            probed = lab.run(record + command, **env)
            equal(messages(probed.stdout + probed.stderr), messages(bare.stdout + bare.stderr),
                  f"messages of {words} at level {level}")
            equal(len(lab.session().frames), 6, f"frames of {words} at level {level}")


def case_below(lab):
    """Validation below passprobe."""
    compare(lab, below)


def case_above(lab):
    """Validation above passprobe."""
    compare(lab, above)


def case_control(lab):
    """The control: this harness sees validation's messages when the application is wrong."""
    need_validation()
    for place in below, above:
        done = lab.run(lab.sample("vk", "--frames", "2", "--hazard"), **place(lab))
        true(any("SYNC-HAZARD" in line for line in messages(done.stdout + done.stderr)), "a missing barrier is seen")
        shutil.rmtree(lab.path("config"), ignore_errors=True)


def case_vkcube(lab):
    """vkcube under Xvfb, validation below passprobe: no additional message."""
    need_validation()
    need("vkcube", "Xvfb")
    cube = ["vkcube", "--c", "60", "--width", "64", "--height", "64", "--suppress_popups"]
    env = below(lab)
    bare = lab.run([XVFB] + cube, **env)
    probed = lab.run([XVFB] + lab.record("-e", "time,pipeline") + cube, **env)
    new = set(messages(probed.stdout + probed.stderr)) - set(messages(bare.stdout + bare.stderr))
    equal(new, set(), "new messages")
    equal(len(lab.session().frames), 60, "frames")


main(globals())
