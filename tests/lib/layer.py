"""Running applications with the layer from the build tree and reading what it wrote. Standard library only."""
import csv
import json
import os
import re
import subprocess

import harness
from harness import LAVAPIPE, environment, fail

VALIDATION = "VK_LAYER_KHRONOS_validation"
SETTINGS = """khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn
khronos_validation.duplicate_message_limit = 1000
khronos_validation.log_filename = stdout
"""


# The last line of a run by variables.
END_LINE = re.compile(r"^passprobe: .* \[PP-347[56]\]\n", re.MULTILINE)
VALIDATION_FOLDER = "/usr/share/vulkan/explicit_layer.d"
VALIDATION_MANIFEST = os.path.join(VALIDATION_FOLDER, "VkLayer_khronos_validation.json")


class LayerLab(harness.Lab):
    """A lab whose applications run with the layer of the build tree."""

    def __init__(self, build, scratch):
        super().__init__(build, scratch)
        os.mkdir(self.path("config"))
        with open(self.path("vk_layer_settings.txt"), "w", encoding="utf-8") as file:
            file.write(SETTINGS)
        self.driver = LAVAPIPE

    def fake_driver(self):
        """Use the fake driver (tests/fake/icd) from now on."""
        self.driver = os.path.join(self.build, "tests", "fake-vulkan.json")
        return self

    def run(self, command, session=None, layers=(), status=0, **more):
        """Run an application, under the layer if a session is named. Returns its output with stderr, without the line that
        names the session."""
        env = environment("VK_")
        share = os.path.join(self.build, "share")
        env.update(XDG_DATA_DIRS=share + ":/usr/local/share:/usr/share", XDG_CONFIG_HOME=self.path("config"),
                   VK_ICD_FILENAMES=self.driver, LC_ALL="C.UTF-8",
                   ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0")
        if self.driver == LAVAPIPE:
            env["TSAN_OPTIONS"] = "report_bugs=0"  # lavapipe's threads race; the fake driver has no threads
        if layers:
            env["VK_INSTANCE_LAYERS"] = ":".join(layers)
        if session:
            env.update(PASSPROBE="1", PASSPROBE_OUTPUT=self.path(session))
        env.update(more)
        done = subprocess.run(command, env=env, cwd=self.scratch, stdin=subprocess.DEVNULL, timeout=110,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != status:
            fail("%s: exit status %d\n%s" % (" ".join(command), done.returncode, done.stdout[-3000:]))
        return END_LINE.sub("", done.stdout)

    def rows(self, session, table):
        """Rows of a table of a session."""
        with open(os.path.join(self.path(session), table + ".csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return harness.named(rows, json.loads(self.text(session))) if table == "frames" else rows

    def text(self, session):
        """session.json as text."""
        with open(os.path.join(self.path(session), "session.json"), encoding="utf-8") as file:
            return file.read()


def need_validation():
    """Skip unless Khronos' validation layer is installed."""
    harness.need_file(VALIDATION_MANIFEST, "the Khronos validation layer")


def validation_around(lab):
    """Variables that put the validation layer, with checks of synchronization, below passprobe's layer, and above it: pairs of a
    word and variables."""
    settings = lab.path("vk_layer_settings.txt")
    with open(settings, "w", encoding="utf-8") as file:
        file.write(SETTINGS)
    share = os.path.join(lab.build, "share")
    below = {"XDG_DATA_DIRS": share + ":/usr/local/share:/usr/share", "VK_INSTANCE_LAYERS": VALIDATION}
    above = {"XDG_DATA_DIRS": "/usr/local/share:/usr/share",
             "VK_LAYER_PATH": f"{VALIDATION_FOLDER}:{share}/vulkan/implicit_layer.d",
             "VK_INSTANCE_LAYERS": VALIDATION + ":VK_LAYER_PASSPROBE_profile"}
    return [(place, {**words, "VK_LAYER_SETTINGS_PATH": settings}) for place, words in (("below", below), ("above", above))]


def validation_frees_in_threads():
    """Whether the installed validation layer allows that one thread frees a command buffer while another sets a label,
    as --serialize does. Before 1.3.242 it does not, and crashes now and then: it removes the labels of a command buffer
    without taking its lock (EraseCmdDebugUtilsLabel in layers/vk_layer_logging.h of v1.3.239). Without the layer: yes."""
    if not os.path.exists(VALIDATION_MANIFEST):
        return True
    with open(VALIDATION_MANIFEST, encoding="utf-8") as manifest:
        version = json.load(manifest)["layer"]["api_version"]
    return tuple(map(int, version.split("."))) >= (1, 3, 242)


def serialized_walk():
    """The environment of the walk under --serialize where the validation layer is below."""
    return {} if validation_frees_in_threads() else {"WALK_CASES": "one thread"}


def messages(output):
    """Number of each validation message."""
    count = {}
    for name in re.findall(r"\[ ((?:VUID|UNASSIGNED|SYNC)[A-Za-z0-9_-]*) \]", output):
        count[name] = count.get(name, 0) + 1
    return count
