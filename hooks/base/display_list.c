/** @file
 * See display_list.h. */
#include "hooks/base/display_list.h"

#include "hooks/base/context.h"

/* Most lists that are followed for one call: lists may call each other, and themselves. */
#define LOOKS_MAX 256U
/* Depth of nested lists that all drivers support; Mesa supports no more. */
#define NESTED_MAX 64U

void
pp_gl_list_note(struct pp_gl_context *ctx, enum pp_gl_list_effect effect)
{
    if (effect != PP_LIST_PAIR) {
        ctx->list.content = (struct pp_gl_list){.last = (uint8_t)effect};
        return;
    }
    ctx->list.content = ctx->list.before;
    ctx->list.content.unknown |= ctx->list.content.calls > 0 || ctx->list.content.last == PP_LIST_BEGINS;
    if (ctx->list.content.last == PP_LIST_NOTHING)
        ctx->list.content.last = PP_LIST_PAIR;
}

void
pp_gl_list_note_call(struct pp_gl_context *ctx, GLuint name)
{
    struct pp_gl_list *list = &ctx->list.content;
    if (name && list->calls < PP_LIST_CALLS)
        list->call[list->calls++] = name;
    else
        list->unknown = true;
}

void
pp_gl_list_compiled(struct pp_gl_context *ctx)
{
    struct pp_gl_share *share = ctx->share;
    const struct pp_gl_list *list = &ctx->list.content;
    bool matters = list->last != PP_LIST_NOTHING || list->calls || list->unknown;
    pthread_mutex_lock(&share->lock);
    struct pp_gl_list *at = matters ? pp_gl_map_add(&share->lists, ctx->list.name, sizeof(*at))
                                    : pp_gl_map_get(&share->lists, ctx->list.name);
    if (at)
        *at = *list;
    pthread_mutex_unlock(&share->lock);
}

void
pp_gl_list_deleted(struct pp_gl_context *ctx, GLuint first, GLsizei count)
{
    struct pp_gl_share *share = ctx->share;
    pthread_mutex_lock(&share->lock);
    for (uint32_t i = 0; i < share->lists.cap; i++) {
        struct pp_gl_list *list = share->lists.slot[i].value;
        if (list && count > 0 && share->lists.slot[i].key - first < (GLuint)count)
            *list = (struct pp_gl_list){.last = PP_LIST_NOTHING};
    }
    pthread_mutex_unlock(&share->lock);
}

static enum pp_gl_list_effect
effect_locked(const struct pp_gl_share *share, GLuint name, unsigned depth, unsigned *looks)
{
    const struct pp_gl_list *list = pp_gl_map_get(&share->lists, name);
    if (!list)
        return PP_LIST_NOTHING;
    if (list->unknown || depth == NESTED_MAX || ++*looks > LOOKS_MAX)
        return PP_LIST_UNKNOWN;
    bool pair = false;
    enum pp_gl_list_effect effect = PP_LIST_NOTHING;
    for (uint32_t i = list->calls; i > 0 && effect == PP_LIST_NOTHING; i--) {
        effect = effect_locked(share, list->call[i - 1], depth + 1, looks);
        pair |= effect == PP_LIST_PAIR;
        if (effect == PP_LIST_PAIR)
            effect = PP_LIST_NOTHING;
    }
    if (effect == PP_LIST_NOTHING)
        effect = (enum pp_gl_list_effect)list->last;
    if (pair && effect == PP_LIST_BEGINS)
        return PP_LIST_UNKNOWN;
    return pair && effect == PP_LIST_NOTHING ? PP_LIST_PAIR : effect;
}

enum pp_gl_list_effect
pp_gl_list_effect(struct pp_gl_context *ctx, GLuint name)
{
    unsigned looks = 0;
    pthread_mutex_lock(&ctx->share->lock);
    enum pp_gl_list_effect effect = effect_locked(ctx->share, name, 0, &looks);
    pthread_mutex_unlock(&ctx->share->lock);
    return effect;
}
