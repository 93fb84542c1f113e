"""Speedscope, a viewer of flame graphs, in a headless Chromium. npm has its page, which works without a server."""
import base64
import json
import os
import subprocess
import time

from browser import Browser
from harness import Skip, need

PACKAGE = "speedscope@1.25.0"  # its licence is MIT
ARCHIVE = "speedscope-1.25.0.tgz"
TABLE = "[...document.querySelectorAll('tbody tr, tr')].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"


class Speedscope:
    """The viewer. @param folder Where the package is kept. Use it in a `with` statement."""

    def __init__(self, folder):
        need("npm", "tar")
        os.makedirs(folder, exist_ok=True)
        archive = os.path.join(folder, ARCHIVE)
        try:
            if not os.path.exists(archive):
                subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, timeout=180,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run(["tar", "-xzf", archive, "package/dist/release"], cwd=folder, check=True)
        except (subprocess.SubprocessError, OSError) as error:
            raise Skip(f"npm does not give {PACKAGE}: {error}") from error
        self.page = os.path.join(folder, "package", "dist", "release", "index.html")
        self.browser = Browser()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.browser.__exit__()

    def load(self, path):
        """Open a file, as the command `speedscope` does. @return what the viewer says about it: texts."""
        name, script = os.path.basename(path), path + ".js"
        with open(path, "rb") as file:
            content = base64.b64encode(file.read()).decode()
        with open(script, "w", encoding="ascii") as file:
            file.write(f"speedscope.loadFileFromBase64({json.dumps(name)}, {json.dumps(content)})")
        self.browser.open("/dev/null")  # else only the part after the # changes
        self.browser.events.clear()
        self.browser.open(f"{self.page}#localProfilePath={script}")
        self.browser.until(f"document.title === {json.dumps(name + ' - speedscope')}", 60)
        return [text for text in self.browser.complaints() if "WebGL" not in text and "import: " not in text]

    def table(self):
        """The rows of the table of functions: total, self, name."""
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key="3", code="Digit3", windowsVirtualKeyCode=51,
                              **({"text": "3"} if kind == "keyDown" else {}))
        end = time.monotonic() + 60
        while not (rows := [row for row in self.browser.run(TABLE) if len(row) == 3 and row[0].endswith("%)")]):
            if time.monotonic() > end:
                raise AssertionError("no table: " + self.browser.run("document.body.innerText"))
            time.sleep(0.05)
        return rows
