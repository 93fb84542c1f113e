/** @file
 * The layer's library. All code is in pp_layer_objects, which tests link, too. */

/* Keeps this file a translation unit. */
extern const char pp_layer_version[];
const char pp_layer_version[] = PP_VERSION;
