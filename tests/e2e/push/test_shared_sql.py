"""The build folder has the files of SQL at the paths that docs/fleet.md names, so a user who did not install has them."""
import filecmp
import os

from harness import ROOT, equal, main, true


def case_files(lab):
    source, shared = os.path.join(ROOT, "cli/push/sql"), os.path.join(lab.build, "share/passprobe/sql")
    names = [os.path.relpath(os.path.join(folder, name), source) for folder, _, files in os.walk(source) for name in files]
    true("clickhouse/questions/regressions.sql" in names, names)
    for name in names:
        true(filecmp.cmp(os.path.join(source, name), os.path.join(shared, name), shallow=False), name)
    made = [os.path.relpath(os.path.join(folder, name), shared) for folder, _, files in os.walk(shared) for name in files]
    equal(sorted(set(made) - set(names)), ["clickhouse/schema-1-replicated.sql"], "made files")


main(globals())
