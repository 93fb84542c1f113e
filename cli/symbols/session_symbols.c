/** @file
 * See session_symbols.h. */
#include "cli/symbols/session_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "cli/symbols/jit_dump.h"
#include "cli/symbols/perf_map.h"
#include "cli/symbols/symbolize.h"
#include "cli/symbols/symbols_file.h"
#include "pp_texts.h"

/* A file of a just-in-time compiler may be written so long after session.json. */
#define MAP_SECONDS 10

double
pp_session_recorded_s(const struct pp_saved_session *rec)
{
    const char *start = json_string_value(pp_saved_json(rec, "program.start"));
    struct tm tm = {.tm_sec = 0};
    const char *end = start ? strptime(start, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
    return end && !*end ? (double)timegm(&tm) : (double)NAN;
}

bool
pp_session_is_from_here(const struct pp_saved_session *rec)
{
    struct utsname machine;
    const char *host = json_string_value(pp_saved_json(rec, "host.name"));
    return host && uname(&machine) == 0 && strcmp(machine.nodename, host) == 0;
}

/* Name what a just-in-time compiler of this machine made. */
static int
read_map(const struct pp_saved_session *rec, struct pp_call_stacks *stacks)
{
    struct stat st;
    double pid = pp_saved_number(rec, "program.pid");
    if (!pp_session_is_from_here(rec) || !(pid > 0 && pid < 1e9) ||
        fstatat(rec->dir_fd, "session.json", &st, AT_SYMLINK_NOFOLLOW))
        return 0;
    const struct pp_jit_time time = {.from_s = pp_session_recorded_s(rec),
                                     .to_s = (double)st.st_mtim.tv_sec + MAP_SECONDS};
    int rc = pp_jit_dump_read(stacks, "/tmp", (long)pid, &time);
    rc = rc ? rc : pp_jit_dump_read(stacks, ".", (long)pid, &time); /* where V8 writes it */
    return rc ? rc : pp_perf_map_read(stacks, "/tmp", (long)pid, &time);
}

int
pp_session_symbols_read(const struct pp_saved_session *rec, const struct pp_debug_places *places,
                        struct pp_call_stacks *ret, char *why)
{
    struct pp_call_stacks stacks = {.modules = 0};
    const struct pp_stack_files files = {.dir_fd = rec->dir_fd};
    int rc = pp_call_stacks_read(&files, &stacks, why);
    if (rc)
        return rc;
    rc = pp_symbols_read(&files, &stacks, why);
    if (rc == 0) {
        snprintf(why, PP_CALL_STACKS_WHY, "%s", PP_TEXT_COMMAND_MEMORY);
        rc = pp_symbolize(&stacks, places);
        rc = rc ? rc : read_map(rec, &stacks);
    }
    if (rc)
        pp_call_stacks_finish(&stacks);
    else
        *ret = stacks;
    return rc;
}
