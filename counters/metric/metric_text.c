/** @file
 * Names, references between metrics, and errors with their place; see metric_text.h. */
#include "counters/metric/metric_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/nearest_name.h"
#include "pp_texts.h"

enum {
    MAX_DEPTH = 200, /* parentheses and references around one place */
};

uint32_t
pp_text_fail(struct pp_text *text, int code, size_t offset, size_t length, const char *format, ...)
{
    struct pp_compiler *c = text->compiler;
    if (c->code)
        return PP_NODE_NONE;
    size_t rest = strlen(text->text);
    offset = offset < rest ? offset : rest;
    rest -= offset;
    c->code = code;
    c->error = (struct pp_metric_error){.def = text->def,
                                        .availability = text->availability,
                                        .offset = (uint32_t)offset,
                                        .length = (uint32_t)(length < rest ? length : rest)};
    va_list args;
    va_start(args, format);
    vsnprintf(c->error.message, sizeof(c->error.message), format, args);
    va_end(args);
    return PP_NODE_NONE;
}

bool
pp_text_enter(struct pp_text *text, size_t offset, size_t length)
{
    if (text->compiler->depth >= MAX_DEPTH) {
        pp_text_fail(text, -EINVAL, offset, length, PP_FORMAT_FORMULA_DEEP, MAX_DEPTH);
        return false;
    }
    text->compiler->depth++;
    return true;
}

/* The length of a name in a message, for printf(): at most 60. */
static int
shown_length(size_t length)
{
    return (int)(length < 60 ? length : 60);
}

static uint32_t
fail_unknown(struct pp_text *text, const char *name, size_t length, size_t offset, size_t shown)
{
    struct pp_nearest nearest = pp_nearest_begin(name, length);
    pp_nearest_offer_table(&nearest, &text->compiler->names);
    if (nearest.found)
        return pp_text_fail(text, -ENOENT, offset, shown, PP_FORMAT_FORMULA_NAME_NEAR, shown_length(length),
                            name, shown_length(nearest.found_length), nearest.found);
    return pp_text_fail(text, -ENOENT, offset, shown, PP_FORMAT_FORMULA_NAME, shown_length(length), name);
}

static uint32_t
resolve_metric(struct pp_text *text, size_t def, size_t offset, size_t shown)
{
    struct pp_compiler *c = text->compiler;
    if (c->state[def] == PP_DEF_OPEN)
        return pp_text_fail(text, -ELOOP, offset, shown, PP_FORMAT_FORMULA_LOOP, c->def[def].name);
    if (c->state[def] == PP_DEF_DONE)
        return c->result[def];
    if (!pp_text_enter(text, offset, shown))
        return PP_NODE_NONE;
    uint32_t node = c->compile_def(c, def);
    c->depth--;
    return node;
}

static uint32_t
resolve_found(struct pp_text *text, const struct pp_name *found, size_t offset, size_t shown)
{
    struct pp_compiler *c = text->compiler;
    if (found->kind == PP_TEXT_METRIC)
        return resolve_metric(text, found->index, offset, shown);
    if (found->kind == PP_TEXT_INPUT)
        return pp_graph_input(&c->graph, found->index, c->scope->input[found->index].type);
    const struct pp_metric_variable *variable = &c->scope->variable[found->index];
    return variable->type == PP_METRIC_F64 ? pp_graph_f64(&c->graph, variable->value.f)
                                           : pp_graph_u64(&c->graph, variable->value.u);
}

/* Is the name a counter `source:counter` of a source that the scope does not have? */
static bool
is_of_unknown_source(const struct pp_compiler *c, const char *name, size_t length)
{
    const char *colon = memchr(name, ':', length);
    size_t prefix = colon ? (size_t)(colon - name) + 1 : 0;
    for (size_t i = 0; i < c->scope->inputs && colon; i++)
        if (strncmp(c->scope->input[i].name, name, prefix) == 0)
            return false;
    return colon != NULL;
}

static bool
may_miss(const struct pp_text *text, const char *name, size_t length)
{
    const struct pp_compiler *c = text->compiler;
    if ((c->flags & PP_METRIC_MISSING_OK) && !c->def[text->def].strict)
        return true;
    return (c->flags & (PP_METRIC_MISSING_OK | PP_METRIC_MISSING_SOURCES)) &&
           is_of_unknown_source(c, name, length);
}

uint32_t
pp_text_resolve(struct pp_text *text, const char *name, size_t length, size_t offset, size_t shown)
{
    struct pp_compiler *c = text->compiler;
    if (length == 4 && memcmp(name, "Self", 4) == 0) {
        name = c->def[text->def].self;
        if (!name)
            return pp_text_fail(text, -ENOENT, offset, shown, PP_TEXT_FORMULA_SELF);
        length = strlen(name);
    }
    const struct pp_name *found = pp_name_table_find(&c->names, name, length);
    if (found)
        return resolve_found(text, found, offset, shown);
    if (may_miss(text, name, length))
        return pp_graph_missing(&c->graph);
    return fail_unknown(text, name, length, offset, shown);
}

uint32_t
pp_text_read(struct pp_text *text, const char *kind, size_t length, uint64_t number, size_t offset,
             size_t shown)
{
    struct pp_compiler *c = text->compiler;
    char name[64];
    int n = snprintf(name, sizeof(name), "%.*s%llu", (int)(length < 30 ? length : 30), kind,
                     (unsigned long long)number);
    const struct pp_name *found = pp_name_table_find(&c->names, name, (size_t)n);
    if (!found && number == 0)
        found = pp_name_table_find(&c->names, kind, length);
    if (found && found->kind == PP_TEXT_INPUT)
        return resolve_found(text, found, offset, shown);
    if (c->flags & PP_METRIC_MISSING_OK)
        return pp_graph_missing(&c->graph);
    return fail_unknown(text, name, (size_t)n, offset, shown);
}
