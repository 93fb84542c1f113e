/** @file
 * `passprobe decode`: the command line and the file; see decode.h. */
#include "cli/commands/decode.h"
#include "cli/commands/decode_mali.h"
#include "cli/commands/decode_oa.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
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
#include "cli/print/message.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_options.h"
#include "pp_texts.h"

/** Most that is read from a pipe; files are mapped, however large. */
#define PIPE_MAX ((size_t)1 << 30)

static int
usage(void)
{
    puts(PP_TEXT_USAGE_DECODE PP_HELP_DECODE);
    return 0;
}

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
add_variable(struct pp_decode *decode, const char *text)
{
    const char *equals = strchr(text, '=');
    char *rest = NULL;
    if (!equals || equals == text)
        return pp_fail(PP_FORMAT_DECODE_VAR, text);
    if (decode->variables == PP_DECODE_VARIABLES)
        return pp_fail(PP_FORMAT_DECODE_VARS, PP_DECODE_VARIABLES);
    errno = 0;
    unsigned long long number = strtoull(equals + 1, &rest, 0);
    if (errno || rest == equals + 1 || *rest || equals[1] == '-')
        return pp_fail(PP_FORMAT_DECODE_VAR_NUMBER, text, equals + 1);
    char *name = strndup(text, (size_t)(equals - text));
    if (!name)
        return pp_fail(PP_TEXT_COMMAND_MEMORY);
    decode->variable[decode->variables++] =
        (struct pp_metric_variable){.name = name, .type = PP_METRIC_U64, .value = {.u = number}};
    return 0;
}

/** Formulas are checked when the GPU is known. */
static int
add_metrics(struct pp_decode *decode, const char *path)
{
    struct pp_metrics_error error = {.text = PP_TEXT_COMMAND_MEMORY};
    if (decode->metrics)
        return pp_fail(PP_TEXT_DECODE_METRICS);
    return pp_metrics_file_open(path, &decode->metrics, &error) < 0 ? pp_fail_text(error.text) : 0;
}

/** @retval 0 go on. @retval -1 help was shown. @return Else an exit status, after a message. */
static int
parse(int argc, char **argv, struct pp_decode *decode)
{
    enum { OPT_VAR = 256, OPT_LAYOUT, OPT_PAIRS, OPT_DIFFERENCES, OPT_METRICS };
    static const struct option longs[] = {
        {"gpu", required_argument, NULL, 'g'},
        {"set", required_argument, NULL, 's'},
        {"var", required_argument, NULL, OPT_VAR},
        {"layout", required_argument, NULL, OPT_LAYOUT},
        {"pairs", no_argument, NULL, OPT_PAIRS},
        {"differences", no_argument, NULL, OPT_DIFFERENCES},
        {"help", no_argument, NULL, 'h'},
        {"metrics", required_argument, NULL, OPT_METRICS},
        {NULL, 0, NULL, 0},
    };
    int rc = 0, option;
    opterr = 0;
    optind = 0; /* glibc: resets getopt */
    while (rc == 0 && (option = getopt_long(argc, argv, ":g:s:h", longs, NULL)) != -1) {
        switch (option) {
        case 'g':
            decode->gpu = optarg;
            break;
        case 's':
            decode->set = optarg;
            break;
        case OPT_VAR:
            rc = add_variable(decode, optarg);
            break;
        case OPT_METRICS:
            rc = add_metrics(decode, optarg);
            break;
        case OPT_LAYOUT:
            decode->layout = optarg;
            break;
        case OPT_PAIRS:
            decode->pairs = true;
            break;
        case OPT_DIFFERENCES:
            decode->differences = true;
            break;
        case 'h':
            usage();
            return -1;
        case ':':
            rc = pp_fail(PP_FORMAT_DECODE_ARGUMENT, argv[optind - 1]);
            break;
        default:
            rc = pp_fail(PP_FORMAT_DECODE_OPTION, argv[optind - 1]);
        }
    }
    return rc;
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
    pp_metrics_file_destroy(decode->metrics);
    free(decode->owned);
}

int
pp_cmd_decode(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct pp_decode *decode);
    } kind[] = {{"intel-oa", pp_decode_oa}, {"mali", pp_decode_mali}};
    struct pp_decode decode = {.path = NULL};
    int rc = parse(argc, argv, &decode);
    if (rc == 0 && argc - optind != 2)
        rc = pp_fail(PP_TEXT_DECODE_EXPECTED);
    for (size_t i = 0; rc == 0 && i < PP_ARRAY_SIZE(kind); i++) {
        if (strcmp(argv[optind], kind[i].name) != 0)
            continue;
        decode.path = argv[optind + 1];
        rc = load(&decode);
        if (rc == 0)
            rc = kind[i].run(&decode);
        unload(&decode);
        return rc;
    }
    unload(&decode);
    if (rc == 0)
        rc = pp_fail(PP_FORMAT_DECODE_KIND, argv[optind]);
    return rc < 0 ? 0 : rc;
}
