/** @file
 * Where passprobe's own files are, found from the running binary, so that a build tree, an installation
 * and a moved installation are one case. See also environ.h. */
#ifndef PP_CLI_LAUNCH_INSTALL_PATHS_H
#define PP_CLI_LAUNCH_INSTALL_PATHS_H

#include <limits.h>
#include <stdbool.h>

#define PP_GL_SHIM        "libpassprobe-gl.so"
#define PP_LAYER_LIBRARY  "libVkLayer_passprobe.so"
#define PP_LAYER_MANIFEST "VkLayer_passprobe.json"
#define PP_LAYER_DIR      "vulkan/implicit_layer.d"

/** Absolute directories without symbolic links; empty where nothing was found. */
struct pp_install_paths {
    char bin[PATH_MAX];   /**< holds this binary */
    char lib[PATH_MAX];   /**< holds PP_GL_SHIM */
    char share[PATH_MAX]; /**< holds PP_LAYER_DIR/PP_LAYER_MANIFEST */
};

/** Find the directories. @retval 0 bin is set; lib and share are set or empty. @retval -errno /proc/self/exe
 * cannot be read. */
__attribute__((warn_unused_result)) int pp_install_paths_find(struct pp_install_paths *ret_places);

/** Does the Vulkan loader find the layer's manifest under @p share without help? Looks where the loader
 * looks: the directories of XDG_CONFIG_HOME, XDG_CONFIG_DIRS, /etc, XDG_DATA_HOME and XDG_DATA_DIRS. Source:
 * LoaderLayerInterface.md, "Linux Layer Discovery". */
bool pp_install_paths_share_is_searched(const char *share);

/** Join two path parts. @return false if it does not fit. */
__attribute__((warn_unused_result)) bool pp_join(char ret[PATH_MAX], const char *dir, const char *name);

#endif
