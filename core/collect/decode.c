/** @file
 * Decoding of counters on their way into rows; see core/engine/event_selection.h. */
#include "core/engine/event_selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "counters/events/event_plan.h"
#include "counters/metric/metric.h"
#include "counters/util/errno_text.h"

uint32_t
pp_device_sets(const struct pp_device *device)
{
    return device->sets;
}

uint32_t
pp_device_counter(const struct pp_device *device, uint32_t counter)
{
    return counter < PP_MAX_SOURCES ? device->counter_at[counter] : UINT32_MAX;
}

const struct pp_device_set *
pp_device_set(const struct pp_device *device, uint32_t counter, uint32_t set)
{
    static const struct pp_device_set none = {.events = 0};
    uint32_t s = pp_device_counter(device, counter);
    return s == UINT32_MAX || set >= device->source_sets[s] ? &none : &device->source_set[s][set].set;
}

bool
pp_device_reads(const struct pp_device *device)
{
    return device->reads;
}

/* A source failed: say why, the first time. Bursts of failures cost one atomic read each. */
static void
note_failure(struct pp_device *device, uint32_t s, enum pp_message id, int error)
{
    char why[PP_REASON_BYTES], text[sizeof(why) + 128];
    const struct pp_event_source *source = &device->counter[s];
    if ((atomic_load_explicit(&device->failed, memory_order_relaxed) >> s & 1) ||
        (atomic_fetch_or(&device->failed, 1U << s) >> s & 1))
        return;
    if (source->ops->explain)
        source->ops->explain(source->self, error, why);
    else
        snprintf(why, sizeof(why), "%s", pp_errno_text(error));
    if (id == PP_ID_SOURCE_REFUSED)
        snprintf(text, sizeof(text), PP_FORMAT_SOURCE_REFUSED, source->ops->name, why);
    else
        snprintf(text, sizeof(text), PP_FORMAT_SOURCE_FAILED, source->ops->name, why);
    pp_device_note(device, text);
}

void
pp_device_read(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket, unsigned end,
               uint8_t set, bool idle)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        uint8_t *status = &batch->status[(size_t)bracket * PP_MAX_SOURCES + s];
        if (!ops || !pp_counter_is_read(ops) || set >= device->source_sets[s])
            continue;
        const struct pp_device_set *chosen = &device->source_set[s][set].set;
        if (chosen->events == 0 || (ops->reads == PP_READ_IDLE) != idle) {
            if (*status == PP_NOT_AVAILABLE) /* until its own turn, if that comes */
                *status = PP_DISABLED;
            continue;
        }
        uint8_t *row = pp_batch_row(batch, bracket, end) + device->offset[s];
        int rc = ops->read(device->counter[s].self, chosen->event, chosen->events, row);
        batch->set[(size_t)bracket * PP_MAX_SOURCES + s] = set;
        if (rc)
            note_failure(batch->device, s, PP_ID_SOURCE_FAILED, -rc);
        if (end == 0)
            *status = rc ? PP_LOST : PP_OK;
        else if (rc)
            *status = PP_LOST;
    }
}

void
pp_device_unread(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        uint8_t *status = &batch->status[(size_t)bracket * PP_MAX_SOURCES + s];
        if (ops && ops->reads == PP_READ_IDLE && pp_status_has_value((enum pp_status) * status))
            *status = PP_LOST;
    }
}

/* Streams. */

void
pp_counter_select(struct pp_device *device, uint8_t set)
{
    for (uint32_t s = 0; s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        if (!ops || ops->reads != PP_READ_STREAM || !ops->select || set >= device->source_sets[s])
            continue;
        const struct pp_device_set *chosen = &device->source_set[s][set].set;
        int rc = ops->select(device->counter[s].self, chosen->event, chosen->events);
        if (rc)
            note_failure(device, s, PP_ID_SOURCE_REFUSED, -rc);
    }
}

/* One bracket. @retval 0, -EAGAIN. */
static int
look_up(struct pp_batch *batch, uint32_t bracket, uint32_t s, bool patient)
{
    const struct pp_device *device = batch->device;
    const struct pp_event_source *source = &device->counter[s];
    const struct pp_device_set *set = &device->source_set[s][batch->turn].set;
    uint8_t *status = &batch->status[(size_t)bracket * PP_MAX_SOURCES];
    const struct pp_field *ticks = device->source_set[0]->set.layout->field;
    if (status[s] != PP_NOT_AVAILABLE || !pp_status_has_value((enum pp_status)status[0]) || !set->events)
        return 0;
    uint64_t begin = pp_field_read(ticks, pp_batch_row(batch, bracket, 0));
    uint64_t end = pp_field_read(ticks, pp_batch_row(batch, bracket, 1));
    batch->set[(size_t)bracket * PP_MAX_SOURCES + s] = batch->turn;
    if (end < begin) { /* a suspended pass has no end, its continuation no begin */
        status[s] = PP_DISABLED;
        return 0;
    }
    int rc = source->ops->between(source->self, set->event, set->events, begin, end, device->tick_ns,
                                  device->session->config.serialize,
                                  pp_batch_row(batch, bracket, 1) + device->offset[s], &status[s]);
    if (rc == -EAGAIN && patient) {
        status[s] = PP_NOT_AVAILABLE;
        return -EAGAIN;
    }
    if (rc)
        status[s] = rc == -EAGAIN ? PP_NOT_AVAILABLE : PP_LOST;
    if (rc && rc != -EAGAIN)
        note_failure(batch->device, s, PP_ID_SOURCE_FAILED, -rc);
    return 0;
}

int
pp_counter_streams(struct pp_batch *batch, bool patient)
{
    const struct pp_device *device = batch->device;
    uint32_t brackets =
        batch->action_list.brackets < batch->bracket_cap ? batch->action_list.brackets : batch->bracket_cap;
    for (uint32_t s = 1; device->streams && s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        if (!ops || ops->reads != PP_READ_STREAM || batch->turn >= device->source_sets[s])
            continue;
        for (uint32_t b = 0; b < brackets; b++) {
            int rc = look_up(batch, b, s, patient);
            if (rc)
                return rc;
        }
    }
    return 0;
}

/* Computed columns. */

static int
compute_one(const struct pp_formulas *formulas, struct pp_value *const *row, size_t rows)
{
    size_t inputs = formulas->inputs, outputs = formulas->outputs;
    size_t workspace = (pp_metric_workspace_bytes(formulas->formula_program) + 63) / 64 * 64;
    struct pp_metric_column *column = calloc(inputs + 1, sizeof(*column));
    struct pp_metric_result *result = calloc(outputs + 1, sizeof(*result));
    uint64_t *value = calloc((inputs + outputs) * rows + 1, sizeof(*value));
    uint8_t *status = malloc((inputs + outputs) * rows + 1);
    void *scratch = aligned_alloc(64, workspace);
    bool ok = column && result && value && status && scratch;
    for (size_t i = 0; i < inputs && ok; i++) {
        column[i] = (struct pp_metric_column){value + i * rows, status + i * rows};
        for (size_t r = 0; r < rows; r++) {
            value[i * rows + r] = row[r][formulas->input[i]].value;
            status[i * rows + r] = (uint8_t)row[r][formulas->input[i]].status;
        }
    }
    for (size_t i = 0; i < outputs && ok; i++)
        result[i] = (struct pp_metric_result){value + (inputs + i) * rows, status + (inputs + i) * rows};
    if (ok)
        pp_metric_eval(formulas->formula_program, column, result, rows, scratch);
    for (size_t i = 0; i < outputs && ok; i++) {
        for (size_t r = 0; r < rows; r++) {
            /* Two sets may hold one metric: the one that was measured fills it. */
            struct pp_value *to = &row[r][formulas->output[i]];
            enum pp_status got = (enum pp_status)status[(inputs + i) * rows + r];
            if (got < to->status)
                *to = (struct pp_value){value[(inputs + i) * rows + r], got};
        }
    }
    free(column);
    free(result);
    free(value);
    free(status);
    free(scratch);
    return ok ? 0 : -ENOMEM;
}

int
pp_counter_compute(const struct pp_session *session, struct pp_value *const *row, size_t rows)
{
    int rc = 0;
    for (size_t r = 0; session->formulas && r < rows; r++)
        for (uint32_t c = 0; c < session->columns; c++)
            if (session->column[c].computed)
                row[r][c] = pp_value_missing(PP_UNSUPPORTED);
    for (const struct pp_formulas *f = session->formulas; f && rc == 0 && rows > 0; f = f->next)
        rc = compute_one(f, row, rows);
    return rc;
}
