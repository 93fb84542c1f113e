"""axe-core, which checks a page against the rules of WCAG: https://github.com/dequelabs/axe-core. npm has it; its licence
is MPL-2.0. It runs in the browser of the test only; no part of it is installed."""
import os
import subprocess

from harness import Skip, need

PACKAGE = "axe-core@4.10.2"
ARCHIVE = "axe-core-4.10.2.tgz"
FILE = "package/axe.min.js"


class Axe:
    """The rules. @param folder Where the package is kept."""

    def __init__(self, folder):
        need("npm", "tar")
        os.makedirs(folder, exist_ok=True)
        try:
            if not os.path.exists(os.path.join(folder, ARCHIVE)):
                subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, timeout=180,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run(["tar", "-xzf", ARCHIVE, FILE], cwd=folder, check=True)
        except (subprocess.SubprocessError, OSError) as error:
            raise Skip(f"npm does not give {PACKAGE}: {error}") from error
        with open(os.path.join(folder, FILE), encoding="utf-8") as file:
            self.script = file.read()

    def check(self, browser):
        """What is wrong with the page that is open: rule, impact, and where."""
        browser.run(self.script + "; 0")
        found = browser.run("axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations.map((rule) => "
                            "[rule.id, rule.impact, rule.nodes.map((node) => node.html.slice(0, 200))]))")
        return [tuple(rule) for rule in found]
