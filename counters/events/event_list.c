/** @file
 * The grammar of event lists; see event_plan.h. */
#include "counters/events/event_plan.h"
#include "pp_texts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT ((size_t)64 << 10)

/** A list being read. Strings are written to `out`, which is as long as the text: what is written is never
 * longer than what was read. */
struct reader {
    const char *text, *next;
    char *out;
    struct pp_event_item *item;
    size_t items;
    uint32_t groups;
    bool changes;                 /**< the first item or group has a sign */
    struct pp_event_error *error; /**< never NULL */
};

__attribute__((format(printf, 4, 5))) static int
fail(struct reader *reader, const char *at, size_t length, const char *format, ...)
{
    va_list args;
    reader->error->column = (uint32_t)(at - reader->text) + 1;
    reader->error->length = (uint32_t)length;
    va_start(args, format);
    vsnprintf(reader->error->message, sizeof(reader->error->message), format, args);
    va_end(args);
    return -EINVAL;
}

static void
skip_blanks(struct reader *reader)
{
    while (*reader->next == ' ' || *reader->next == '\t')
        reader->next++;
}

/* "text" with \" and \\. */
static int
read_quoted(struct reader *reader)
{
    const char *open = reader->next++;
    while (*reader->next != '"') {
        if (*reader->next == '\\' && (reader->next[1] == '"' || reader->next[1] == '\\'))
            reader->next++;
        if ((unsigned char)*reader->next < ' ')
            return fail(reader, open, (size_t)(reader->next - open), PP_TEXT_CSV_QUOTE);
        *reader->out++ = *reader->next++;
    }
    reader->next++;
    return 0;
}

/* A word ends before one of `stop`, less blanks at its end. */
static void
read_word(struct reader *reader, const char *stop)
{
    size_t length = strcspn(reader->next, stop);
    const char *end = reader->next + length;
    while (end > reader->next && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    memcpy(reader->out, reader->next, (size_t)(end - reader->next));
    reader->out += end - reader->next;
    reader->next = end;
}

static int
read_name(struct reader *reader, const char **ret, const char *stop)
{
    const char *begin = reader->next;
    *ret = reader->out;
    if (*reader->next == '"') {
        int err = read_quoted(reader);
        if (err)
            return err;
    } else {
        read_word(reader, stop);
    }
    if (*ret == reader->out)
        return fail(reader, begin, *begin ? 1 : 0,
                    *begin ? PP_TEXT_EVENTS_NEEDED : PP_TEXT_EVENTS_MISSING_NAME);
    *reader->out++ = '\0';
    return 0;
}

static int
read_item(struct reader *reader, uint32_t group, char sign)
{
    struct pp_event_item *item = &reader->item[reader->items];
    const char *begin = reader->next;
    *item =
        (struct pp_event_item){.column = (uint32_t)(begin - reader->text) + 1, .group = group, .sign = sign};
    int err = read_name(reader, &item->source, ",{}:\"");
    if (!err && *reader->next == ':') {
        reader->next++;
        err = read_name(reader, &item->name, ",{}\"");
    }
    item->length = (uint32_t)(reader->next - begin);
    reader->items++;
    skip_blanks(reader);
    return err;
}

static int
read_group(struct reader *reader, char sign)
{
    const char *open = reader->next++;
    reader->groups++;
    for (;;) {
        skip_blanks(reader);
        if (*reader->next == '{')
            return fail(reader, reader->next, 1, PP_TEXT_EVENTS_NESTED);
        if (*reader->next == '+' || *reader->next == '-')
            return fail(reader, reader->next, 1, PP_TEXT_EVENTS_SIGN_GROUP);
        int err = read_item(reader, reader->groups, sign);
        if (err)
            return err;
        if (*reader->next == '}')
            break;
        if (!*reader->next)
            return fail(reader, open, 1, PP_TEXT_EVENTS_OPEN);
        if (*reader->next != ',')
            return fail(reader, reader->next, 1, PP_FORMAT_EVENTS_SEPARATOR, *reader->next);
        reader->next++;
    }
    reader->next++;
    skip_blanks(reader);
    return 0;
}

/* The sign of an item or group; 0: none. */
static int
read_sign(struct reader *reader, char *ret)
{
    char c = *reader->next;
    *ret = c == '+' || c == '-' ? c : '\0';
    if (!reader->items)
        reader->changes = *ret != '\0';
    if (reader->changes && !*ret)
        return fail(reader, reader->next, c ? 1 : 0, PP_TEXT_EVENTS_SIGN_NEEDED);
    if (!reader->changes && *ret)
        return fail(reader, reader->next, 1, PP_FORMAT_EVENTS_SIGN_LATE, c);
    reader->next += *ret != '\0';
    return 0;
}

static int
read_list(struct reader *reader)
{
    for (const char *p = reader->text; *p; p++) {
        if ((unsigned char)*p < ' ' && *p != '\t')
            return fail(reader, p, 1, PP_TEXT_EVENTS_CONTROL);
    }
    for (;;) {
        char sign = '\0';
        skip_blanks(reader);
        int err = read_sign(reader, &sign);
        if (!err)
            err = *reader->next == '{' ? read_group(reader, sign) : read_item(reader, 0, sign);
        if (err)
            return err;
        if (!*reader->next)
            return 0;
        if (*reader->next != ',')
            return fail(reader, reader->next, 1,
                        *reader->next == '}' ? PP_FORMAT_EVENTS_CLOSE : PP_FORMAT_EVENTS_SEPARATOR,
                        *reader->next);
        reader->next++;
    }
}

int
pp_event_list_parse(const char *text, struct pp_event_list *ret, struct pp_event_error *error)
{
    struct pp_event_error unused;
    struct reader reader = {.text = text, .next = text, .error = error ? error : &unused};
    size_t length = strlen(text), items = 1;
    if (length > MAX_TEXT) {
        fail(&reader, text + MAX_TEXT, 0, PP_TEXT_EVENTS_LONG);
        return -E2BIG;
    }
    for (const char *p = text; *p; p++)
        items += *p == ',';
    /* Each NUL that is written takes the place of a comma, a colon, a quote or the end of the text. */
    reader.item = malloc(items * sizeof(*reader.item) + length + 2);
    if (!reader.item)
        return -ENOMEM;
    reader.out = (char *)(reader.item + items);
    int err = read_list(&reader);
    if (err) {
        free(reader.item);
        return err;
    }
    *ret = (struct pp_event_list){.item = reader.item,
                                  .items = reader.items,
                                  .groups = reader.groups,
                                  .changes = reader.changes,
                                  .memory = reader.item};
    return 0;
}

void
pp_event_list_destroy(struct pp_event_list *list)
{
    free(list->memory);
    *list = (struct pp_event_list){0};
}
