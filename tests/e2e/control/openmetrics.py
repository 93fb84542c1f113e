"""Reads a page in the OpenMetrics text format 1.0.0 strictly, as far as passprobe's pages use it: metadata before
samples, families that are not interleaved, suffixes by type, units at the ends of names, escaped label values,
histograms that grow, and the end."""
import re

SUFFIXES = {"counter": ("_total",), "gauge": ("",), "info": ("_info",), "stateset": ("",),
            "histogram": ("_bucket", "_count", "_sum")}
NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|\Z)')
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|inf|nan)\Z", re.IGNORECASE)


def labels_of(text):
    """{name: value} of what is between the braces."""
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        assert found, f"labels {text!r}"
        assert found[1] not in labels, f"label {found[1]} twice"
        labels[found[1]] = re.sub(r"\\(.)", lambda it: {"n": "\n"}.get(it[1], it[1]), found[2])
        at = found.end()
    return labels


def sample_of(line):
    """(name, labels, value) of a line with a sample."""
    found = re.match(r"([^{ ]+)(?:\{(.*)\})? (\S+)\Z", line)
    assert found and NAME.match(found[1]) and NUMBER.match(found[3]), f"sample {line!r}"
    return found[1], labels_of(found[2] or ""), float(found[3])


def check(name, family):
    """Check a complete family."""
    kind, samples = family["type"], family["samples"]
    assert samples, f"{name} has no sample"
    if family.get("unit"):
        assert name.endswith("_" + family["unit"]), f"{name} does not end in {family['unit']}"
    assert len({(one, tuple(sorted(labels.items()))) for one, labels, _ in samples}) == len(samples), f"{name}: a series twice"
    if kind in ("counter", "histogram"):
        assert all(value >= 0 for _, _, value in samples), f"{name} is negative"
    if kind == "info":
        assert all(value == 1 for _, _, value in samples), f"{name} is not 1"
    if kind == "stateset":
        assert all(value in (0, 1) and name in labels for _, labels, value in samples), name
    if kind == "histogram":
        buckets = [(float(labels["le"]), value) for one, labels, value in samples if one.endswith("_bucket")]
        count = [value for one, _, value in samples if one.endswith("_count")]
        assert buckets == sorted(buckets) and [v for _, v in buckets] == sorted(v for _, v in buckets), f"{name} falls"
        assert buckets[-1][0] == float("inf") and [buckets[-1][1]] == count, f"{name}: its count"


def parse(text):
    """{family: {"type", "unit", "help", "samples": [(name, labels, value)]}}; AssertionError where it is wrong."""
    assert text.endswith("# EOF\n") and "\r" not in text, "the end"
    families, current = {}, None
    for line in text[:-len("# EOF\n")].splitlines():
        assert line and line == line.strip(), f"line {line!r}"
        meta = re.match(r"# (TYPE|UNIT|HELP) (\S+) (.+)\Z", line)
        if meta:
            kind, name, value = meta.groups()
            if name != current:
                assert kind == "TYPE" and name not in families and NAME.match(name), f"begin {line!r}"
                current = name
                families[name] = {"samples": []}
            assert kind.lower() not in families[name] and not families[name]["samples"], f"order {line!r}"
            assert kind != "TYPE" or value in SUFFIXES, line
            families[name][kind.lower()] = value
            continue
        assert not line.startswith("#") and current, f"line {line!r}"
        sample = sample_of(line)
        assert sample[0] in [current + it for it in SUFFIXES[families[current]["type"]]], f"{line!r} in {current}"
        families[current]["samples"].append(sample)
    for name, family in families.items():
        check(name, family)
    return families
