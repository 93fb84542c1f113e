"""Programs that do not end in time: what each of their processes does."""
import glob
import subprocess

LINES = 120  # of each process


def status_of(pid):
    """Parent and name of a process; None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None
    name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 1:].split()
    return int(rest[1]), name


def family_of(pid):
    """A process and all that it started, by number: their names."""
    known = {int(path[6:]): status_of(path[6:]) for path in glob.glob("/proc/[0-9]*")}
    found = [pid]
    for one in found:
        found += [child for child, status in known.items() if status and status[0] == one]
    return {one: known[one][1] for one in found if known.get(one)}


def stacks_of(pid):
    """Call stacks of a process and of all that it started."""
    told = []
    for one, name in family_of(pid).items():
        try:
            text = subprocess.run(["eu-stack", "-n", "24", "-p", str(one)], capture_output=True, text=True, timeout=60, check=False,
                                  stdin=subprocess.DEVNULL).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            text = f"its stacks cannot be read: {error}"
        told.append(f"process {one} ({name}):\n" + "\n".join(text.splitlines()[:LINES]))
    return "\n".join(told)
