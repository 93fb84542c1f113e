#!/usr/bin/env python3
"""Make docs/images/report-stutter.png, the picture in README.md: the page of `report --html` with its slowest frame chosen.

    build/release/bin/passprobe record -o stutter -- build/release/bin/passprobe-sample-gl --frames 300 --labels --stutter 120
    tools/page_picture.py --build build/release stutter docs/images/report-stutter.png

Record on a machine that does nothing else. Needs Chromium.
"""
import argparse
import base64
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "lib"))
from browser import Browser  # pylint: disable=wrong-import-position

WIDTH = 1280
# the slowest frame, and from the plot to the end of its table
CHOOSE = """(() => {
    const times = strip.of.frame_time_ns;
    strip.choose(times.indexOf(Math.max(...times)));
    document.activeElement.blur();
    document.getElementById('time-help').hidden = true;
})()"""
CLIP = """(() => {
    const top = document.getElementById('time').getBoundingClientRect().top + scrollY;
    const bottom = document.getElementById('frame').getBoundingClientRect().bottom + scrollY;
    return {x: 0, y: Math.floor(top), width: document.documentElement.clientWidth, height: Math.ceil(bottom - top) + 8};
})()"""


def picture_of(page):
    """The bytes of a PNG."""
    with Browser(WIDTH, 1000) as browser:
        browser.look(theme="light")
        browser.open(page)
        browser.run(CHOOSE)
        browser.until("document.querySelectorAll('#frame .timeline rect').length > 1")
        clip = {**browser.run(CLIP), "scale": 1}
        data = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
    return base64.b64decode(data)


def main():
    """Write the page and its picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("session")
    parser.add_argument("picture")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        subprocess.run([os.path.join(options.build, "bin", "passprobe"), "report", "--html", page, options.session], check=True)
        data = picture_of(page)
    with open(options.picture, "wb") as file:
        file.write(data)
    print(f"{options.picture}: {os.path.getsize(options.picture)} bytes")


if __name__ == "__main__":
    main()
