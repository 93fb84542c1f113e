#!/usr/bin/env bash
# lab_arm64.sh: run passprobe for arm64 on Debian's arm64 drivers, under qemu-user, without a GPU.
#
#   tools/lab_arm64.sh [DIR]     DIR: where to download and build (build/arm64)
#
# Downloads Debian 12's arm64 packages (60 MB, by apt from the machine's own mirror; they are unpacked, not installed),
# cross-compiles passprobe and the devices of tests/lab, and runs the ctests lab_arm64_* of build/ci. Needs qemu-aarch64,
# the cross compiler (tools/packages.sh) and a built build/ci. Exit status 77: the packages cannot be had.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
dir=$(mkdir -p "${1:-build/arm64}" && cd "${1:-build/arm64}" && pwd)
root=$dir/root
jobs=${PP_JOBS:-$(nproc)}
triplet=aarch64-linux-gnu

# What the drivers, passprobe and the samples need; development files are only headers and links.
packages="libc6 libgcc-s1 libstdc++6 zlib1g libzstd1 liblzma5 libexpat1 libffi8 libtinfo6 libbsd0 libmd0 libedit2 libelf1
    libicu72 libxml2 libz3-4 libllvm15 libsensors5 libdrm2 libdrm-amdgpu1 libdrm-nouveau2 libdrm-radeon1 libgbm1
    libwayland-client0 libwayland-server0 libx11-6 libx11-xcb1 libxau6 libxdmcp6 libxext6 libxfixes3 libxxf86vm1 libxcb1
    libxcb-dri2-0 libxcb-dri3-0 libxcb-glx0 libxcb-present0 libxcb-randr0 libxcb-shm0 libxcb-sync1 libxcb-xfixes0
    libxshmfence1 libglvnd0 libglapi-mesa libgl1 libglx0 libglx-mesa0 libgl1-mesa-dri libegl1 libegl-mesa0 libgles2
    libopengl0 libepoxy0 libvulkan1 mesa-vulkan-drivers libjansson4
    libvulkan-dev libepoxy-dev libegl-dev libgl-dev libglx-dev libgles-dev libx11-dev x11proto-dev libxcb1-dev libxau-dev
    libxdmcp-dev libpthread-stubs0-dev libjansson-dev
    libarchive13 libacl1 libbz2-1.0 liblz4-1 libnettle8 libsqlite3-0 libdw1 libarchive-dev libsqlite3-dev libdw-dev
    libelf-dev zlib1g-dev liblzma-dev libiberty-dev"

# Call apt with its own lists, cache and state: those of the machine stay unchanged.
apt_arm64() {
    apt-get -o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache" -o Dir::State::status="$dir/apt/status" \
        -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root -o Debug::NoLocking=1 -qq "$@"
}

# The mirror that the machine itself uses.
mirror() {
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m 1 debian || true
}

unpack() {
    [ -e "$dir/unpacked" ] && return
    local site
    site=$(mirror)
    mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/debs" "$root"
    touch "$dir/apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${site:-http://deb.debian.org/debian} bookworm main" \
        >"$dir/apt/sources.list"
    # shellcheck disable=SC2086
    if ! { apt_arm64 update && (cd "$dir/debs" && apt_arm64 download $packages); } >"$dir/apt.log" 2>&1; then
        tail -n 3 "$dir/apt.log"
        echo "skipped: Debian 12's packages for arm64 cannot be downloaded"
        exit 77
    fi
    for deb in "$dir"/debs/*.deb; do dpkg -x "$deb" "$root"; done
    touch "$dir/unpacked"
}

# Write manifests with the paths of the unpacked drivers.
manifests() {
    for driver in freedreno broadcom; do
        printf '{"file_format_version": "1.0.0", "ICD": {"api_version": "1.1.230", "library_path": "%s"}}\n' \
            "$root/usr/lib/$triplet/libvulkan_$driver.so" >"$dir/$driver.json"
    done
}

toolchain() {
    cat >"$dir/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER $triplet-gcc)
set(CMAKE_ASM_COMPILER $triplet-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE $triplet)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} $root)
set(ENV{PKG_CONFIG_LIBDIR} $root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig)
set(CMAKE_C_FLAGS_INIT "-idirafter $root/usr/include")
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-L$root/usr/lib/$triplet -Wl,-rpath-link,$root/usr/lib/$triplet -Wl,--allow-shlib-undefined")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "\${CMAKE_EXE_LINKER_FLAGS_INIT}")
TOOLCHAIN
}

build() {
    cmake -S "$top" -B "$dir/build" -G Ninja --toolchain "$dir/toolchain.cmake" -DPP_TESTS=OFF \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG" \
        -DPP_GL_XML=/usr/share/khronos-api/gl.xml -DPP_GLX_XML=/usr/share/khronos-api/glx.xml &&
        cmake --build "$dir/build" -j "$jobs" || return 1
    # The kernel's headers that come with the cross compiler have what Linux 6.1 knows; those of libdrm are older.
    local neutral
    neutral=$(find tests/lab -maxdepth 1 -name '*.c' ! -name '*_rules.c')
    # shellcheck disable=SC2086
    $triplet-gcc -std=gnu11 -Wall -Wextra -O1 -g -fPIC -fvisibility=hidden -shared -D_GNU_SOURCE -I . \
        -isystem /usr/$triplet/include/drm -o "$dir/build/liblab-drm.so" $neutral \
        tests/lab/no_work/msm.c tests/lab/no_work/v3d.c tests/lab/no_work/panfrost.c tests/lab/no_work/platform.c \
        tests/lab/no_work/wait.c -ldl -lpthread
}

unpack
manifests
toolchain
if ! build >"$dir/build.log" 2>&1; then
    tail -n 40 "$dir/build.log"
    exit 1
fi
PP_LAB_ARM64=$dir exec ctest --test-dir build/ci -j "$jobs" --output-on-failure -R '^lab_arm64_'
