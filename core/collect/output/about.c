/** @file
 * The application and the machine; see about.h. */
#include "core/collect/output/about.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/util/command_line.h"
#include "core/util/json_write.h"

static uint64_t
clock_ns(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/* gmtime_r() may read the time zone's file, the first time. */
static void
read_start(struct pp_about *about, uint64_t start_ns)
{
    struct tm tm;
    about->start_monotonic_ns = start_ns;
    about->start_realtime_ns = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - start_ns);
    about->start_boottime_ns = clock_ns(CLOCK_BOOTTIME) - (clock_ns(CLOCK_MONOTONIC) - start_ns);
    time_t start = (time_t)(about->start_realtime_ns / 1000000000ULL);
    gmtime_r(&start, &tm);
    snprintf(about->start, sizeof(about->start), "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* Value after "key" in a file of "key : value" or KEY="value" lines. */
static void
read_key(const char *path, const char *key, char *out, size_t size)
{
    char line[512];
    FILE *file = fopen(path, "re");
    out[0] = '\0';
    while (file && fgets(line, sizeof(line), file)) {
        size_t len = strlen(key);
        if (strncmp(line, key, len) != 0)
            continue;
        char *value = line + len + strspn(line + len, " \t:=\"");
        value[strcspn(value, "\"\n")] = '\0';
        snprintf(out, size, "%s", value);
        break;
    }
    if (file)
        fclose(file);
}

static void
read_machine(struct pp_about *about)
{
    struct utsname name;
    char text[512];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&name) == 0) {
        snprintf(about->name, sizeof(about->name), "%s", name.nodename);
        snprintf(about->kernel, sizeof(about->kernel), "%s", name.release);
        snprintf(about->machine, sizeof(about->machine), "%s", name.machine);
    }
    read_key("/etc/os-release", "PRETTY_NAME", about->os, sizeof(about->os));
    read_key("/proc/cpuinfo", "model name", about->cpu, sizeof(about->cpu));
    read_key("/proc/meminfo", "MemTotal", text, sizeof(text));
    about->cpus = cpus > 0 ? (uint64_t)cpus : 0;
    about->memory_bytes = strtoull(text, NULL, 10) * 1024;
}

void
pp_about_read(struct pp_about *ret, uint64_t start_ns)
{
    char path[PATH_MAX];
    memset(ret, 0, sizeof(*ret));
    (void)!pp_random_id(ret->session_id); /* without it, readers make an id from other members */
    ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[len > 0 ? len : 0] = '\0';
    ret->executable = strdup(path);
    ret->command = pp_command_line(&ret->command_len);
    read_start(ret, start_ns);
    read_machine(ret);
}

void
pp_about_finish(struct pp_about *about)
{
    free(about->executable);
    about->executable = NULL;
}

void
pp_about_id_json(const struct pp_about *about, struct pp_json *json)
{
    if (*about->session_id)
        pp_json_text(json, "session_id", about->session_id);
}

void
pp_about_json(const struct pp_about *about, struct pp_json *json, uint64_t pid)
{
    pp_json_open(json, "program", '{');
    pp_json_text(json, "executable", about->executable ? about->executable : "");
    pp_json_open(json, "command", '[');
    for (size_t at = 0; at < about->command_len; at += strlen(about->command + at) + 1)
        pp_json_text(json, NULL, about->command + at);
    pp_json_close(json, ']');
    pp_json_u64(json, "pid", pid);
    pp_json_text(json, "start", about->start);
    pp_json_u64(json, "start_realtime_ns", about->start_realtime_ns);
    pp_json_u64(json, "start_monotonic_ns", about->start_monotonic_ns);
    pp_json_u64(json, "start_boottime_ns", about->start_boottime_ns);
    pp_json_close(json, '}');
    pp_json_open(json, "host", '{');
    if (*about->kernel) {
        pp_json_text(json, "name", about->name);
        pp_json_text(json, "kernel", about->kernel);
        pp_json_text(json, "machine", about->machine);
    }
    pp_json_text(json, "os", about->os);
    pp_json_text(json, "cpu", about->cpu);
    pp_json_u64(json, "cpus", about->cpus);
    pp_json_u64(json, "memory_bytes", about->memory_bytes);
    pp_json_close(json, '}');
}
