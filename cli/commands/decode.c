/** @file
 * See decode.h. */
#include "cli/commands/decode.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <math.h>
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
#include "cli/session/csv_write.h"
#include "cli/text/message.h"
#include "counters/mali/mali_decode.h"
#include "counters/metric/catalogue.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

/** Has the current row a cell already? A process writes only one table. */
static bool in_row;

static void
separate(void)
{
    if (in_row)
        putchar(',');
    in_row = true;
}

void
pp_decode_text(const char *text)
{
    separate();
    pp_csv_print(stdout, text);
}

void
pp_decode_name(const char *symbol, const char *unit, enum pp_unit unit_id)
{
    const struct pp_catalogue_metric named = {.symbol = symbol, .unit = unit, .unit_id = unit_id};
    char name[256];
    pp_catalogue_column_name(&named, name, sizeof(name));
    pp_decode_text(name);
}

void
pp_decode_u64(uint64_t value)
{
    separate();
    printf("%" PRIu64, value);
}

void
pp_decode_number(union pp_metric_number value, enum pp_metric_type type)
{
    char text[40];
    if (type == PP_METRIC_U64) {
        pp_decode_u64(value.u);
        return;
    }
    if (!isfinite(value.f)) {
        pp_decode_empty();
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value.f);
        if (strtod(text, NULL) == value.f)
            break;
    }
    separate();
    fputs(text, stdout);
}

void
pp_decode_empty(void)
{
    separate();
}

int
pp_decode_row(void)
{
    pp_csv_end_row(stdout);
    in_row = false;
    return ferror(stdout) ? -EIO : 0;
}

int
pp_decode_finish(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return pp_fail(PP_FORMAT_STDOUT, strerror(errno));
}

/** One decoding. */
struct job {
    const struct pp_decode *decode;
    const struct pp_mali_gpu *gpu;
    struct pp_mali_config config;
    struct pp_mali_decoder *decoder;
    struct pp_mali_cell *cell;
    uint64_t rows;
};

static int
print_header(const struct job *job)
{
    pp_decode_text("dump");
    pp_decode_text("offset");
    for (size_t c = 0; c < pp_mali_decoder_columns(job->decoder); c++) {
        struct pp_mali_column column = pp_mali_decoder_column(job->decoder, c);
        pp_decode_name(column.symbol, column.unit, column.unit_id);
    }
    return pp_decode_row();
}

static int
print_dump(struct job *job, size_t offset)
{
    pp_decode_u64(job->rows++);
    pp_decode_u64(offset);
    for (size_t c = 0; c < pp_mali_decoder_columns(job->decoder); c++) {
        const struct pp_mali_cell *cell = &job->cell[c];
        if (pp_status_has_value((enum pp_status)cell->status))
            pp_decode_number(cell->value, (enum pp_metric_type)cell->type);
        else
            pp_decode_empty();
    }
    return pp_decode_row();
}

static int
decode_one(struct job *job, size_t offset, size_t size)
{
    const uint8_t *dump = job->decode->bytes + offset;
    struct pp_mali_sums sums;
    pp_mali_sums_begin(&sums);
    int rc = job->decode->differences
                 ? pp_mali_add_difference(job->gpu, &job->config, dump - size, dump, size, &sums)
                 : pp_mali_add_dump(job->gpu, &job->config, dump, size, &sums);
    if (rc < 0)
        return rc;
    pp_mali_decode_sums(job->decoder, &sums, job->cell);
    return print_dump(job, offset);
}

static int
decode_all(struct job *job)
{
    const struct pp_decode *decode = job->decode;
    size_t size = pp_mali_dump_bytes(&job->config), whole = decode->size / size * size;
    size_t first = decode->differences ? size : 0;
    if (whole < first + size)
        return pp_decode_fail(decode, whole, PP_FORMAT_DECODE_MALI_SHORT, decode->size,
                              decode->differences ? PP_TEXT_DECODE_TWO_DUMPS : PP_TEXT_DECODE_ONE_DUMP, size,
                              job->gpu->name, (unsigned long long)job->config.core_mask,
                              job->config.l2_slices);
    int rc = print_header(job);
    for (size_t offset = first; offset < whole && rc == 0; offset += size)
        rc = decode_one(job, offset, size);
    if (rc < 0)
        return pp_decode_finish();
    if (whole != decode->size)
        return pp_decode_fail(decode, whole, PP_FORMAT_DECODE_IN_DUMP, decode->size - whole, size);
    return pp_decode_finish();
}

int
pp_decode_mali(const struct pp_decode *decode)
{
    struct job job = {.decode = decode};
    struct pp_metrics_error error;
    if (decode->size == 0)
        return pp_decode_fail(decode, 0, PP_TEXT_DECODE_EMPTY);
    if (decode->set)
        return pp_fail(PP_TEXT_DECODE_MALI_SET);
    if (pp_metrics_file_mali(decode->metrics_file, decode->gpu, &job.gpu, &job.config, &error) < 0)
        return error.line ? pp_fail_text(error.text) : pp_fail(PP_FORMAT_DECODE_GPU, error.text);
    if (!decode->gpu)
        pp_message(PP_FORMAT_DECODE_MALI_DEFAULT, job.gpu->name, (unsigned long long)job.config.core_mask,
                   job.config.l2_slices);
    if (pp_mali_decoder_create(job.gpu, &job.config, &job.decoder, NULL) < 0)
        return pp_fail(PP_FORMAT_DECODE_COMPILE, job.gpu->name);
    job.cell = calloc(pp_mali_decoder_columns(job.decoder), sizeof(*job.cell));
    int rc = job.cell ? decode_all(&job) : pp_fail(PP_TEXT_OUT_OF_MEMORY);
    free(job.cell);
    pp_mali_decoder_destroy(job.decoder);
    return rc;
}

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
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
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
