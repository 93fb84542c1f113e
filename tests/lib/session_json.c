/** @file
 * Finds a number or a name by the names around it. The text is searched, not parsed: session.json is
 * written by core/util/json_write.c, so its form is known. */
#include "tests/lib/session_json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 16];

static bool
read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return true;
}

long
session_json_number(const char *path, const char *object, const char *name)
{
    char key[64];
    if (!read_text(path))
        return -1;
    snprintf(key, sizeof(key), "\"%s\": {", object);
    char *members = strstr(text, key);
    char *end = members ? strchr(members, '}') : NULL;
    if (!end)
        return -1;
    *end = '\0';
    snprintf(key, sizeof(key), "\"%s\":", name);
    const char *number = strstr(members, key);
    return number ? strtol(number + strlen(key), NULL, 10) : -1;
}

/* The text that begins here, up to its quote. */
static const char *
quoted(char *at)
{
    char *end = at;
    while (end && *end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    if (!end || !*end)
        return "";
    *end = '\0';
    return at;
}

const char *
session_json_text(const char *path, const char *member)
{
    char key[64];
    if (!read_text(path))
        return "";
    snprintf(key, sizeof(key), "\"%s\": \"", member);
    char *at = strstr(text, key);
    return quoted(at ? at + strlen(key) : NULL);
}

const char *
session_json_name(const char *path, const char *array, uint64_t place)
{
    static const char name[] = "\"name\": \"";
    char key[64];
    if (!read_text(path))
        return "";
    snprintf(key, sizeof(key), "\"%s\": [", array);
    char *at = strstr(text, key);
    for (uint64_t i = 0; at && i <= place; i++) {
        at = strstr(at, name);
        at = at ? at + strlen(name) : NULL;
    }
    return quoted(at);
}
