/** @file
 * The public header by itself, in each language that it supports: every function is called once. Linked with
 * a second file that includes it, or with itself compiled as OTHER_FILE. */
#include <passprobe/annotate.h>

#ifdef OTHER_FILE
#define main other_file
int other_file(void);
#endif

int
main(void)
{
    pp_region_push("region");
    pp_counter_set("set", 1);
    pp_counter_add("add", 0.5);
    pp_mark("mark");
    pp_region_pop();
    pp_frame_end();
    return pp_profiled();
}
