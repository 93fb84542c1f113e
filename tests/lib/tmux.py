"""A terminal for tests of programs that draw on one: tmux, without a client, with a server for each terminal."""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds that a condition may take on a busy machine


def wait_for(condition, what):
    """Waits until @p condition returns something true, and returns it. @p what: for the message; may be a function."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {PATIENCE} s: {what() if callable(what) else what}")


class Terminal:
    """A terminal with a shell that runs @p argv and then waits. Files in @p folder: `before` and `after` have the modes of
    the terminal around the program, `status` its exit status."""

    def __init__(self, folder, argv, env, cwd, columns=80, lines=24):
        self.folder = folder
        self.socket = os.path.join(folder, "tmux.sock")
        self.env = {name: value for name, value in env.items() if name not in ("TMUX", "TMUX_PANE")}
        words = " ".join(shlex.quote(word) for word in argv)
        program = os.path.join(folder, "program")
        with open(program, "w", encoding="utf-8") as out:
            out.write(f"cd {shlex.quote(cwd)}\n" +
                      "".join(f"export {name}={shlex.quote(value)}\n" for name, value in env.items()) +
                      ("" if "NO_COLOR" in env else "unset NO_COLOR\n") +
                      f"cd {shlex.quote(folder)}; echo line before; stty -a >before; cd {shlex.quote(cwd)}\n"
                      # the shell must survive signals that the terminal sends to all of its processes
                      f"trap : INT QUIT; {words}; echo $? >{shlex.quote(folder)}/status.new\n"
                      f"cd {shlex.quote(folder)}; stty -a >after; mv status.new status; echo line after; exec sleep 600\n")
        self.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), f"exec sh {program}")

    def tmux(self, *words):
        run = subprocess.run(["tmux", "-S", self.socket, *words], env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, check=False, timeout=PATIENCE)
        if run.returncode:
            raise AssertionError(f"tmux {words}: {run.stderr}")
        return run.stdout

    def screen(self, *words):
        """The text on the screen; `-e`: with escape sequences."""
        return self.tmux("capture-pane", "-p", *words)

    def history(self):
        """The text on the screen and what has left it at the top."""
        return self.screen("-S", "-")

    def wait_text(self, *parts):
        """Waits until all of these are on the screen. Returns the screen."""
        def shown():
            text = self.screen()
            return text if all(part in text for part in parts) else None
        return wait_for(shown, lambda: f"{parts}; the screen:\n{self.screen()}")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def state(self, name):
        """A variable of tmux: `alternate_on`, `cursor_flag`, ..."""
        return self.tmux("display-message", "-p", f"#{{{name}}}").strip()

    def read(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return file.read()

    def wait_end(self):
        """Waits for the end of the program. Returns its exit status."""
        wait_for(lambda: self.read("status"), lambda: f"the program's end; the screen:\n{self.screen()}")
        self.wait_text("line after")
        return int(self.read("status"))

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.env, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)


def open_terminal(test, argv, env, cwd, **more):
    """A terminal that is closed at the end of the test."""
    if not shutil.which("tmux"):
        print("skipped: no tmux")
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="passprobe-tmux-")
    test.addCleanup(shutil.rmtree, folder, ignore_errors=True)
    terminal = Terminal(folder, argv, env, cwd, **more)
    test.addCleanup(terminal.close)
    return terminal
