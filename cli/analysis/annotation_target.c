/** @file
 * See annotation_target.h. */
#include "cli/analysis/annotation_target.h"

#include <stdlib.h>
#include <string.h>

/* How a word may name a function, the best first. */
enum match { MATCH_WHOLE, MATCH_LAST, MATCH_PART, MATCHES };

static bool
names(const char *function, const char *word, enum match match)
{
    size_t len = strlen(function), wanted = strlen(word);
    if (!*function)
        return false;
    if (match == MATCH_WHOLE)
        return strcmp(function, word) == 0;
    if (match == MATCH_PART)
        return strstr(function, word);
    return len > wanted + 2 && strcmp(function + len - wanted, word) == 0 &&
           strncmp(function + len - wanted - 2, "::", 2) == 0;
}

static bool
has_function(const struct pp_annotation_target *target, const char *function)
{
    for (size_t i = 0; i < target->functions; i++)
        if (strcmp(target->function[i], function) == 0)
            return true;
    return false;
}

/* Does a path end with these parts? */
static bool
ends_with(const char *path, const char *end, size_t len)
{
    size_t path_len = strlen(path);
    if (!len || path_len < len || strncmp(path + path_len - len, end, len) != 0)
        return false;
    return path_len == len || *end == '/' || path[path_len - len - 1] == '/';
}

/* Find a file, and the line after its name. */
static bool
find_file(const struct pp_annotation *lines, const char *word, struct pp_annotation_target *ret)
{
    const char *colon = strrchr(word, ':');
    char *end = NULL;
    unsigned long line = colon && colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : 0;
    bool lined = line > 0 && line <= UINT32_MAX && !*end;
    size_t len = lined ? (size_t)(colon - word) : strlen(word);
    for (size_t i = 0; i < lines->len && !ret->file; i++)
        if (lines->row[i].heaviest != PP_NO_STACK && ends_with(lines->row[i].file, word, len) &&
            (!lined || lines->row[i].line == line))
            ret->file = lines->row[i].file;
    ret->line = lined ? (uint32_t)line : 0;
    return ret->file;
}

bool
pp_annotation_target_find(const struct pp_annotation *functions, const struct pp_annotation *lines,
                          const char *word, struct pp_annotation_target *ret)
{
    *ret = (struct pp_annotation_target){.functions = 0};
    for (int match = MATCH_WHOLE; *word && match < MATCHES && !ret->functions; match++) {
        for (size_t i = 0; i < functions->len && ret->functions < PP_TARGET_FUNCTIONS; i++) {
            const struct pp_annotated *row = &functions->row[i];
            if (row->heaviest != PP_NO_STACK && names(row->function, word, (enum match)match) &&
                !has_function(ret, row->function))
                ret->function[ret->functions++] = row->function;
        }
        if (match == MATCH_LAST && !ret->functions && find_file(lines, word, ret))
            return true; /* "draw.c" is rather a file than a part of a name */
    }
    return ret->functions;
}

bool
pp_annotation_target_takes(void *data, const struct pp_annotated *row)
{
    const struct pp_annotation_target *target = data;
    if (target->file)
        return strcmp(row->file, target->file) == 0 && (!target->line || row->line == target->line);
    return !target->functions || has_function(target, row->function);
}
