/** @file
 * Interned names; see names.h. */
#include "core/engine/names.h"

#include <stddef.h>
#include <string.h>

#include "core/engine/session_private.h"

#define RENDER_TARGETS_MAX 16384U
#define STRINGS_MAX        65536U
#define LABELS_MAX         65536U
#define LABEL_TEXT         256U
/* One region more than the label table can store, and the maximum depth of such regions. */
#define LABEL_DEEPER  (UINT32_C(1) << PP_LABEL_DEEPER_BIT)
#define LABEL_DEEPEST (UINT32_MAX - LABEL_DEEPER)
#define NO_NAME       "(no name)" /* of a region that has none, in a path */
#define PATH_PARTS    64U         /* number of labels of a path that are shown, the innermost ones */
/* One interned label: where it was pushed and its text. */
struct label {
    pp_label_id parent;
    char text[LABEL_TEXT];
};

int
pp_names_init(struct pp_names *names)
{
    int rc = pp_intern_init(&names->render_targets, RENDER_TARGETS_MAX);
    rc = rc ? rc : pp_intern_init(&names->strings, STRINGS_MAX);
    return rc ? rc : pp_intern_init(&names->labels, LABELS_MAX);
}

void
pp_names_finish(struct pp_names *names)
{
    pp_intern_finish(&names->render_targets);
    pp_intern_finish(&names->strings);
    pp_intern_finish(&names->labels);
}

pp_render_target_id
pp_session_render_target(struct pp_session *session, const struct pp_render_target *render_target)
{
    return pp_intern(&session->names.render_targets, render_target, sizeof(*render_target));
}

const struct pp_render_target *
pp_session_render_target_get(struct pp_session *session, pp_render_target_id id)
{
    const struct pp_intern_entry *entry = pp_intern_get(&session->names.render_targets, id);
    return entry ? (const struct pp_render_target *)(const void *)entry->bytes : NULL;
}

pp_string_id
pp_session_string(struct pp_session *session, const char *text)
{
    return text && *text ? pp_intern(&session->names.strings, text, strlen(text) + 1) : 0;
}

const char *
pp_session_text(struct pp_session *session, pp_string_id id)
{
    const struct pp_intern_entry *entry = pp_intern_get(&session->names.strings, id);
    return entry ? (const char *)entry->bytes : "";
}

pp_label_id
pp_session_label(struct pp_session *session, pp_label_id parent, const char *text)
{
    struct label label = {.parent = pp_label_kept(parent)};
    size_t len = strnlen(text, LABEL_TEXT - 1);
    /* Do not cut a UTF-8 sequence in the middle. */
    if (len == LABEL_TEXT - 1)
        while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
            len--;
    memcpy(label.text, text, len);
    pp_label_id id = pp_intern(&session->names.labels, &label, offsetof(struct label, text) + len + 1);
    if (id)
        return id;
    if (pp_intern_is_full(&session->names.labels))
        pp_log(PP_MSG_LABELS, LABELS_MAX);
    else
        pp_log(PP_MSG_NAME_MEMORY, text);
    return parent < LABEL_DEEPEST ? parent + LABEL_DEEPER : parent;
}

static const struct label *
label_get(struct pp_session *session, pp_label_id id)
{
    const struct pp_intern_entry *entry = pp_intern_get(&session->names.labels, pp_label_kept(id));
    return entry ? (const struct label *)(const void *)entry->bytes : NULL;
}

pp_label_id
pp_session_label_parent(struct pp_session *session, pp_label_id id)
{
    if (id >= LABEL_DEEPER)
        return id - LABEL_DEEPER;
    const struct label *label = label_get(session, id);
    return label ? label->parent : 0;
}

/* Does a path begin with another? */
static bool
label_begins(struct pp_session *session, pp_label_id path, pp_label_id begin)
{
    while (path && path != begin)
        path = pp_session_label_parent(session, path);
    return path == begin;
}

/* Text of the paths that pp_session_label_outside() makes. No application uses it. */
static const char outside_text[] = "\001outside";

pp_label_id
pp_session_label_outside(struct pp_session *session, pp_label_id parent)
{
    return pp_session_label(session, parent, outside_text);
}

static bool
is_outside(const struct label *label)
{
    return strcmp(label->text, outside_text) == 0;
}

pp_label_id
pp_session_label_join(struct pp_session *session, pp_label_id outer, pp_label_id inner, pp_label_id shared)
{
    const struct label *part[PATH_PARTS];
    const struct label *label;
    size_t parts = 0;
    outer = pp_label_kept(outer);
    shared = pp_label_kept(shared);
    for (label = label_get(session, inner); label; label = label_get(session, label->parent))
        if (is_outside(label))
            outer = pp_session_label_parent(session, outer);
    while (shared && !(label_begins(session, outer, shared) && label_begins(session, inner, shared)))
        shared = pp_session_label_parent(session, shared);
    inner = pp_label_kept(inner);
    for (label = label_get(session, inner); label && inner != shared && parts < PATH_PARTS;
         label = label_get(session, inner)) {
        if (!is_outside(label))
            part[parts++] = label;
        inner = label->parent;
    }
    while (parts > 0)
        outer = pp_label_kept(pp_session_label(session, outer, part[--parts]->text));
    return outer;
}

void
pp_session_label_push(struct pp_session *session, struct pp_label_stack *stack, const char *text)
{
    static _Atomic uint64_t opened;
    stack->label = pp_session_label(session, stack->label, text);
    if (stack->depth < PP_LABEL_STACK_MAX)
        stack->opened[stack->depth] = atomic_fetch_add_explicit(&opened, 1, memory_order_relaxed) + 1;
    stack->depth++;
    stack->changes++;
}

void
pp_session_label_pop(struct pp_session *session, struct pp_label_stack *stack)
{
    if (stack->depth == 0)
        return;
    stack->label = pp_session_label_parent(session, stack->label);
    stack->depth--;
    stack->changes++;
}

/* Time at which region number `depth` of a stack was opened, counted from the outermost one. */
static uint64_t
opened_at(const struct pp_label_stack *stack, uint32_t depth)
{
    uint32_t kept = depth < PP_LABEL_STACK_MAX ? depth : PP_LABEL_STACK_MAX;
    return kept ? stack->opened[kept - 1] : 0;
}

pp_label_id
pp_session_label_merged(struct pp_session *session, const struct pp_label_stack *a,
                        const struct pp_label_stack *b)
{
    const struct label *part[PATH_PARTS];
    size_t parts = 0;
    pp_label_id left[2] = {a->label, b->label};
    uint32_t depth[2] = {a->depth, b->depth};
    /* take the region that was opened last, until one stack is empty: the rest of the other is already a path
     */
    while (left[0] && left[1]) {
        int from = opened_at(a, depth[0]) < opened_at(b, depth[1]);
        const struct label *label = left[from] < LABEL_DEEPER ? label_get(session, left[from]) : NULL;
        if (label && parts < PATH_PARTS)
            part[parts++] = label;
        left[from] = pp_session_label_parent(session, left[from]);
        depth[from] -= depth[from] > 0;
    }
    pp_label_id path = pp_label_kept(left[0] ? left[0] : left[1]);
    while (parts > 0)
        path = pp_label_kept(pp_session_label(session, path, part[--parts]->text));
    return path;
}

/* Escape / and \ in a region's name, for a path. @return Bytes, as snprintf(). */
static size_t
put_name(char *out, size_t size, const char *name)
{
    size_t used = 0;
    for (; *name; name++) {
        if ((*name == '/' || *name == '\\') && used++ < size)
            out[used - 1] = '\\';
        if (used++ < size)
            out[used - 1] = *name;
    }
    return used;
}

void
pp_session_label_path(struct pp_session *session, pp_label_id id, char *out, size_t size)
{
    const char *part[PATH_PARTS];
    size_t parts = 0;
    size_t used = 0;
    const struct label *label = label_get(session, id);
    for (; label && parts < PATH_PARTS; label = label_get(session, label->parent))
        part[parts++] = label->text;
    for (bool inner = false; parts > 0 && used < size; inner = true) {
        const char *name = part[--parts];
        if (inner)
            out[used++] = '/';
        /* the region is really called "(no name)" */
        if (strcmp(name, NO_NAME) == 0 && used < size)
            out[used++] = '\\';
        used += put_name(out + used, size - used, *name ? name : NO_NAME);
    }
    out[used < size ? used : size - 1] = '\0';
}
