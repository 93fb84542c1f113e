"""A headless Chromium that opens a page and runs scripts in it, by the DevTools protocol over a pipe. Standard library
only; no port is opened. Everything that the page asks for, prints or fails at is kept, so that a test can refuse it."""
import base64
import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time

from harness import Skip

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """A browser with one page. Use it in a `with` statement."""

    def __init__(self, width=1280, height=800):
        path = next((found for found in map(shutil.which, NAMES) if found), None)
        if not path:
            raise Skip("no Chromium on this machine")
        self.events, self.last, self.rest = [], 0, b""
        self.home = tempfile.mkdtemp(prefix="passprobe-browser-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        # a shell gives both ends the numbers that the browser wants
        words = ["sh", "-c", f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"', "sh", path, "--headless=new", "--no-sandbox",
                 "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                 "--force-color-profile=srgb", "--hide-scrollbars", f"--user-data-dir={self.home}",
                 f"--window-size={width},{height}", "--remote-debugging-pipe", "about:blank"]
        with open(os.path.join(self.home, "log"), "wb") as log:
            self.process = subprocess.Popen(words, pass_fds=(to_browser, from_browser), stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, env={**os.environ, "HOME": self.home})
        os.close(to_browser)
        os.close(from_browser)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.into, selectors.EVENT_READ)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(domain + ".enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.terminate()
        self.process.wait(60)
        os.close(self.into)
        os.close(self.out)
        self.selector.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self, seconds):
        """The next message of the browser."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            if not self.selector.select(max(0, end - time.monotonic())):
                raise AssertionError(f"the browser did not answer within {seconds} s")
            part = os.read(self.into, 1 << 20)
            if not part:
                raise AssertionError("the browser ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, seconds=120, **parameters):
        """Call a method of the protocol; what comes before the answer is kept."""
        self.last += 1
        wanted = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            wanted["sessionId"] = self.session
        data = json.dumps(wanted).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            message = self.message(seconds)
            if message.get("id") == self.last:
                if "error" in message:
                    raise AssertionError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method, seconds=120):
        """Wait for an event, also one that came already; it is taken out."""
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(i)
            self.events.append(self.message(seconds))

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def look(self, theme="light", script=True, media=""):
        """What the user prefers: "light" or "dark", with scripts or without, on a screen or "print"."""
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": theme},
                            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def open(self, path):
        """Open a file and wait until it has loaded."""
        self.events = [event for event in self.events if event.get("method") != "Page.loadEventFired"]
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def run(self, script):
        """The value of a script, which may be a promise."""
        ret = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in ret:
            raise AssertionError(f"{script}: {ret['exceptionDetails'].get('exception', {}).get('description')}")
        return ret["result"].get("value")

    def until(self, script, seconds=60):
        """Wait until a script is true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise AssertionError(f"not true within {seconds} s: {script}")
            time.sleep(0.02)

    def key(self, name):
        """Press a key that has no letter."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode={"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36,
                                             "End": 35}.get(name, 0), **({"text": "\r"} if name == "Enter" and kind == "keyDown" else {}))

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left",
                      clickCount=0 if kind == "mouseMoved" else 1)

    def picture(self, path, whole=True):
        """Write a PNG of the page, or of what the window shows."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                         **({"clip": {**self.run("({x: 0, y: 0, width: document.documentElement.clientWidth, height: "
                                                 "document.documentElement.scrollHeight})"), "scale": 1}} if whole else {}))
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def complaints(self):
        """What the page printed, failed at or was refused, as texts."""
        self.run("0") if self.session else None
        found = []
        for event in self.events:
            method, about = event.get("method"), event.get("params", {})
            if method == "Runtime.consoleAPICalled":
                found.append("console: " + " ".join(str(arg.get("value")) for arg in about["args"]))
            elif method == "Runtime.exceptionThrown":
                details = about["exceptionDetails"]
                found.append("exception: " + details.get("exception", {}).get("description", details["text"]))
            elif method == "Log.entryAdded":
                found.append(f"log: {about['entry']['text']}")
        return found

    def requests(self):
        """Everything that the page asked for, by its address."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]
