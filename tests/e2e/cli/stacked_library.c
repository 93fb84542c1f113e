/** @file
 * A library for test_annotate.py that stacked.cpp opens while it runs. */
int library_draw(int (*draw)(int), int time_ns);

int
library_draw(int (*draw)(int), int time_ns)
{
    return draw(time_ns) + 1; /* at: library */
}
