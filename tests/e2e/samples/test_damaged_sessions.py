"""Damaged session directories: files are changed, cut, removed, renamed, exchanged, or replaced by something that is no
regular file, several at once. The commands that read them end in time, with one of their exit statuses, print at most a
few lines, print nothing that controls a terminal, and change nothing.

PP_CRASH_SECONDS is the time for each case (10; `all` is an hour), PP_CRASH_SEED begins another series."""
import hashlib
import os
import random
import re
import shutil
import subprocess
import time

from harness import equal, main, true

FILES = ("session.json", "frames.csv", "passes.csv", "draws.csv", "labels.csv")
NAMES = FILES + ("session.json.new", "frames.csv.new")
MOST_LINES = 12
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
BITS = (b"\0", b"\0" * 5000, b"\x1b[2J", b"\x1b]0;x\x07", b"\xc2\x9b", b"\xe2\x80\xae", b"\xff", b'"', b"\r\n", b",", b"\n",
        b"18446744073709551616", b"-1", b"1e999", b"nan", b"\xef\xbb\xbf", b"{", b"}", b"[" * 3000, b"frame", b"x" * 70000)


def pristine(lab):
    """A session with rows in each file, at level draw."""
    program = os.path.join(lab.build, "tests", "core_crash_program")
    env = lab.environment(PASSPROBE_OUTPUT=lab.path("good"), PASSPROBE_LEVEL="draw", PASSPROBE_QUIET="1")
    done = subprocess.run([program, "kill", "100000"], env=env, capture_output=True, text=True, timeout=60, check=False)
    equal(done.returncode, 0, done.stderr)
    found = {}
    for name in FILES:
        with open(os.path.join(lab.path("good"), name), "rb") as file:
            found[name] = file.read()
        true(found[name].count(b"\n") > 10, f"{name} has rows")
    return found


def damage_bytes(dice, text):
    """A text with some bytes changed."""
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        at, end = sorted(dice.randrange(len(text) + 1) for _ in range(2))
        kind = dice.randrange(6)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            text = text[:at] + dice.choice(BITS) + text[at:]
        elif kind == 2:
            text = text[:at] + dice.choice(BITS) + text[at + 1:]
        elif kind == 3:
            text = text[:at] + text[end:]
        elif kind == 4:
            text = text[:at] + b"\0" * (end - at) + text[end:]
        else:
            text = text[:end] + text[at:end] + text[end:]
    return text


def damage_rows(dice, text):
    """Rows or columns in another order, twice, or not at all."""
    rows = text.split(b"\r\n")
    kind = dice.randrange(4)
    if kind == 0:
        dice.shuffle(rows)
    elif kind == 1:
        rows = [rows[0]] + rows[1:] * 2
    elif kind == 2:
        rows = [row for row in rows if dice.random() < 0.8]
    else:
        cells = [row.split(b",") for row in rows]
        order = list(range(len(cells[0])))
        dice.shuffle(order)
        rows = [b",".join(row[i] for i in order if i < len(row)) for row in cells]
    return b"\r\n".join(rows)


def put_special(dice, folder, path):
    """Put something that is no regular file in place of a file."""
    kind = dice.randrange(7)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        os.mkdir(path)
    elif kind == 2:
        os.symlink(dice.choice(("/dev/zero", "/dev/full", "/etc/passwd", "/proc/self/mem", "nowhere", os.path.basename(path),
                                "frames.csv")), path)
    elif kind == 3:
        os.link(os.path.join(os.path.dirname(folder), "strange"), path)
    elif kind == 4:
        with open(path, "wb") as file:
            file.truncate(1 << 32)  # a file with a hole
    elif kind == 5:
        with open(path, "wb"):
            pass
        os.chmod(path, 0)
    else:
        os.symlink(os.path.join(os.path.dirname(folder), "strange"), path)


def make(dice, folder, good):
    """Make a directory with damaged files. Returns what was done."""
    texts, done = dict(good), []
    for _ in range(dice.choice((1, 1, 1, 2, 3, 5))):
        name, kind = dice.choice(sorted(texts) or list(NAMES)), dice.randrange(8)
        done.append(f"{kind} {name}")
        if kind < 3 and texts.get(name):
            texts[name] = damage_bytes(dice, texts[name])
        elif kind == 3 and texts.get(name):
            texts[name] = damage_rows(dice, texts[name])
        elif kind == 4:
            texts.pop(name, None)
        elif kind == 5:
            other = dice.choice(NAMES)
            texts[other], texts[name] = texts.get(name, b""), texts.get(other, b"")
        elif kind == 6:
            texts[dice.choice(NAMES)] = texts.get(name, b"")
        else:
            texts[name] = None
    os.mkdir(folder)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        if text is None:
            put_special(dice, folder, path)
        else:
            with open(path, "wb") as file:
                file.write(text)
    return done


def state(folder):
    """The state of the directory, which must not change."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        about = os.lstat(path)
        digest = ""
        if os.path.isfile(path) and not os.path.islink(path) and about.st_size < 1 << 24 and about.st_mode & 0o400:
            with open(path, "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
        found[name] = (about.st_mode, about.st_size, about.st_ino, digest)
    return found


def judge(lab, folder, command, where):
    """Run one command on the directory."""
    before = state(folder)
    done = subprocess.run([lab.passprobe, *command, folder], env=lab.environment(), capture_output=True, timeout=20,
                          stdin=subprocess.DEVNULL, check=False)
    true(done.returncode in (0, 1, 125), f"{where}: {command}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    said = done.stderr.decode("utf-8")
    true(said.count("\n") <= MOST_LINES, f"{where}: {command}: {said}")
    true(done.returncode == 0 or said.startswith("passprobe: "), f"{where}: {command}: {said}")
    for text in said, done.stdout.decode("utf-8"):
        found = CONTROLS.search(text)
        true(not found, f"{where}: {command} prints {found and text[max(0, found.start() - 60):found.start() + 20]!r}")
    equal(state(folder), before, f"{where}: {command}: the directory")


def wander(lab, *commands):
    """Test as many directories as there is time for."""
    good = pristine(lab)
    with open(lab.path("strange"), "wb") as file:
        file.write(b"something else\n")
    seconds = os.environ.get("PP_CRASH_SECONDS", "10")
    deadline = time.monotonic() + (float(seconds) if seconds != "all" else 3600)
    seed, tried = int(os.environ.get("PP_CRASH_SEED", "2026")), 0
    while time.monotonic() < deadline or tried < 5:
        folder = lab.path(f"try-{seed}")
        done = make(random.Random(seed), folder, good)
        for command in commands:
            judge(lab, folder, command, f"PP_CRASH_SEED={seed} ({', '.join(done)})")
        subprocess.run(["chmod", "-R", "u+rwX", folder], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(folder)
        seed, tried = seed + 1, tried + 1
    print(f"{tried} directories, up to PP_CRASH_SEED={seed - 1}")


def case_report(lab):
    """passprobe report."""
    wander(lab, ("report",), ("report", "-E", "3"))


main(globals())
