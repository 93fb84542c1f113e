/** @file
 * Command lines: any words either give values within their limits and texts that are borrowed from the words,
 * or one message. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"
#include "counters/util/array_size.h"
#include "pp_options.h"

#define WORDS_MOST 400

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct push {
    PP_PUSH_OPTIONS
};
struct run {
    PP_RUN_OPTIONS
};
struct decode {
    PP_DECODE_OPTIONS
};

static const struct pp_option push_rows[] = {PP_PUSH_ROWS(struct push)};
static const struct pp_option run_rows[] = {PP_RECORD_ROWS(struct run)};
static const struct pp_option decode_rows[] = {PP_DECODE_ROWS(struct decode)};
int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return freopen("/dev/null", "w", stdout) ? 0 : 1; /* --help */
}

/* Is a value one of the command line? */
static bool
is_borrowed(const char *value, const char *words, size_t size)
{
    return !value || (value >= words && value <= words + size);
}

static void
check_push(const struct push *push, const char *words, size_t size)
{
    assert(push->retry <= 1000 && push->timeout >= 1 && push->timeout <= 3600 && push->tag.len <= 256);
    assert(is_borrowed(push->since, words, size) && is_borrowed(push->watch, words, size));
    for (size_t i = 0; i < push->tag.len; i++)
        assert(is_borrowed(push->tag.value[i], words, size));
}

/* @param kind Which command. */
static void
read_words(unsigned kind, int argc, char **argv, const char *words, size_t size)
{
    static struct pp_given_options given;
    struct push push = {.since = NULL};
    struct run run = {.json = NULL};
    struct decode decode = {.gpu = NULL};
    const struct pp_command_options command[] = {
        {.name = "push", .usage = "", .of = {{push_rows, PP_ARRAY_SIZE(push_rows), &push}}},
        {.name = "record", .usage = "", .launches = true, .of = {{run_rows, PP_ARRAY_SIZE(run_rows), &run}}},
        {.name = "decode", .usage = "", .of = {{decode_rows, PP_ARRAY_SIZE(decode_rows), &decode}}}};
    kind %= PP_ARRAY_SIZE(command);
    *given.error = '\0';
    int rc = pp_options_read(&command[kind], argc, argv, &given);
    assert(rc < 0 ? *given.error && memchr(given.error, '\0', sizeof(given.error)) : !*given.error);
    if (rc)
        return;
    assert(given.len <= PP_GIVEN_MAX && given.words >= 0 && given.words < argc && !given.word[given.words]);
    if (kind == 0)
        check_push(&push, words, size);
    assert(kind != 1 || (run.repeat <= 999 && run.until_percent >= 0 && run.until_percent <= 100));
    assert(kind != 1 || !run.max_runs_given || (run.max_runs >= 3 && run.until_percent > 0));
    assert(kind != 1 || !run.keep_runs || run.runs_for);
    assert(decode.var.len <= 32);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "command";
    char *argv[WORDS_MOST + 1] = {name};
    int argc = 1;
    if (!size)
        return 0;
    char *words = malloc(size);
    if (!words)
        return 0;
    memcpy(words, data + 1, size - 1);
    words[size - 1] = '\0';
    for (char *at = words, *end = NULL; at && argc < WORDS_MOST; at = end) {
        argv[argc++] = at;
        end = strchr(at, '\n');
        if (end)
            *end++ = '\0';
    }
    read_words(data[0], argc, argv, words, size);
    free(words);
    return 0;
}
