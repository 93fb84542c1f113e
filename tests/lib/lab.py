"""Running programs with the layer from the build tree and reading what it wrote. Standard library only."""
import csv
import os
import re
import subprocess
import sys
import tempfile

LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
VALIDATION = "VK_LAYER_KHRONOS_validation"
SETTINGS = """khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn
khronos_validation.duplicate_message_limit = 1000
khronos_validation.log_filename = stdout
"""


def skip(reason):
    """End as a skipped test."""
    print(reason)
    sys.exit(77)


def fail(text):
    """End as a failed test."""
    print("FAILED: " + text)
    sys.exit(1)


def equal(got, want, what):
    """Expect equality."""
    if got != want:
        fail("%s: got %r, want %r" % (what, got, want))


class Lab:
    """A build folder, and a scratch folder for sessions."""

    def __init__(self, build):
        self.build = build
        self.scratch = tempfile.mkdtemp(prefix="layer-test.")
        os.mkdir(self.path("config"))
        with open(self.path("vk_layer_settings.txt"), "w", encoding="utf-8") as file:
            file.write(SETTINGS)
        self.driver = LAVAPIPE

    def path(self, name):
        """In the scratch folder."""
        return os.path.join(self.scratch, name)

    def run(self, command, session=None, layers=(), status=0, **more):
        """Run a program, under the layer if a session is named. Returns its output, stderr in it."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PASSPROBE", "VK_", "LD_PRELOAD"))}
        share = os.path.join(self.build, "share")
        env.update(XDG_DATA_DIRS=share + ":/usr/local/share:/usr/share", XDG_CONFIG_HOME=self.path("config"),
                   VK_ICD_FILENAMES=self.driver, LC_ALL="C.UTF-8",
                   ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0")
        if self.driver == LAVAPIPE:
            env["TSAN_OPTIONS"] = "report_bugs=0"  # its own threads race; the fake driver has none
        if layers:
            env["VK_INSTANCE_LAYERS"] = ":".join(layers)
        if session:
            env.update(PASSPROBE="1", PASSPROBE_OUTPUT=self.path(session))
        env.update(more)
        done = subprocess.run(command, env=env, cwd=self.scratch, stdin=subprocess.DEVNULL, timeout=110,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != status:
            fail("%s: exit status %d\n%s" % (" ".join(command), done.returncode, done.stdout[-3000:]))
        return done.stdout

    def rows(self, session, table):
        """Rows of a table of a session."""
        with open(os.path.join(self.path(session), table + ".csv"), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def text(self, session):
        """session.json as text."""
        with open(os.path.join(self.path(session), "session.json"), encoding="utf-8") as file:
            return file.read()


def messages(output):
    """How often each validation message came."""
    count = {}
    for name in re.findall(r"\[ ((?:VUID|UNASSIGNED|SYNC)[A-Za-z0-9_-]*) \]", output):
        count[name] = count.get(name, 0) + 1
    return count
