#!/usr/bin/env bash
# lint.sh format [--fix] | tidy BUILD-DIR: what a reviewer need not look at, over every hand-written C file.
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
tidy)
    # Tests are held by the compilers' warnings; clang-tidy reads what runs in other people's programs.
    sources | grep -E '^(annotate|cli|core|counters|hooks|layer)/.*\.c$' | xargs python3 tools/tidy.py "$2"
    ;;
*)
    echo "usage: lint.sh format [--fix] | tidy BUILD-DIR" >&2
    exit 2
    ;;
esac
