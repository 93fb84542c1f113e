# What passprobe needs, in one list for ./quickstart and ./check. To be sourced.
#
# One line each: group, Debian package, how to see that it is there. Groups: build, demo (to run a sample without
# GPU), test. A probe is cmd:PROGRAM, pc:PKG-CONFIG-MODULE, file:GLOB or lib:SONAME-IN-THE-LINKER-CACHE. Probes also work
# on other distributions: there, the scripts name what is missing, but do not install it.
pp_packages() {
    cat <<'LIST'
build  gcc                      cmd:gcc
build  libc6-dev                file:/usr/include/stdio.h
build  cmake                    cmd:cmake
build  ninja-build              cmd:ninja
build  pkg-config               cmd:pkg-config
build  python3                  cmd:python3
build  libepoxy-dev             pc:epoxy
build  libgl-dev                file:/usr/include/GL/glx.h
build  libegl-dev               file:/usr/include/EGL/egl.h
build  libgles-dev              file:/usr/include/GLES3/gl3.h
build  libvulkan-dev            file:/usr/share/vulkan/registry/vk.xml
build  khronos-api              file:/usr/share/khronos-api/gl.xml
build  libx11-dev               pc:x11
build  libjansson-dev           pc:jansson
build  libncurses-dev           pc:ncursesw
build  libarchive-dev           pc:libarchive
build  libsqlite3-dev           pc:sqlite3
build  libdw-dev                pc:libdw
build  zlib1g-dev               pc:zlib
build  libcurl4-openssl-dev     pc:libcurl
build  libiberty-dev            file:/usr/include/libiberty/demangle.h
build  glslang-tools            cmd:glslangValidator
build  libjs-dygraphs           file:/usr/share/javascript/dygraphs/dygraph.min.js
demo   libegl1                  lib:libEGL.so.1
demo   libgl1-mesa-dri          lib:libEGL_mesa.so.0
demo   mesa-vulkan-drivers      file:/usr/share/vulkan/icd.d/lvp_icd*.json
test   g++                      cmd:g++
test   clang                    cmd:clang
test   clang-format             cmd:clang-format
test   clang-tidy               cmd:clang-tidy
test   clang-tools              cmd:run-clang-tidy
test   libclang-rt-14-dev       file:/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
test   libcmocka-dev            pc:cmocka
test   libcsv-dev               file:/usr/include/csv.h
test   xvfb                     cmd:Xvfb
test   chromium                 cmd:chromium
test   piglit                   cmd:piglit
test   libglvnd-core-dev        file:/usr/include/glvnd/libeglabi.h
test   libglew-dev              pc:glew
test   qtbase5-dev              pc:Qt5Gui
test   qemu-user                cmd:qemu-aarch64
test   mesa-utils               cmd:glxgears
test   mesa-utils-extra         cmd:es2gears_x11
test   glmark2-x11              cmd:glmark2
test   glmark2-es2-x11          cmd:glmark2-es2
test   weston                   cmd:weston
test   glmark2-wayland          cmd:glmark2-wayland
test   glmark2-es2-wayland      cmd:glmark2-es2-wayland
test   vulkan-tools             cmd:vkcube
test   vulkan-validationlayers  file:/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
test   gfxreconstruct           cmd:gfxrecon-replay
test   apitrace                 cmd:apitrace
test   xauth                    cmd:xauth
test   libxml2-utils            cmd:xmllint
test   renderdoc                file:/usr/lib/librenderdoc.so
test   python3-renderdoc        file:/usr/lib/python3/dist-packages/renderdoc.so
test   libsdl2-dev              pc:sdl2
test   libgtk-4-dev             pc:gtk4
test   mangohud                 file:/usr/lib/*/mangohud/libMangoHud.so
test   libglfw3-dev             pc:glfw3
test   libdrm-dev               pc:libdrm
test   python3-jsonschema       file:/usr/lib/python3/dist-packages/jsonschema/__init__.py
test   python3-prometheus-client file:/usr/lib/python3/dist-packages/prometheus_client/__init__.py
test   python3-pandas           file:/usr/lib/python3/dist-packages/pandas/__init__.py
test   python3-zstandard        file:/usr/lib/python3/dist-packages/zstandard/__init__.py
test   elfutils                 cmd:eu-stack
test   dwz                      cmd:dwz
test   luajit                   cmd:luajit
test   valgrind                 cmd:valgrind
test   sqlite3                  cmd:sqlite3
test   man-db                   cmd:man
test   libopengl0               lib:libOpenGL.so.0
test   gcc-i686-linux-gnu       cmd:i686-linux-gnu-gcc
test   libc6-dev-i386-cross     file:/usr/i686-linux-gnu/include/stdio.h
test   gcc-aarch64-linux-gnu    cmd:aarch64-linux-gnu-gcc
test   libc6-dev-arm64-cross    file:/usr/aarch64-linux-gnu/include/stdio.h
test   qemu-user                cmd:qemu-i386
test   tmux                     cmd:tmux
test   strace                   cmd:strace
test   clickhouse-server        file:/usr/sbin/clickhouse-server
test   zookeeper                file:/usr/share/java/zookeeper.jar
test   default-jre-headless     cmd:java
test   clickhouse-client        cmd:clickhouse-client
test   prometheus               cmd:promtool
test   prometheus-node-exporter cmd:prometheus-node-exporter
test   libcap2-bin              cmd:setcap
test   locales                  file:/usr/share/i18n/locales/de_DE
LIST
}

# pp_have PROBE: is the package of this probe installed?
pp_have() {
    case $1 in
    cmd:*) command -v "${1#cmd:}" >/dev/null 2>&1 ;;
    pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
    file:*) compgen -G "${1#file:}" >/dev/null ;;
    lib:*) PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q "[[:space:]]${1#lib:} " ;;
    esac
}

# pp_missing GROUP...: print the packages of these groups that are not installed, on one line.
pp_missing() {
    local group package probe out=
    while read -r group package probe; do
        case " $* " in *" $group "*) pp_have "$probe" || out="$out $package" ;; esac
    done < <(pp_packages)
    echo "${out# }"
}

# pp_install GROUP...: install what is missing; prints nothing if nothing is missing.
pp_install() {
    local missing sudo= log
    missing=$(pp_missing "$@")
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "passprobe: please install (Debian's names): $missing" >&2
        return 1
    fi
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || {
            echo "passprobe: neither root nor sudo; please install: $missing" >&2
            return 1
        }
        sudo=sudo
    fi
    echo "installing: $missing" >&2
    log=$(mktemp)
    # shellcheck disable=SC2086
    if ! { $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing ||
        { $sudo apt-get -qq update &&
            $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing; }; } \
        >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "passprobe: apt-get could not install: $(pp_missing "$@")" >&2
        return 1
    fi
    rm -f "$log"
    missing=$(pp_missing "$@")
    [ -z "$missing" ] || { echo "passprobe: installed, yet not found: $missing" >&2; return 1; }
}
