/** @file
 * See bracket_decode.h. Decoding of brackets;
 *
 * Computed columns;
 *
 * Results of streaming counter sources; */
#include "core/collect/decode/bracket_decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"
#include "core/events/device_counters.h"
#include "core/util/log.h"
#include "counters/metric/metric_eval.h"

/* A mapped GPU time may be this far outside the CPU interval that encloses it before it is refused: clocks
 * drift by some 10 us between two samples a second apart, and the sampling itself is not exact. */
#define SLACK_NS 500000U

struct pp_bracket_reader
pp_bracket_read_batch(const struct pp_session *session, struct pp_batch *batch)
{
    const struct pp_device *device = batch->device;
    struct pp_bracket_reader reader = {.batch = batch, .device = device, .longest_ns = UINT64_MAX};
    if (device->timestamp_bits) {
        reader.ticks = device->source_set[PP_SOURCE_TIME]->set.layout->field;
        reader.whole = reader.ticks->part[0].bits == 64 && reader.ticks->part[0].offset == 0 &&
                       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    }
    reader.columns = session->rows.columns;
    reader.covers = device->sources == 2 && device->source_set[PP_SOURCE_STATISTICS]->word &&
                    device->source_set[PP_SOURCE_STATISTICS]->words == session->rows.columns;
    pp_clock_view_init(&batch->device->clock, &reader.clock);
    reader.slack_ns = SLACK_NS + reader.clock.uncertainty_ns;
    if (batch->cpu_issued_ns && batch->cpu_available_ns >= batch->cpu_issued_ns)
        reader.longest_ns = batch->cpu_available_ns - batch->cpu_issued_ns + reader.slack_ns;
    return reader;
}

static enum pp_status
source_status(const struct pp_batch *batch, uint32_t bracket, uint32_t s)
{
    if (bracket >= batch->bracket_cap)
        return PP_NOT_AVAILABLE;
    return pp_batch_value_status(*pp_batch_status(batch, bracket, s));
}

/* Is it a sum of results? */
static bool
in_parts(const struct pp_batch *batch, uint32_t bracket, uint32_t s)
{
    return bracket < batch->bracket_cap && (*pp_batch_status(batch, bracket, s) & PP_IN_PARTS) != 0;
}

static const uint8_t *
snapshot(const struct pp_bracket_reader *reader, uint32_t bracket, unsigned end, uint32_t s)
{
    return pp_batch_row(reader->batch, bracket, end) + reader->device->offset[s];
}

/* Refuse times that contradict the CPU's view: some drivers return absolute clocks or garbage. */
static enum pp_status
plausible(const struct pp_bracket_reader *reader, uint64_t start_ns, uint64_t length_ns)
{
    const struct pp_batch *batch = reader->batch;
    if (length_ns > PP_VALUE_MAX || start_ns > PP_VALUE_MAX || start_ns + length_ns > PP_VALUE_MAX)
        return PP_REJECTED;
    if (reader->longest_ns == UINT64_MAX)
        return PP_OK;
    if (length_ns > reader->longest_ns)
        return PP_REJECTED;
    if (reader->clock.method != PP_CLOCK_SAMPLED)
        return PP_OK;
    if (start_ns + reader->slack_ns < batch->cpu_issued_ns ||
        start_ns + length_ns > batch->cpu_available_ns + reader->slack_ns)
        return PP_REJECTED;
    return PP_OK;
}

static inline uint64_t
read_ticks(const struct pp_bracket_reader *reader, const uint8_t *from)
{
    uint64_t ticks;
    if (!reader->whole)
        return pp_field_read(reader->ticks, from);
    memcpy(&ticks, from, sizeof(ticks));
    return ticks;
}

struct pp_bracket_times
pp_bracket_decode_times(const struct pp_bracket_reader *reader, uint32_t bracket, uint8_t flags,
                        struct pp_frame_notes *notes)
{
    struct pp_bracket_times times;
    enum pp_status status =
        reader->ticks ? source_status(reader->batch, bracket, PP_SOURCE_TIME) : PP_UNSUPPORTED;
    notes->brackets++;
    if (!pp_status_has_value(status)) {
        times.start_ns = times.end_ns = times.length_ns = pp_value_missing(status);
        times.begin_ticks = 0;
        notes->lost += reader->ticks && status != PP_DISABLED && status != PP_UNSUPPORTED;
        return times;
    }
    uint64_t begin = read_ticks(reader, snapshot(reader, bracket, 0, PP_SOURCE_TIME));
    uint64_t end = read_ticks(reader, snapshot(reader, bracket, 1, PP_SOURCE_TIME));
    /* A suspended pass has no end, its continuation no begin: the caller joins them. */
    uint64_t length = flags & PP_PASS_SUSPENDED ? 0 : pp_clock_view_interval_ns(&reader->clock, begin, end);
    uint64_t start_ns = 0;
    bool mapped = pp_clock_view_map(&reader->clock, begin, &start_ns);
    enum pp_status checked = mapped                  ? plausible(reader, start_ns, length)
                             : length > PP_VALUE_MAX ? PP_REJECTED
                                                     : PP_OK;
    notes->rejected += checked == PP_REJECTED;
    times.begin_ticks = begin;
    times.length_ns = (struct pp_value){length, checked};
    times.start_ns = mapped ? (struct pp_value){start_ns, checked} : pp_value_missing(PP_UNSUPPORTED);
    times.end_ns = mapped ? (struct pp_value){start_ns + length, checked} : pp_value_missing(PP_UNSUPPORTED);
    return times;
}

/* A driver may return a float that is not finite or absurdly large, or a whole number that no count can
 * reach. */
static bool
is_no_number(const struct pp_field *field, uint64_t image)
{
    double real = 0;
    enum pp_number number = pp_number_image((enum pp_number)field->number);
    if (number == PP_NUMBER_U64)
        return image > PP_VALUE_MAX;
    if (number != PP_NUMBER_F64)
        return false;
    memcpy(&real, &image, sizeof(real));
    return !pp_value_is_real(real);
}

/* Report once for a column that the driver returned no finite number. */
static void
say_no_number(const struct pp_bracket_reader *reader, uint16_t column)
{
    struct pp_column *of = &reader->device->session->rows.column[column];
    char event[400];
    if (of->said_none)
        return;
    of->said_none = true;
    snprintf(event, sizeof(event), PP_EVENT_NOT_FINITE, of->name);
    pp_device_missing(reader->batch->device, event, PP_TEXT_NOT_FINITE);
}

/* What one set of one source counted in a bracket, whatever its fields look like. */
static void
decode_fields(const struct pp_bracket_reader *reader, uint32_t bracket, uint32_t s,
              const struct pp_source_set *set, struct pp_value *counter, struct pp_frame_notes *notes)
{
    uint64_t value[PP_MAX_COLUMNS];
    uint8_t status[PP_MAX_COLUMNS];
    const struct pp_layout *layout = set->set.layout;
    enum pp_status all = source_status(reader->batch, bracket, s);
    bool parts = in_parts(reader->batch, bracket, s), nonsense = false;
    if (layout->fields > PP_MAX_COLUMNS)
        return;
    if (pp_status_has_value(all))
        pp_layout_delta(layout, snapshot(reader, bracket, 0, s), snapshot(reader, bracket, 1, s), value,
                        status);
    for (uint32_t i = 0; i < layout->fields; i++) {
        uint16_t column = set->column[i];
        if (column == UINT16_MAX)
            continue;
        if (pp_status_has_value(all) && parts && layout->field[i].not_additive) {
            counter[column] = pp_value_missing(PP_UNSUPPORTED);
        } else if (pp_status_has_value(all) && is_no_number(&layout->field[i], value[i])) {
            counter[column] = pp_value_missing(PP_REJECTED);
            say_no_number(reader, column);
            nonsense = true;
        } else if (pp_status_has_value(all)) {
            counter[column] = (struct pp_value){value[i], pp_status_worse(all, (enum pp_status)status[i])};
        } else {
            counter[column] = pp_value_missing(all);
        }
    }
    notes->counts_rejected += nonsense;
}

/* Some of a bracket's words are too large for a count. */
static void
reject_words(const struct pp_bracket_reader *reader, const struct pp_source_set *set,
             struct pp_value *counter, struct pp_frame_notes *notes)
{
    for (uint32_t i = 0; i < set->words; i++) {
        uint32_t column = set->word[i].column;
        if (counter[column].value <= PP_VALUE_MAX ||
            reader->device->session->rows.column[column].number != PP_NUMBER_U64)
            continue;
        counter[column] = pp_value_missing(PP_REJECTED);
        say_no_number(reader, (uint16_t)column);
    }
    notes->counts_rejected++;
}

/* Decode the counts of a bracket like decode_fields(), where every field is a 64-bit word with the count.
 * @return True: all counts are available. */
static bool
decode_words(const struct pp_bracket_reader *reader, uint32_t bracket, uint32_t s,
             const struct pp_source_set *set, struct pp_value *counter, struct pp_frame_notes *notes)
{
    uint64_t bits = 0;
    enum pp_status all = source_status(reader->batch, bracket, s);
    if (!pp_status_has_value(all)) {
        for (uint32_t i = 0; i < set->words; i++)
            counter[set->word[i].column] = pp_value_missing(all);
        return false;
    }
    const uint8_t *end = snapshot(reader, bracket, 1, s);
    uint32_t words = set->words;
    if (set->run && words) {
        end += set->word[0].offset;
        counter += set->word[0].column;
        for (uint32_t i = 0; i < words; i++) {
            memcpy(&counter[i].value, end + i * sizeof(uint64_t), sizeof(counter[i].value));
            counter[i].status = all;
            bits |= counter[i].value;
        }
        if (bits > PP_VALUE_MAX)
            reject_words(reader, set, counter - set->word[0].column, notes);
        return bits <= PP_VALUE_MAX;
    }
    for (uint32_t i = 0; i < words; i++) {
        struct pp_value *to = &counter[set->word[i].column];
        memcpy(&to->value, end + set->word[i].offset, sizeof(to->value));
        to->status = all;
        bits |= to->value;
    }
    if (bits > PP_VALUE_MAX)
        reject_words(reader, set, counter, notes);
    return bits <= PP_VALUE_MAX;
}

/* Count results that were requested and are lost or not valid. A stream of the kernel leaves the status of a
 * missing result unchanged. Results of a bracket without a time cannot be looked up, so they are not counted.
 */
static void
note_result(const struct pp_bracket_reader *reader, uint32_t bracket, uint32_t s,
            struct pp_frame_notes *notes)
{
    const struct pp_source_ops *ops = reader->device->counter[s].ops;
    enum pp_status status = source_status(reader->batch, bracket, s);
    bool late = status == PP_NOT_AVAILABLE && ops && ops->reads == PP_READ_STREAM &&
                pp_status_has_value(source_status(reader->batch, bracket, PP_SOURCE_TIME));
    notes->counts_lost += status == PP_LOST || late;
    notes->counts_rejected += status == PP_REJECTED;
}

bool
pp_bracket_decode_counters(const struct pp_bracket_reader *reader, uint32_t bracket, struct pp_value *counter,
                           struct pp_frame_notes *notes)
{
    const struct pp_batch *batch = reader->batch;
    const struct pp_device *device = reader->device;
    bool known = bracket < batch->bracket_cap;
    if (reader->covers && known && *pp_batch_set(batch, bracket, PP_SOURCE_STATISTICS) == 0 &&
        *pp_batch_status(batch, bracket, PP_SOURCE_STATISTICS) == PP_OK) {
        return decode_words(reader, bracket, PP_SOURCE_STATISTICS, device->source_set[PP_SOURCE_STATISTICS],
                            counter, notes);
    }
    for (uint32_t i = 0; i < reader->columns; i++)
        counter[i] = pp_value_missing(PP_UNSUPPORTED);
    for (uint32_t s = PP_SOURCE_TIME + 1; s < device->sources; s++) {
        uint32_t k = known ? *pp_batch_set(batch, bracket, s) : 0;
        const struct pp_source_set *set = &device->source_set[s][k];
        if (k >= device->source_sets[s] || !set->set.layout)
            continue;
        note_result(reader, bracket, s, notes);
        if (set->word && !in_parts(batch, bracket, s))
            (void)decode_words(reader, bracket, s, set, counter, notes);
        else
            decode_fields(reader, bracket, s, set, counter, notes);
    }
    return false;
}

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
pp_formulas_compute(const struct pp_session *session, struct pp_value *const *row, size_t rows)
{
    int rc = 0;
    for (size_t r = 0; session->rows.formulas && r < rows; r++)
        for (uint32_t c = 0; c < session->rows.columns; c++)
            if (session->rows.column[c].computed)
                row[r][c] = pp_value_missing(PP_UNSUPPORTED);
    for (const struct pp_formulas *f = session->rows.formulas; f && rc == 0 && rows > 0; f = f->next)
        rc = compute_one(f, row, rows);
    return rc;
}

/* A pass outside of render passes whose actions all had submissions of their own had these for itself, too.
 */
static void
join_actions(struct pp_batch *batch, uint32_t s)
{
    const struct pp_action_list *list = &batch->action_list;
    for (uint32_t p = 0; p < list->passes; p++)
        if (list->pass[p].kind != PP_PASS_RENDER && list->pass[p].actions > 0 &&
            list->pass[p].bracket < batch->bracket_cap)
            *pp_batch_status(batch, list->pass[p].bracket, s) |= PP_APART;
    for (uint32_t a = 0; a < list->actions; a++) {
        const struct pp_action *action = &list->action[a];
        const struct pp_pass *pass = &list->pass[action->pass];
        bool apart = action->bracket < batch->bracket_cap &&
                     (*pp_batch_status(batch, action->bracket, s) & PP_APART) != 0;
        if (pass->kind != PP_PASS_RENDER && !apart && pass->bracket < batch->bracket_cap)
            *pp_batch_status(batch, pass->bracket, s) &= (uint8_t)~PP_APART;
    }
}

/* One bracket. @retval 0, -EAGAIN. */
static int
look_up(struct pp_batch *batch, uint32_t bracket, uint32_t s, bool patient)
{
    const struct pp_device *device = batch->device;
    const struct pp_event_source *source = &device->counter[s];
    const struct pp_device_set *set = &device->source_set[s][batch->frame_set].set;
    uint8_t *status = pp_batch_status(batch, bracket, s);
    enum pp_status time = pp_batch_value_status(*pp_batch_status(batch, bracket, PP_SOURCE_TIME));
    const struct pp_field *ticks = device->source_set[PP_SOURCE_TIME]->set.layout->field;
    const uint8_t apart = *status & PP_APART;
    /* The GPU did nothing but this bracket's commands between two times without work. Barriers alone do not
     * achieve this: the GPU's reports distinguish submissions, but not passes of one submission. */
    bool serialized = device->session->config.serialize && (apart || batch->isolated == PP_ISOLATED_ALL);
    if (*status != (PP_NOT_AVAILABLE | apart) || !pp_status_has_value(time) || !set->events)
        return 0;
    uint64_t begin = pp_field_read(ticks, pp_batch_row(batch, bracket, 0));
    uint64_t end = pp_field_read(ticks, pp_batch_row(batch, bracket, 1));
    *pp_batch_set(batch, bracket, s) = batch->frame_set;
    /* A suspended pass has no end, its continuation no begin. */
    if (end < begin && (!end || ((end - begin) & device->clock.mask) > device->clock.mask / 2)) {
        *status = PP_CELL_SUSPENDED;
        return 0;
    }
    int rc = source->ops->between(source->self, set->event, set->events, begin, end, device->tick_ns,
                                  serialized, pp_batch_row(batch, bracket, 1) + device->offset[s], status);
    if (rc)
        *status = rc == -EAGAIN ? PP_NOT_AVAILABLE : PP_LOST;
    *status |= apart;
    if (rc == -EAGAIN && patient)
        return -EAGAIN;
    if (rc && rc != -EAGAIN)
        pp_device_source_failed(batch->device, s, PP_ID_SOURCE_FAILED, -rc);
    return 0;
}

int
pp_streams_look_up(struct pp_batch *batch, bool patient)
{
    const struct pp_device *device = batch->device;
    uint32_t brackets =
        batch->action_list.brackets < batch->bracket_cap ? batch->action_list.brackets : batch->bracket_cap;
    for (uint32_t s = PP_SOURCE_TIME + 1; device->streams && s < device->sources; s++) {
        const struct pp_source_ops *ops = device->counter[s].ops;
        if (!ops || ops->reads != PP_READ_STREAM || batch->frame_set >= device->source_sets[s])
            continue;
        if (batch->isolated == PP_ISOLATED_PASSES)
            join_actions(batch, s);
        for (uint32_t b = 0; b < brackets; b++) {
            int rc = look_up(batch, b, s, patient);
            if (rc)
                return rc;
        }
    }
    return 0;
}
