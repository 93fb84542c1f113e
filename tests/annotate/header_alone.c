/** @file
 * The public header alone, as C11 and (compiled a second time) as C++: every declaration is used once. */
#include <passprobe/annotate.h>

int
main(void)
{
    pp_region_push("region");
    pp_mark("mark");
    pp_region_pop();
    pp_frame_end();
    return pp_profiled();
}
