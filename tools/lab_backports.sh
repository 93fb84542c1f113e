#!/usr/bin/env bash
# lab_backports.sh: run the tests of tests/lab on the Mesa of Debian 12's backports (25.0), without a GPU.
#
#   tools/lab_backports.sh [DIR]     DIR: where to download (build/backports)
#
# Downloads Mesa's packages and those of its libdrm (21 MB, by apt from the machine's own mirror; they are unpacked, not
# installed), and runs the tests of Intel's drivers of build/ci on them. Exit status 77: the packages cannot be had.
set -eu
cd "$(dirname "$0")/.."
dir=$(mkdir -p "${1:-build/backports}" && cd "${1:-build/backports}" && pwd)
root=$dir/root
packages="mesa-vulkan-drivers libgl1-mesa-dri mesa-libgallium libegl-mesa0 libgbm1 libglx-mesa0
    libdrm2 libdrm-amdgpu1 libdrm-common libdrm-intel1 libdrm-radeon1 libdrm-nouveau2"

# Call apt with its own lists and cache: those of the machine stay unchanged.
apt_backports() {
    apt-get -o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache" \
        -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o APT::Sandbox::User=root -o Debug::NoLocking=1 -o Acquire::http::Timeout=20 -qq "$@"
}

unpack() {
    [ -e "$dir/unpacked" ] && return
    local site
    site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m 1 debian || true)
    mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/debs" "$root"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s bookworm-backports main\n' \
        "${site:-http://deb.debian.org/debian}" >"$dir/apt/sources.list"
    # shellcheck disable=SC2086
    if ! { apt_backports update && (cd "$dir/debs" && apt_backports download $packages); } >"$dir/apt.log" 2>&1; then
        tail -n 3 "$dir/apt.log"
        echo "skipped: the packages of Debian 12's backports cannot be downloaded"
        exit 77
    fi
    for deb in "$dir"/debs/*.deb; do dpkg -x "$deb" "$root"; done
    touch "$dir/unpacked"
}

unpack
LAB_MESA=$root ctest --test-dir build/ci -j "${PP_JOBS:-$(nproc)}" --output-on-failure \
    -R '^lab_(anv|hasvk|iris|crocus|exact|barriers|refusals|batches)_'
