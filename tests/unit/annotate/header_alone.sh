#!/bin/sh
# header_alone.sh COMPILER LANGUAGE INCLUDE SOURCE OUT: build a program of two files that include the public header,
# with and without optimisation and with the header switched off; run it; it says nothing and needs nothing of ours.
set -eu
compiler=$1 language=$2 include=$3 source=$4 out=$5
if [ ! -x "$compiler" ]; then
    echo "skipped: no such compiler here"
    exit 77
fi
case $language in
c++*) kind="-x c++ -Wold-style-cast" ;;
*) kind="-x c -Wstrict-prototypes -Wmissing-prototypes" ;;
esac
for more in -O0 -O2 "-O2 -fPIC -DPASSPROBE_ANNOTATE_OFF"; do
    for part in "" -DOTHER_FILE; do
        # shellcheck disable=SC2086 # lists of options
        "$compiler" $kind -std="$language" -pedantic -Wall -Wextra -Wshadow -Wundef -Wconversion -Wcast-qual -Werror \
            $more $part -I"$include" -c "$source" -o "$out$part.o"
    done
    # shellcheck disable=SC2086
    "$compiler" $more "$out.o" "$out-DOTHER_FILE.o" -o "$out" -ldl
    said=$("$out" 2>&1)
    [ -z "$said" ] || { echo "it said: $said"; exit 1; }
    if nm -u "$out.o" | grep -E 'pp_|passprobe'; then
        echo "$more: the object needs a symbol of passprobe"
        exit 1
    fi
done
