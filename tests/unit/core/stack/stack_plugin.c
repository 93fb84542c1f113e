/** @file
 * A library that programs.c loads and unloads. */

/* Padded by PP_PLUGIN_BYTES, so that two builds have their calls at other places. */
int pp_plugin_call(int (*function)(void));

#ifdef PP_PLUGIN_DATA
extern const char pp_plugin_data[];
const char pp_plugin_data[PP_PLUGIN_DATA] = {1};
#endif

int
pp_plugin_call(int (*function)(void))
{
    volatile char local[PP_PLUGIN_BYTES];
    local[0] = 1;
#if PP_PLUGIN_BYTES > 100
    __asm__ volatile(".fill 64, 1, 0x90");
#endif
    return function() + local[0];
}
