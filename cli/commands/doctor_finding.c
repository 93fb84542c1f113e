/** @file
 * See doctor_finding.h. */
#include "cli/commands/doctor_finding.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/print/print.h"

void
pp_doctor_tell(enum pp_doctor_finding finding, const char *what, const char *format, ...)
{
    static const char *const mark[] = {"ok  ", "note", "BAD "};
    va_list args;
    pp_print(stdout, " %s  %-22s ", mark[finding], what);
    va_start(args, format);
    pp_print_list(stdout, format, args);
    va_end(args);
    pp_print_char(stdout, '\n');
}
