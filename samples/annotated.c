/** @file
 * The annotate API in use; see annotated.h. */
#include "samples/annotated.h"

#include <passprobe/annotate.h>

/* From this frame on there is one more counter: names may come at any time. */
#define LATE_FRAME 5U

void
annotated_begin(unsigned frame)
{
    if (frame == 0)
        pp_mark("first frame");
    pp_region_push(frame % 2 ? "odd frame" : "even frame");
    pp_counter_set("frame squared", (double)frame * frame);
    pp_counter_set("tenths", frame / 10.0);
    if (frame >= LATE_FRAME)
        pp_counter_add("late, \"quoted\"", -0.5);
}

void
annotated_pass_begin(const char *name)
{
    pp_region_push(name);
    pp_counter_add("passes begun", 1);
}

void
annotated_pass_end(void)
{
    pp_region_pop();
}

void
annotated_end(void)
{
    pp_region_pop();
    pp_frame_end();
}
