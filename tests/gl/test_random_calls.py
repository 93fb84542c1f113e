"""Random sequences of calls from fixed seeds print the same bare and at every level: errors, results of queries,
pixels."""
import os

from harness import Skip, equal, main, true
from shim import preload

FIRST = 1
SEEDS = 10
STEPS = 150


def seeds(text):
    """@return by seed, the lines of each run that reached its end."""
    found, lines = {}, []
    for line in text.splitlines():
        if line.startswith("seed "):
            lines = []
        lines.append(line)
        if line.startswith("end "):
            found[line.split()[1]] = lines
    return found


def differ(lab, mode):
    program = [os.path.join(lab.build, "tests", "reach", "random_calls"), mode, str(FIRST), str(SEEDS), str(STEPS)]
    # llvmpipe's threads would decide the order of actions that have no order
    alone = {"LP_NUM_THREADS": "0"}
    bare = lab.run(program, check=False, **alone)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    again = seeds(lab.run(program, check=False, **alone).stdout)
    wanted = {seed: lines for seed, lines in seeds(bare.stdout).items() if again.get(seed) == lines}
    true(len(wanted) * 2 > SEEDS, f"only of {sorted(wanted)} two runs are the same")
    for level in ("pass", "draw"):
        loaded = lab.run(program, check=False, **preload(lab, level, level=level), **alone)
        got = seeds(loaded.stdout)
        equal(loaded.returncode, bare.returncode, f"{mode}, {level}: {loaded.stderr}")
        for seed, lines in wanted.items():
            for want, have in zip(lines, got.get(seed, [])):
                equal(have, want, f"{mode}, {level}, seed {seed}: {loaded.stderr}")
            equal(len(got.get(seed, [])), len(lines), f"{mode}, {level}, seed {seed}: lines")


def case_compat(lab):
    differ(lab, "compat")


def case_core(lab):
    differ(lab, "core")


def case_es(lab):
    differ(lab, "es")


if __name__ == "__main__":
    main(globals())
