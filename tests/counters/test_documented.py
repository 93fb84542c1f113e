"""docs/counters.md names tests that exist, and every test that is about counters; every source that `passprobe list` shows
is in it and in docs/kernel-sources.md where it is the kernel's.

usage: test_documented.py SOURCE BUILD"""
import os
import re
import subprocess
import sys

# Tests of these are about counters: each must be named.
NAMED = r"(?:hooks_perf|test_source|samples_kernel_refused)(?:_\w+)?|test_kernel_rules"
# Tests of other modules, with counters on.
ELSEWHERE = {"hooks_perf_frame", "hooks_perf_gles", "hooks_perf_late", "hooks_perf_serialize", "hooks_perf_window", "hooks_perf_hazards"}


def registry(source):
    """Names of all counter sources, and of those of the kernel: counters/sources/registry.c."""
    with open(os.path.join(source, "counters", "sources", "registry.c"), encoding="utf-8") as file:
        rows = re.findall(r'\.name = "(\w+)".*?\.origin = (\w+)', file.read(), re.DOTALL)
    return {name for name, _ in rows}, {name for name, origin in rows if origin == "PP_SOURCE_KERNEL"}


def main():
    source, build = sys.argv[1:]
    problems = []
    names, kernel_names = registry(source)
    with open(os.path.join(source, "docs", "counters.md"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(source, "docs", "kernel-sources.md"), encoding="utf-8") as file:
        kernel = file.read()
    out = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    tests = set(re.findall(r"Test +#\d+: (\S+)", out))
    named = set(re.findall(r"`((?:test|hooks|layer|samples|bench|fuzz|vectors)_\w+)`", text))
    problems += [f"{name} is named and does not exist" for name in sorted(named - tests)
                 if not name.startswith(("fuzz_", "hooks_perf", "bench_brackets_gl")) or "fuzz_gl_perf" in tests]
    problems += [f"{name} exists and is not named" for name in sorted(tests - named - ELSEWHERE) if re.fullmatch(NAMED, name)]
    problems += [f"{name} is no test" for name in sorted(ELSEWHERE - tests) if "hooks_perf_rules" in tests]
    if len(named) < 80:
        problems.append(f"only {len(named)} tests are named")
    listed = subprocess.run([os.path.join(build, "bin", "passprobe"), "list"], capture_output=True, text=True, check=True,
                            env={**os.environ, "LC_ALL": "C"}).stdout
    head, _, _ = listed.partition("Hardware catalogues")
    sources = set(re.findall(r"^  ([a-z]+)(?: +\[| {2,}\S|:| no:)", head, re.MULTILINE)) | {"time", "pipeline"}
    if not kernel_names or not kernel_names <= sources:
        problems.append(f"`passprobe list` shows the sources {sorted(sources)}")
    problems += [f"the source {name} is not in docs/counters.md" for name in sorted(sources | names) if f"`{name}`" not in text]
    problems += [f"the source {name} is not in docs/kernel-sources.md" for name in sorted(kernel_names) if f"`{name}`" not in kernel]
    print("\n".join(problems) or f"{len(named)} tests, {len(sources)} sources")
    return bool(problems)


sys.exit(main())
