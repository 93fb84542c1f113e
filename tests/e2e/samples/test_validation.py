"""Does Khronos' validation layer, synchronization validation included, say anything with passprobe that it does
not say without? Once below us (it sees what we add), once above (it sees what the program gets back)."""
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
    """Skip without the layer."""
    need_vulkan()
    if not os.path.exists(MANIFEST):
        raise Skip("the Khronos validation layer is not installed")


def below(_lab):
    """Explicit layers lie below implicit ones."""
    return {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation", "VK_LAYER_ENABLES": SYNC}


def above(lab):
    """As an implicit layer in the first folder that the loader looks into, it lies above us."""
    folder = os.path.join(lab.path("config"), "vulkan", "implicit_layer.d")
    os.makedirs(folder, exist_ok=True)
    with open(MANIFEST, encoding="utf-8") as file:
        manifest = json.load(file)
    manifest["layer"]["disable_environment"] = {"PP_TEST_NO_VALIDATION": "1"}
    with open(os.path.join(folder, "validation.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return {"VK_LAYER_ENABLES": SYNC}


def messages(text):
    """Validation's messages without handles and places in the command buffer, where ours stand too."""
    return sorted(re.sub(r"0x[0-9a-f]+|seq_no: \d+|reset_no: \d+", "", line) for line in text.splitlines()
                  if re.search(r"VUID|SYNC-HAZARD|UNASSIGNED|Validation", line))


def order(lab, env, command):
    """Names of the instance layers, from the program down, as the loader reports them."""
    done = lab.run(command, VK_LOADER_DEBUG="layer", **env)
    chain = re.findall(r'Insert instance layer "?(VK_LAYER_\w+)', done.stdout + done.stderr)
    return list(reversed(chain))


def compare(lab, place):
    """All variants of the sample, and that both layers are where we mean them to be."""
    need_validation()
    env = place(lab)
    record = lab.record("--level", "pass", "-e", "time,pipeline")
    chain = order(lab, env, record + lab.sample("vk", "--frames", "1"))
    ours = [name for name in chain if "passprobe" in name.lower()]
    true(ours and "VK_LAYER_KHRONOS_validation" in chain, f"both layers are loaded: {chain}")
    is_below = chain.index(ours[0]) < chain.index("VK_LAYER_KHRONOS_validation")
    equal(is_below, place is below, f"validation lies below us; chain {chain}")
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
    """Validation below us."""
    compare(lab, below)


def case_above(lab):
    """Validation above us."""
    compare(lab, above)


def case_control(lab):
    """The control: validation does speak through this harness when something is wrong."""
    need_validation()
    for place in below, above:
        done = lab.run(lab.sample("vk", "--frames", "2", "--hazard"), **place(lab))
        true(any("SYNC-HAZARD" in line for line in messages(done.stdout + done.stderr)), "a missing barrier is seen")
        shutil.rmtree(lab.path("config"), ignore_errors=True)


def case_vkcube(lab):
    """vkcube under Xvfb, validation below us: nothing new."""
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
