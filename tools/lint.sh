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
    build=$2
    found=$(mktemp)
    trap 'rm -f "$found"' EXIT
    rc=0
    sources | grep -E '^(annotate|cli|core|counters|hooks|layer)/.*\.c$' |
        while read -r f; do grep -qF "/$f\"" "$build/compile_commands.json" && echo "$PWD/$f"; done |
        xargs -r run-clang-tidy -quiet -p "$build" -j "$(nproc)" >"$found" 2>&1 || rc=$?
    # findings only: not the command lines, nor how many warnings of system headers there were
    sed 's/\x1b\[[0-9;]*m//g' "$found" | grep -vE '^clang-tidy|warnings? generated\.$|^Suppressed|^Use -header' || true
    exit "$rc"
    ;;
*)
    echo "usage: lint.sh format [--fix] | tidy BUILD-DIR" >&2
    exit 2
    ;;
esac
