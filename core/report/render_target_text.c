/** @file
 * Render targets as text; see render_target_text.h. */
#include "core/report/render_target_text.h"

#include <stdarg.h>
#include <stdio.h>

struct text {
    char *out;
    size_t size;
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void
append(struct text *text, const char *format, ...)
{
    va_list args;
    if (text->len >= text->size)
        return;
    va_start(args, format);
    int len = vsnprintf(text->out + text->len, text->size - text->len, format, args);
    va_end(args);
    if (len > 0)
        text->len += (size_t)len;
}

static const char *
op_name(uint8_t op)
{
    static const char *const name[] = {
        [PP_OP_UNKNOWN] = "",        [PP_OP_KEEP] = "keep", [PP_OP_CLEAR] = "clear",
        [PP_OP_DISCARD] = "discard", [PP_OP_NONE] = "none",
    };
    return op <= PP_OP_NONE ? name[op] : "";
}

void
pp_render_target_attachments_text(const struct pp_render_target *render_target, const struct pp_pass_row *row,
                                  char *out, size_t size)
{
    struct text text = {.out = out, .size = size};
    out[0] = '\0';
    for (uint32_t i = 0; render_target && i < render_target->attachments && i < PP_MAX_ATTACHMENTS; i++) {
        const struct pp_attachment *a = &render_target->attachment[i];
        uint32_t bit = 1U << i;
        uint8_t load = row->cleared & bit     ? (uint8_t)PP_OP_CLEAR
                       : row->undefined & bit ? (uint8_t)PP_OP_DISCARD
                                              : a->load;
        uint8_t store = row->discarded & bit ? (uint8_t)PP_OP_DISCARD : a->store;
        append(&text, "%s%s=%s", i ? " " : "", a->role, a->format);
        if (load != PP_OP_UNKNOWN || store != PP_OP_UNKNOWN)
            append(&text, ":%s/%s", op_name(load), op_name(store));
    }
}

void
pp_pass_name_text(const struct pp_render_target *render_target, enum pp_pass_kind kind, char *out,
                  size_t size)
{
    struct text text = {.out = out, .size = size};
    if (render_target && render_target->name[0]) {
        append(&text, "%s", render_target->name);
        return;
    }
    for (uint32_t i = 0; render_target && i < render_target->attachments && i < PP_MAX_ATTACHMENTS; i++) {
        if (render_target->attachment[i].name[0]) {
            append(&text, "%s", render_target->attachment[i].name);
            return;
        }
    }
    append(&text, "%s", pp_pass_kind_name(kind));
    if (render_target && (render_target->width || render_target->attachments))
        append(&text, " %ux%u", render_target->width, render_target->height);
    for (uint32_t i = 0; render_target && i < render_target->attachments && i < PP_MAX_ATTACHMENTS; i++)
        append(&text, "%s%s", i ? "+" : " ", render_target->attachment[i].format);
}
