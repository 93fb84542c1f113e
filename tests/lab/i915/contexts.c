/** @file
 * Contexts and address spaces of i915; see contexts.h. */
#include "tests/lab/i915/contexts.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <i915_drm.h>

#include "tests/lab/i915/device.h"
#include "tests/lab/i915/work.h"
#include "tests/lab/report.h"

#define FIRST_HARDWARE_ID 0x20

uint32_t
i915_new_hardware_id(void)
{
    static uint32_t next = FIRST_HARDWARE_ID;
    return next++;
}

struct i915_context *
i915_context_of(struct lab_client *client, uint32_t number)
{
    struct i915_client *mine = client->of_model;
    return number == 0 ? &mine->default_context : lab_handle_find(&mine->contexts, number);
}

static void
finish_context(struct i915_context *context)
{
    i915_work_wait_context(context);
    for (unsigned i = 0; i < I915_ENGINES; i++)
        free(context->registers[i]);
}

void
i915_contexts_finish(struct i915_client *client)
{
    finish_context(&client->default_context);
    for (uint32_t i = 0; i < client->contexts.count; i++)
        if (client->contexts.object[i]) {
            finish_context(client->contexts.object[i]);
            free(client->contexts.object[i]);
        }
    free(client->contexts.object);
    free(client->vms.object);
}

/* Parameters. */

static int
set_engines(struct i915_context *context, const struct drm_i915_gem_context_param *param)
{
    const struct i915_context_param_engines *map = (const void *)(uintptr_t)param->value;
    size_t head = sizeof(map->extensions), each = sizeof(map->engines[0]);
    size_t count = param->size < head ? 0 : (param->size - head) / each;
    if (param->size != head + count * each || count == 0 || count > I915_CONTEXT_SLOTS || map->extensions)
        return -EINVAL;
    for (size_t i = 0; i < count; i++) {
        uint16_t class = map->engines[i].engine_class;
        if (map->engines[i].engine_instance != 0)
            return -ENOENT;
        if (class != I915_ENGINE_CLASS_RENDER && class != I915_ENGINE_CLASS_COPY)
            return -ENOENT;
        context->slot[i] = class == I915_ENGINE_CLASS_RENDER ? I915_RENDER : I915_COPY;
    }
    context->slots = (unsigned)count;
    return 0;
}

static int
set_vm(struct lab_client *client, struct i915_context *context, uint64_t vm)
{
    struct i915_client *mine = client->of_model;
    if (vm > UINT32_MAX || !lab_handle_find(&mine->vms, (uint32_t)vm))
        return -ENOENT;
    context->vm = (uint32_t)vm;
    return 0;
}

static int
set_parameter(struct lab_client *client, struct i915_context *context,
              const struct drm_i915_gem_context_param *param, bool creating)
{
    switch (param->param) {
    case I915_CONTEXT_PARAM_RECOVERABLE:
        context->recoverable = param->value;
        return param->size ? -EINVAL : 0;
    case I915_CONTEXT_PARAM_BANNABLE:
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
    case I915_CONTEXT_PARAM_PERSISTENCE:
        return param->size ? -EINVAL : 0;
    case I915_CONTEXT_PARAM_PRIORITY:
        if (i915.gpu->verx10 < 80)
            return -ENODEV; /* the kernel does not schedule */
        if ((int64_t)param->value > I915_CONTEXT_MAX_USER_PRIORITY ||
            (int64_t)param->value < I915_CONTEXT_MIN_USER_PRIORITY)
            return -EINVAL;
        if ((int64_t)param->value > I915_CONTEXT_DEFAULT_PRIORITY)
            return -EPERM; /* needs CAP_SYS_NICE */
        context->priority = (int64_t)param->value;
        return 0;
    case I915_CONTEXT_PARAM_ENGINES:
        return creating ? set_engines(context, param) : -EINVAL;
    case I915_CONTEXT_PARAM_VM:
        return set_vm(client, context, param->value);
    case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
        return -ENODEV;
    default:
        return -EINVAL;
    }
}

int
i915_context_setparam(struct lab_client *client, void *arg)
{
    const struct drm_i915_gem_context_param *param = arg;
    struct i915_context *context = i915_context_of(client, param->ctx_id);
    if (!context) {
        LAB_FAULT("CONTEXT_SETPARAM: no context has the number %u", param->ctx_id);
        return -ENOENT;
    }
    return set_parameter(client, context, param, false);
}

/* The power configuration: all that is there. */
static int
get_sseu(struct drm_i915_gem_context_param *param)
{
    struct drm_i915_gem_context_param_sseu sseu;
    if (param->size == 0) {
        param->size = sizeof(sseu);
        return 0;
    }
    if (param->size < sizeof(sseu))
        return -EINVAL;
    memcpy(&sseu, (const void *)(uintptr_t)param->value, sizeof(sseu));
    if (sseu.flags || sseu.rsvd || sseu.engine.engine_class != I915_ENGINE_CLASS_RENDER)
        return -EINVAL;
    sseu.slice_mask = 1;
    sseu.subslice_mask = (UINT64_C(1) << i915.gpu->subslices) - 1;
    sseu.min_eus_per_subslice = sseu.max_eus_per_subslice = i915.gpu->eus;
    memcpy((void *)(uintptr_t)param->value, &sseu, sizeof(sseu));
    return 0;
}

int
i915_context_getparam(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_context_param *param = arg;
    const struct i915_context *context = i915_context_of(client, param->ctx_id);
    if (!context) {
        LAB_FAULT("CONTEXT_GETPARAM: no context has the number %u", param->ctx_id);
        return -ENOENT;
    }
    switch (param->param) {
    case I915_CONTEXT_PARAM_GTT_SIZE:
        param->size = 0;
        param->value = UINT64_C(1) << i915.gpu->address_bits;
        return 0;
    case I915_CONTEXT_PARAM_PRIORITY:
        param->size = 0;
        param->value = (uint64_t)context->priority;
        return 0;
    case I915_CONTEXT_PARAM_RECOVERABLE:
        param->size = 0;
        param->value = context->recoverable;
        return 0;
    case I915_CONTEXT_PARAM_SSEU:
        return get_sseu(param);
    case I915_CONTEXT_PARAM_VM: {
        struct i915_client *mine = client->of_model;
        param->size = 0;
        param->value = context->vm ? context->vm : lab_handle_add(&mine->vms, mine);
        return 0;
    }
    default:
        return -EINVAL;
    }
}

/* Contexts. */

static int
apply_extensions(struct lab_client *client, struct i915_context *context, uint64_t first)
{
    const struct i915_user_extension *ext = (const void *)(uintptr_t)first;
    int status = 0;
    for (; ext && status == 0; ext = (const void *)(uintptr_t)ext->next_extension) {
        const struct drm_i915_gem_context_create_ext_setparam *set = (const void *)ext;
        status = ext->name != I915_CONTEXT_CREATE_EXT_SETPARAM || set->param.ctx_id
                     ? -EINVAL
                     : set_parameter(client, context, &set->param, true);
    }
    return status;
}

int
i915_context_create(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_context_create_ext *ask = arg;
    struct i915_client *mine = client->of_model;
    struct i915_context *context = NULL;
    if (ask->flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN) {
        LAB_FAULT("CONTEXT_CREATE: flags 0x%x", ask->flags);
        return -EINVAL;
    }
    if (!(context = calloc(1, sizeof(*context))))
        return -ENOMEM;
    context->recoverable = 1;
    context->hardware_id = i915_new_hardware_id();
    int status = ask->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS
                     ? apply_extensions(client, context, ask->extensions)
                     : 0;
    if (status) {
        free(context);
        return status;
    }
    ask->ctx_id = lab_handle_add(&mine->contexts, context);
    return 0;
}

int
i915_context_destroy(struct lab_client *client, void *arg)
{
    const struct drm_i915_gem_context_destroy *ask = arg;
    struct i915_client *mine = client->of_model;
    struct i915_context *context = ask->pad ? NULL : lab_handle_take(&mine->contexts, ask->ctx_id);
    if (!context) {
        LAB_FAULT("CONTEXT_DESTROY: no context has the number %u", ask->ctx_id);
        return -ENOENT;
    }
    finish_context(context);
    free(context);
    return 0;
}

int
i915_reset_stats(struct lab_client *client, void *arg)
{
    struct drm_i915_reset_stats *ask = arg;
    if (ask->flags || ask->pad)
        return -EINVAL;
    ask->reset_count = ask->batch_active = ask->batch_pending = 0;
    return i915_context_of(client, ask->ctx_id) ? 0 : -ENOENT;
}

/* Address spaces: addresses belong to the buffers of one submission, so nothing is kept. */

int
i915_vm_create(struct lab_client *client, void *arg)
{
    struct drm_i915_gem_vm_control *ask = arg;
    struct i915_client *mine = client->of_model;
    if (ask->flags || ask->extensions)
        return -EINVAL;
    ask->vm_id = lab_handle_add(&mine->vms, mine);
    return 0;
}

int
i915_vm_destroy(struct lab_client *client, void *arg)
{
    const struct drm_i915_gem_vm_control *ask = arg;
    struct i915_client *mine = client->of_model;
    if (ask->flags || ask->extensions)
        return -EINVAL;
    return lab_handle_take(&mine->vms, ask->vm_id) ? 0 : -ENOENT;
}
