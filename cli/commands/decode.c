/** @file
 * `passprobe decode`: the command line and the file; see decode.h. */
#include "cli/commands/decode.h"
#include "cli/commands/decode_mali.h"
#include "cli/commands/decode_oa.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/print/message.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_options.h"
#include "pp_texts.h"

/** Most that is read from a pipe; files are mapped, however large. */
#define PIPE_MAX ((size_t)1 << 30)

int
pp_decode_fail(const struct pp_decode *decode, size_t offset, const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    (void)fflush(stdout);
    return pp_fail(PP_FORMAT_DECODE_AT, decode->path, offset, what);
}

static int
read_variable(const char *text, struct pp_metric_variable *ret)
{
    const char *equals = strchr(text, '=');
    char *rest = NULL;
    if (!equals || equals == text)
        return pp_fail(PP_FORMAT_DECODE_VAR, text);
    errno = 0;
    unsigned long long number = strtoull(equals + 1, &rest, 0);
    if (errno || rest == equals + 1 || *rest || equals[1] == '-')
        return pp_fail(PP_FORMAT_DECODE_VAR_NUMBER, text, equals + 1);
    char *name = strndup(text, (size_t)(equals - text));
    if (!name)
        return pp_fail(PP_TEXT_OUT_OF_MEMORY);
    *ret = (struct pp_metric_variable){.name = name, .type = PP_METRIC_U64, .value = {.u = number}};
    return 0;
}

/* Take the options whose values are more than a text. Formulas are checked when the GPU is known. */
static int
take_values(struct pp_decode *decode)
{
    struct pp_metrics_error error = {.text = PP_TEXT_OUT_OF_MEMORY};
    int status = 0;
    decode->variables = 0;
    for (size_t i = 0; i < decode->var.len && status == 0; i++) {
        status = read_variable(decode->var.value[i], &decode->variable[i]);
        decode->variables += status == 0;
    }
    if (status == 0 && decode->metrics &&
        pp_metrics_file_open(decode->metrics, &decode->metrics_file, &error) < 0)
        status = pp_fail_text(error.text);
    return status;
}

static int
slurp_pipe(struct pp_decode *decode, int fd)
{
    size_t capacity = 0;
    uint8_t *bytes = NULL;
    for (;;) {
        if (decode->size == capacity) {
            uint8_t *more = capacity < PIPE_MAX ? realloc(bytes, capacity ? 2 * capacity : 65536) : NULL;
            if (!more) {
                free(bytes);
                return capacity < PIPE_MAX ? -ENOMEM : -EFBIG;
            }
            bytes = more;
            capacity = capacity ? 2 * capacity : 65536;
        }
        ssize_t got = read(fd, bytes + decode->size, capacity - decode->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int rc = -errno;
            free(bytes);
            return rc;
        }
        if (got == 0)
            break;
        decode->size += (size_t)got;
    }
    decode->bytes = decode->owned = bytes;
    return 0;
}

/* A shell's <(COMMAND) is a pipe without a name, which can be read to its end. A FIFO has a name in a folder.
 * Another user may have put it there, and it may never get a writer. Source of the magic number:
 * linux/magic.h. */
static int
open_shell_pipe(const char *path)
{
    struct statfs system;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -errno;
    if (fstatfs(fd, &system) == 0 && system.f_type == PIPEFS_MAGIC && fcntl(fd, F_SETFL, 0) == 0)
        return fd;
    close(fd);
    return -ENOTSUP;
}

static int
open_input(const char *path)
{
    if (strcmp(path, "-") == 0)
        return STDIN_FILENO;
    int fd = pp_open_regular(AT_FDCWD, path, O_RDONLY);
    return fd == -ENOTSUP ? open_shell_pipe(path) : fd;
}

/* A mapping stays until the process ends, soon after decoding. */
static int
load(struct pp_decode *decode)
{
    struct stat about = {.st_mode = 0};
    int fd = open_input(decode->path);
    int rc = fd < 0 ? fd : fstat(fd, &about) < 0 ? -errno : 0;
    if (rc == 0 && S_ISREG(about.st_mode) && fd != STDIN_FILENO && about.st_size > 0) {
        void *map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        rc = map == MAP_FAILED ? -errno : 0;
        decode->bytes = rc ? NULL : map;
        decode->size = rc ? 0 : (size_t)about.st_size;
    } else if (rc == 0) {
        rc = slurp_pipe(decode, fd);
    }
    if (fd > STDIN_FILENO)
        close(fd);
    return rc ? pp_fail("%s: %s", decode->path, rc == -ENOTSUP ? PP_TEXT_NOT_REGULAR : strerror(-rc)) : 0;
}

static void
unload(struct pp_decode *decode)
{
    for (size_t i = 0; i < decode->variables; i++) {
        char *name;
        memcpy(&name, &decode->variable[i].name, sizeof(name)); /* the name is memory of strndup() */
        free(name);
    }
    pp_metrics_file_destroy(decode->metrics_file);
    free(decode->owned);
}

int
pp_cmd_decode(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct pp_decode *decode);
    } kind[] = {{"intel-oa", pp_decode_oa}, {"mali", pp_decode_mali}};
    static const struct pp_option rows[] = {PP_DECODE_ROWS(struct pp_decode)};
    struct pp_decode decode = {.path = NULL};
    const struct pp_command_options own = {
        .name = "decode", .usage = PP_TEXT_USAGE_DECODE, .of = {{rows, PP_ARRAY_SIZE(rows), &decode}}};
    struct pp_given_options given;
    size_t i = 0;
    if (pp_options_read(&own, argc, argv, &given))
        return pp_fail("%s", given.error);
    if (given.help)
        return 0;
    if (given.words != 2)
        return pp_fail(PP_TEXT_DECODE_EXPECTED);
    while (i < PP_ARRAY_SIZE(kind) && strcmp(given.word[0], kind[i].name) != 0)
        i++;
    if (i == PP_ARRAY_SIZE(kind))
        return pp_fail(PP_FORMAT_DECODE_KIND, given.word[0]);
    decode.path = given.word[1];
    int status = take_values(&decode);
    status = status ? status : load(&decode);
    status = status ? status : kind[i].run(&decode);
    unload(&decode);
    return status;
}
