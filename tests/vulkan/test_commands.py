"""tools/gen_vk.py reports each mistake in a table of entry points with its file and line."""
import os
import subprocess
import sys

from harness import ROOT, main, none

MISTAKES = (
    ("vkCmdDraw wrok", "no kind: wrok"),
    ("vkCmdDraw", "not REGEX KIND"),
    ("vkCmdDraw draw count=vertexCount", "draw has no key count"),
    ("vkCmdDraw draw vertices=", "vertices has no value"),
    ("vkCmdDraw draw vertices=indexCount", "vkCmdDraw has no parameter indexCount"),
    ("vkCmdDrawIndirect draw args=draw(buffer,offset,howMany,stride)", "vkCmdDrawIndirect has no parameter howMany"),
    ("vkCmdDrawIndirect draw args=cubes(buffer,offset,drawCount,stride)", "not of the form of args"),
    ("vkCmdBeginRendering hand always=f", "hand has no key always"),
    ("vk(CmdDraw draw", "a parenthesis is open"),
    ("vkCmdNoSuchThing draw", "no command is named vkCmdNoSuchThing"),
    ("vkQueueNoSuchThing|vkCmdNoSuchThing through", "no command is named vkCmdNoSuchThing"),
)


def offences(lab):
    """Mistakes that are not reported as they should be."""
    with open(os.path.join(ROOT, "layer", "entry_points.txt"), encoding="utf-8") as file:
        text = file.read()
    table = lab.path("table.txt")
    for line, message in MISTAKES:
        with open(table, "w", encoding="utf-8") as file:
            file.write(line + "\n" + text)  # put in front, since the first rule that matches counts
        done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "tools", "gen_vk.py"), "--registry",
                               lab.cached("PP_VK_REGISTRY"), "--table", table, "--check"], capture_output=True,
                              text=True, check=False)
        if done.returncode != 1 or not any(row.startswith(table + ":1: ") and message in row
                                           for row in done.stderr.splitlines()):
            yield f"{line}: status {done.returncode}, not \"{message}\": {done.stderr}"


def case_mistakes(lab):
    none(offences(lab), f"{len(MISTAKES)} mistakes are reported")


main(globals())
