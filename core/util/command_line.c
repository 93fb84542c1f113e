/** @file
 * See command_line.h. */
#include "core/util/command_line.h"

#include <stdio.h>

#include "core/util/start.h"

const char *
pp_command_line(size_t *ret_len)
{
    const struct pp_start *start = pp_start();
    *ret_len = start->command ? start->command_len : 0;
    return start->command;
}

void
pp_command_line_name(char *name, size_t size)
{
    size_t len = 0;
    const char *command = pp_command_line(&len);
    const char *last = len ? command : "";
    for (const char *p = last; *p; p++)
        if ((*p == '/' || *p == '\\') && p[1])
            last = p + 1;
    snprintf(name, size, "%s", last);
}
