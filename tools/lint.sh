#!/usr/bin/env bash
# lint.sh format [--fix] | tidy BUILD-DIR | quick BUILD-DIR: checks every hand-written C file for what a reviewer need not
# look at. `quick` is clang-tidy with fewer states in its analyzer (tidy.py).
set -eu
cd "$(dirname "$0")/.."
sources() {
    if [ -d .git ] || [ -f .git ]; then
        git ls-files --cached --others --exclude-standard -- '*.c' '*.h'
    else
        find annotate bench cli core counters hooks layer samples tests -name '*.[ch]'
    fi
}
case ${1:-} in
format)
    if [ "${2:-}" = --fix ]; then
        sources | xargs clang-format -i
    else
        sources | xargs clang-format --dry-run -Werror
    fi
    ;;
tidy | quick)
    # For tests, the compilers' warnings are enough. clang-tidy reads the code that runs in applications and the command.
    sources | grep -E '^(annotate|cli|core|counters|hooks|layer)/.*\.c$' |
        xargs python3 tools/tidy.py $([ "$1" = tidy ] || echo --quick) "$2"
    ;;
*)
    echo "usage: lint.sh format [--fix] | tidy BUILD-DIR | quick BUILD-DIR" >&2
    exit 2
    ;;
esac
