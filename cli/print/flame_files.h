/** @file
 * Texts that a flame graph contains: flame.js and flame.css, as tools/gen_text.py makes them. */
#ifndef PP_CLI_PRINT_FLAME_FILES_H
#define PP_CLI_PRINT_FLAME_FILES_H

/** The script, and the style. */
extern const char pp_flame_script[];
extern const char pp_flame_style[];

#endif
