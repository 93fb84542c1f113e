#!/usr/bin/env bash
# run.sh TARGET [CORPUS]: one fuzz target for PP_FUZZ_SECONDS. Finds stay beside the target; new inputs are not kept.
# libFuzzer's own exit status for a crash is 77, which means "skipped" here.
set -u
exe=$1 seconds=${PP_FUZZ_SECONDS:-5}
[ -x "$exe" ] || { echo "skipped: no clang with libFuzzer when this was built"; exit 77; }
finds=$exe.finds
mkdir -p "$finds"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$exe" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
    -error_exitcode=1 -artifact_prefix="$finds/" "$tmp" ${2:+"$2"} >"$tmp.log" 2>&1
rc=$?
if [ $rc != 0 ]; then
    tail -n 60 "$tmp.log"
    echo "find kept in $finds"
else
    grep -E 'number_of_executed_units|peak_rss' "$tmp.log"
fi
rm -f "$tmp.log"
exit $rc
