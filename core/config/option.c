/** @file
 * Values of options; see option.h. */
#include "core/config/option.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/array_size.h"

#define MILLIONTHS 1000000U

/* The index of a word in a list "a|b|c". @return -1: it is not there. */
static int
index_of(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (int i = 0;; i++) {
        size_t next = strcspn(list, "|");
        if (next == len && strncmp(list, word, len) == 0)
            return i;
        if (!list[next])
            return -1;
        list += next + 1;
    }
}

/* Has a file's name one of the endings of a list ".a|.b", and something before it? */
static bool
ends_with_one_of(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (;;) {
        size_t next = strcspn(list, "|");
        if (len > next && strncmp(name + len - next, list, next) == 0)
            return true;
        if (!list[next])
            return false;
        list += next + 1;
    }
}

/* Read a percentage, with its sign or without, in millionths. */
static bool
read_percent(const char *text, uint64_t *ret)
{
    char number[32];
    size_t len = strspn(text, "0123456789.");
    const char *unit = text + len + strspn(text + len, " ");
    if (len >= sizeof(number) || (*unit && strcmp(unit, "%") != 0) || (!*unit && text[len]))
        return false;
    memcpy(number, text, len);
    number[len] = '\0';
    return pp_config_number_decimal(number, MILLIONTHS, ret) == 0;
}

/* Read a number, a time, a size or a percentage. */
static bool
read_number(const struct pp_option *option, const char *text, uint64_t *ret)
{
    bool good = option->type == PP_OPTION_TIME      ? pp_config_number_time(text, option->unit, ret) == 0
                : option->type == PP_OPTION_BYTES   ? pp_config_number_bytes(text, ret)
                : option->type == PP_OPTION_PERCENT ? read_percent(text, ret)
                                                    : pp_config_number_whole(text, 0, UINT64_MAX, ret);
    return good && *ret >= option->least && (!option->most || *ret <= option->most);
}

/* Store a text, or append it to a list. */
static int
store_text(const struct pp_option *option, char *at, const char *value)
{
    if (option->one_of && !ends_with_one_of(option->one_of, value))
        return -EINVAL;
    if (option->times <= 1) {
        memcpy(at, &value, sizeof(value));
        return 0;
    }
    struct pp_option_texts *list = (struct pp_option_texts *)(void *)at;
    assert(option->times <= PP_OPTION_TEXTS && list->len < option->times);
    list->value[list->len++] = value;
    return 0;
}

/* Store a value. @param at Its place. */
static int
store(const struct pp_option *option, char *at, const char *value)
{
    uint64_t number = 0;
    switch (option->type) {
    case PP_OPTION_FLAG:
        if (strcmp(value, "1") != 0 && strcmp(value, "0") != 0)
            return -EINVAL;
        *(bool *)at = value[0] == '1';
        return 0;
    case PP_OPTION_TEXT:
        return store_text(option, at, value);
    case PP_OPTION_WORDS: {
        int word = index_of(option->one_of, value);
        if (word < 0)
            return -EINVAL;
        memcpy(at, &word, sizeof(word));
        return 0;
    }
    case PP_OPTION_PERCENT: {
        if (!read_number(option, value, &number))
            return -EINVAL;
        const double percent = (double)number / MILLIONTHS;
        memcpy(at, &percent, sizeof(percent));
        return 0;
    }
    case PP_OPTION_NUMBER:
    case PP_OPTION_TIME:
    case PP_OPTION_BYTES:
        if (!read_number(option, value, &number))
            return -EINVAL;
        memcpy(at, &number, sizeof(number));
        return 0;
    case PP_OPTION_OWN:
        break;
    }
    return -EINVAL;
}

int
pp_option_store(const struct pp_option *option, void *base, const char *value, char *why, size_t why_len)
{
    if (option->type == PP_OPTION_OWN)
        return option->set(base, value, why, why_len);
    int rc = store(option, (char *)base + option->at, value);
    if (rc)
        snprintf(why, why_len, "%s", option->expected);
    else if (option->given_at)
        *((bool *)base + option->given_at) = true;
    return rc;
}

void
pp_option_presets(const struct pp_option *row, size_t rows, void *base)
{
    for (size_t i = 0; i < rows; i++) {
        int rc = 0;
        if (row[i].times > 1)
            ((struct pp_option_texts *)(void *)((char *)base + row[i].at))->len = 0;
        if (row[i].preset && row[i].type != PP_OPTION_OWN)
            rc = store(&row[i], (char *)base + row[i].at, row[i].preset);
        assert(rc == 0);
        (void)rc;
    }
}

/* Numbers. */

int
pp_config_number_count(const char *text, const char **ret_end, uint64_t *ret)
{
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return -ERANGE;
        value = value * 10 + digit;
    }
    if (p == text)
        return -EINVAL;
    *ret_end = p;
    *ret = value;
    return 0;
}

bool
pp_config_number_whole(const char *text, uint64_t least, uint64_t most, uint64_t *ret)
{
    const char *end = text;
    uint64_t value = 0;
    if (pp_config_number_count(text, &end, &value) || *end || value < least || value > most)
        return false;
    *ret = value;
    return true;
}

int
pp_config_number_decimal(const char *text, uint64_t unit, uint64_t *ret)
{
    const char *p = text;
    uint64_t whole = 0;
    if (*p != '.' && pp_config_number_count(p, &p, &whole))
        return -EINVAL;
    if (whole > UINT64_MAX / unit - 1)
        return -ERANGE;
    uint64_t value = whole * unit;
    if (*p == '.') {
        p++;
        if (*p < '0' || *p > '9')
            return -EINVAL;
        for (; *p >= '0' && *p <= '9'; p++) {
            unit /= 10;
            value += (uint64_t)(*p - '0') * unit;
        }
    }
    if (*p)
        return -EINVAL;
    *ret = value;
    return 0;
}

int
pp_config_number_time(const char *text, uint64_t preset_ns, uint64_t *ret_ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
        uint64_t times;
    } units[] = {{"s", 1000000000U, 1}, {"ms", 1000000U, 1}, {"us", 1000U, 1}, {"min", 1000000000U, 60}};
    char number[64];
    size_t len = strspn(text, "0123456789.");
    uint64_t unit_ns = preset_ns;
    uint64_t times = 1;
    uint64_t value = 0;
    const char *unit = text + len;
    if (len >= sizeof(number))
        return -ERANGE;
    memcpy(number, text, len);
    number[len] = '\0';
    for (size_t i = 0; i < PP_ARRAY_SIZE(units); i++) {
        if (strcmp(unit, units[i].name) == 0) {
            unit_ns = units[i].ns;
            times = units[i].times;
            unit = "";
        }
    }
    int rc = *unit ? -EINVAL : pp_config_number_decimal(number, unit_ns, &value);
    if (rc)
        return rc;
    if (value > UINT64_MAX / times)
        return -ERANGE;
    *ret_ns = value * times;
    return 0;
}

bool
pp_config_number_bytes(const char *value, uint64_t *ret_bytes)
{
    static const char suffix[] = "KMGT";
    const char *end = value;
    uint64_t size = 0;
    if (pp_config_number_count(value, &end, &size))
        return false;
    const char *at = *end ? strchr(suffix, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    unsigned shift = at ? 10 * (unsigned)(at - suffix + 1) : 0;
    end += at ? 1 : 0;
    if (at && *end == 'i' && end[1] == 'B')
        end += 2;
    else if (*end == 'B')
        end++;
    *ret_bytes = size << shift;
    return !*end && size <= UINT64_MAX >> shift;
}
