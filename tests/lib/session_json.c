/** @file
 * Finds a number by the names of its object and its member. The text is searched, not parsed: session.json is
 * written by core/util/json_write.c, so its form is known. */
#include "tests/lib/session_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long
session_json_number(const char *path, const char *object, const char *name)
{
    char text[1 << 16];
    char key[64];
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
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
