/** @file
 * See server_answer.h. */
#include "cli/push/server_answer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

static const char table[] = "FROM ask";
/* What replaces it: the parts of a list of pairs. The first pair gives an empty list its type. */
static const char head[] = "SELECT pair.1 AS key, pair.2 AS value FROM (SELECT arrayJoin([('', '')";
static const char before_key[] = ", ('", before_value[] = "', unhex('", behind_value[] = "'))";
static const char tail[] = "]) AS pair))";

static int
digit(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)((at - digits) % 16) : -1;
}

/* Take the next byte of a value. @return The byte; -1: there is no such byte, and nothing is taken. */
static int
next_byte(const char **at)
{
    const char *from = *at;
    if (*from != '%') {
        *at = from + 1;
        return (unsigned char)*from;
    }
    int high = digit(from[1]), low = high < 0 ? -1 : digit(from[2]);
    if (low < 0 || high + low == 0)
        return -1;
    *at = from + 3;
    return high * 16 + low;
}

/* The key that a condition begins with, and what is after its '='; NULL: it has none. */
static const char *
key_of(const char *condition, const char **ret_value)
{
    static const char *const keys[] = {"build", "gpu", "driver", "scene"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(keys); i++) {
        size_t len = strlen(keys[i]);
        if (strncmp(condition, keys[i], len) == 0 && condition[len] == '=') {
            *ret_value = condition + len + 1;
            return keys[i];
        }
    }
    return NULL;
}

/* A text that grows within memory that is large enough for it. */
struct text {
    char *end;
};

static void
add(struct text *to, const char *text)
{
    to->end = stpcpy(to->end, text);
}

/* Add the value of a condition as hexadecimal digits. @retval 0. @retval -EINVAL It is none. */
static int
add_value(struct text *to, const char **at)
{
    static const char digits[] = "0123456789ABCDEF";
    while (**at && **at != '&') {
        int byte = next_byte(at);
        if (byte < 0)
            return -EINVAL;
        *to->end++ = digits[byte / 16];
        *to->end++ = digits[byte % 16];
    }
    *to->end = '\0';
    return 0;
}

/* Add all conditions as a table. @retval 0. @retval -EINVAL One is none. */
static int
add_conditions(struct text *to, const char *query)
{
    int rc = 0;
    add(to, "FROM (");
    add(to, head);
    for (const char *at = query; *at && rc == 0; at += *at == '&') {
        const char *key = key_of(at, &at);
        if (!key)
            return -EINVAL;
        add(to, before_key);
        add(to, key);
        add(to, before_value);
        rc = add_value(to, &at);
        add(to, behind_value);
    }
    add(to, tail);
    return rc;
}

/* The most bytes that the conditions can have. A condition has at least 4 bytes. */
static size_t
most_bytes(const char *query)
{
    size_t each = sizeof(before_key) + sizeof(before_value) + sizeof(behind_value) + sizeof("driver");
    return sizeof("FROM (") + sizeof(head) + sizeof(tail) + strlen(query) * (2 + each);
}

int
pp_fleet_question_make(const char *sql, const char *query, char **ret)
{
    size_t places = 0;
    for (const char *at = strstr(sql, table); at; at = strstr(at + 1, table))
        places++;
    char *conditions = malloc(most_bytes(query)), *text = NULL;
    struct text to = {conditions};
    int rc = conditions ? add_conditions(&to, query) : -ENOMEM;
    if (rc == 0) {
        text = malloc(strlen(sql) + places * strlen(conditions) + 1);
        rc = text ? 0 : -ENOMEM;
    }
    if (rc == 0) {
        to.end = text;
        for (const char *at = strstr(sql, table); at; at = strstr(sql, table)) {
            to.end = mempcpy(to.end, sql, (size_t)(at - sql));
            add(&to, conditions);
            sql = at + strlen(table);
        }
        add(&to, sql);
        *ret = text;
    }
    free(conditions);
    return rc;
}

void
pp_fleet_question_words(const char *query, char *ret, size_t size)
{
    const char *last = "";
    size_t whole = 0; /* bytes of whole conditions */
    for (const char *at = query; *at; at += *at == '&') {
        const char *key = key_of(at, &at);
        if (!key)
            break;
        bool again = strcmp(key, last) == 0;
        int byte = 0, head_len = snprintf(ret + whole, size - whole, "%s%s%s", whole ? ", " : "",
                                          again ? "" : key, again ? "" : "=");
        size_t len = head_len < 0 ? size : whole + (size_t)head_len;
        while (*at && *at != '&' && len + 1 < size && (byte = next_byte(&at)) >= 0)
            ret[len++] = (char)byte;
        if (byte < 0 || len >= size || (*at && *at != '&'))
            break;
        whole = len;
        last = key;
    }
    ret[whole] = '\0';
}
