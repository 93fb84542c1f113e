/** @file
 * vectors_mali [DIR]: raw dumps and kinstr samples of a Mali-G76 with the sums, values and metrics they are
 * for. |got - want| <= 1e-9 + 1e-12 |want|; sums and statuses exact. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/mali/mali_decode.h"
#include "tests/unit/counters/vector_programs/status_name.h"
#include "tests/unit/counters/vector_programs/vectors.h"

enum {
    MAX_DUMPS = 64,
};

/* A vector being checked. */
struct mali_case {
    struct vec *vec;
    json_t *root;
    const struct pp_mali_gpu *gpu;
    struct pp_mali_config config;
    struct pp_mali_sums sums;
    struct pp_mali_cell cell[1024];
};

static const char *
text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static uint64_t
number_of(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 0)
                                 : (uint64_t)json_integer_value(value);
}

static unsigned
nibble(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Bytes of a hex string, in a block of exactly that size so that a sanitizer sees any read beyond it. */
static uint8_t *
bytes_of(json_t *value, size_t *ret_size)
{
    const char *hex = json_string_value(value) ? json_string_value(value) : "";
    size_t size = strlen(hex) / 2;
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes)
        abort();
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
    *ret_size = size;
    return bytes;
}

static bool
close_enough(double got, double want)
{
    return fabs(got - want) <= 1e-9 + 1e-12 * fabs(want);
}

/* The configuration must follow from the registers, too. */
static bool
read_config(struct mali_case *c)
{
    json_t *config = json_object_get(c->root, "config"), *regs = json_object_get(config, "regs");
    struct pp_mali_config other = {0};
    c->gpu = pp_mali_gpu_find("mali-g76");
    c->config = (struct pp_mali_config){.core_mask = number_of(config, "core_mask"),
                                        .l2_slices = (uint32_t)number_of(config, "l2_slices"),
                                        .bus_width_bits = (uint32_t)number_of(config, "bus_width_bits")};
    vec_true(c->vec, c->gpu && pp_mali_gpu_by_product((uint32_t)number_of(regs, "GPU_PROD_ID")) == c->gpu,
             "GPU_PROD_ID does not lead to %s", text_of(config, "gpu"));
    int r = pp_mali_config_from_registers(number_of(regs, "SHADER_PRESENT"),
                                          (uint32_t)number_of(regs, "MEM_FEATURES"),
                                          (uint32_t)number_of(regs, "L2_FEATURES"), &other);
    vec_true(c->vec,
             r == 0 && other.core_mask == c->config.core_mask && other.l2_slices == c->config.l2_slices &&
                 other.bus_width_bits == c->config.bus_width_bits,
             "registers give cores 0x%llx, %u slices, %u bits", (unsigned long long)other.core_mask,
             other.l2_slices, other.bus_width_bits);
    return c->gpu != NULL;
}

static int
add_dumps(struct mali_case *c)
{
    json_t *dumps = json_object_get(c->root, "dumps");
    size_t count = json_array_size(dumps), size[MAX_DUMPS];
    uint8_t *dump[MAX_DUMPS];
    bool free_running = strcmp(text_of(c->root, "mode"), "free_running") == 0;
    bool discard = json_is_true(json_object_get(c->root, "discard_first"));
    int r = count && count <= MAX_DUMPS ? 0 : -E2BIG;
    for (size_t i = 0; i < count && i < MAX_DUMPS; i++)
        dump[i] = bytes_of(json_array_get(dumps, i), &size[i]);
    if (!r && free_running)
        r = count == 2 && size[0] == size[1]
                ? pp_mali_add_difference(c->gpu, &c->config, dump[0], dump[1], size[0], &c->sums)
                : -EMSGSIZE;
    for (size_t i = discard; i < count && !r && !free_running; i++)
        r = pp_mali_add_dump(c->gpu, &c->config, dump[i], size[i], &c->sums);
    for (size_t i = 0; i < count && i < MAX_DUMPS; i++)
        free(dump[i]);
    return r;
}

static int
add_sample(struct mali_case *c)
{
    size_t size;
    uint8_t *map = bytes_of(json_object_get(c->root, "mmap"), &size);
    const struct pp_mali_kinstr kinstr = {
        .map = map,
        .map_bytes = size,
        .sample_offset = number_of(c->root, "sample_offset"),
        .metadata_item_bytes = (uint32_t)number_of(c->root, "metadata_item_size"),
    };
    struct pp_mali_sample sample;
    int r = pp_mali_add_kinstr(c->gpu, &c->config, &kinstr, &c->sums, &sample, NULL);
    free(map);
    return r;
}

static const char *
error_name(int r)
{
    switch (r) {
    case 0:
        return "";
    case -EMSGSIZE:
        return "bad_size";
    case -EBADMSG:
        return "bad_metadata";
    case -ERANGE:
        return "bad_offset";
    case -EIO:
        return "sample_error";
    default:
        return "?";
    }
}

static size_t
column_of(const struct mali_case *c, const char *symbol)
{
    for (uint32_t i = 0; i < c->gpu->counters; i++)
        if (strcmp(c->gpu->counter[i].symbol, symbol) == 0)
            return i;
    for (uint32_t i = 0; i < c->gpu->metrics; i++)
        if (strcmp(c->gpu->metric[i].section, symbol) == 0)
            return c->gpu->counters + i;
    return SIZE_MAX;
}

static double
value_of(const struct pp_mali_cell *cell)
{
    return cell->type == PP_METRIC_U64 ? (double)cell->value.u : cell->value.f;
}

static const char *
status_of(const struct pp_mali_cell *cell)
{
    if (pp_status_has_value(cell->status))
        return "ok";
    if (cell->status == PP_DIV_BY_ZERO)
        return "div0";
    return cell->status == PP_DISABLED ? "unavailable" : status_name(cell->status);
}

static void
check_remarks(struct mali_case *c, const char *name, const struct pp_mali_cell *cell, json_t *expect)
{
    bool partial = json_is_true(json_object_get(expect, "partial"));
    bool saturated = json_is_true(json_object_get(expect, "saturated"));
    vec_true(c->vec, partial == ((cell->remark & PP_MALI_PARTIAL) != 0), "%s partial should be %d", name,
             partial);
    vec_true(c->vec, saturated == ((cell->remark & PP_MALI_SATURATED) != 0), "%s saturated should be %d",
             name, saturated);
}

static void
check_cell(struct mali_case *c, const char *name, json_t *expect)
{
    size_t column = column_of(c, name);
    const char *status = text_of(expect, "status");
    vec_true(c->vec, column != SIZE_MAX, "%s is unknown", name);
    if (column == SIZE_MAX)
        return;
    const struct pp_mali_cell *cell = &c->cell[column];
    json_t *value = json_object_get(expect, "value");
    vec_true(c->vec, !value || json_is_number(value) == (strcmp(status, "ok") == 0),
             "%s: value and status disagree", name);
    vec_true(c->vec, strcmp(status_of(cell), status) == 0, "%s is %s, should be %s", name, status_of(cell),
             status);
    if (strcmp(status, "ok") == 0) {
        double want = json_number_value(value);
        vec_true(c->vec, close_enough(value_of(cell), want), "%s is %.17g, should be %.17g", name,
                 value_of(cell), want);
    }
    if (strcmp(status, "div0") == 0) {
        const char *kind = isnan(cell->value.f) ? "0/0" : isinf(cell->value.f) ? "x/0" : "a number";
        vec_true(c->vec, strcmp(kind, text_of(expect, "div0")) == 0, "%s is %s, should be %s", name, kind,
                 text_of(expect, "div0"));
    }
    if (strcmp(status, "unavailable") != 0)
        check_remarks(c, name, cell, expect);
    json_t *sum = json_object_get(expect, "sum");
    if (sum)
        vec_true(c->vec, c->sums.sum[column] == (uint64_t)json_integer_value(sum),
                 "%s sums up to %llu, not %llu", name, (unsigned long long)c->sums.sum[column],
                 (unsigned long long)json_integer_value(sum));
}

static void
check_values(struct mali_case *c, json_t *expect)
{
    const char *name;
    json_t *entry;
    struct pp_mali_decoder *decoder = NULL;
    int r = pp_mali_decoder_create(c->gpu, &c->config, &decoder, NULL);
    vec_true(c->vec, r == 0, "the metrics do not compile: %d", r);
    if (r)
        return;
    pp_mali_decode_sums(decoder, &c->sums, c->cell);
    vec_true(c->vec, json_object_size(json_object_get(expect, "counters")) == c->gpu->counters,
             "counters are missing");
    vec_true(c->vec, json_object_size(json_object_get(expect, "metrics")) == c->gpu->metrics,
             "metrics are missing");
    json_object_foreach(json_object_get(expect, "counters"), name, entry) check_cell(c, name, entry);
    json_object_foreach(json_object_get(expect, "metrics"), name, entry) check_cell(c, name, entry);
    pp_mali_decoder_destroy(decoder);
}

static void
check_case(struct vec *vec, json_t *root)
{
    static struct mali_case c;
    json_t *expect = json_object_get(root, "expect");
    const char *error = text_of(expect, "error");
    c = (struct mali_case){.vec = vec, .root = root};
    if (!read_config(&c))
        return;
    pp_mali_sums_begin(&c.sums);
    int r = strcmp(text_of(root, "layout"), "kinstr") == 0 ? add_sample(&c) : add_dumps(&c);
    vec_true(vec, json_is_null(json_object_get(expect, "error")) || *error,
             "'error' is neither null nor a name");
    vec_true(vec, strcmp(error_name(r), error) == 0, "the error is '%s' (%d), should be '%s'", error_name(r),
             r, error);
    if (r || *error)
        return;
    json_t *constants = json_object_get(expect, "constants");
    vec_true(vec, number_of(constants, "MaliConstantsL2SliceCount") == c.config.l2_slices, "L2 slices");
    vec_true(vec, number_of(constants, "MaliConstantsBusWidthBits") == c.config.bus_width_bits, "bus width");
    vec_true(vec, number_of(constants, "MaliConstantsShaderCoreCount") == pp_mali_cores(&c.config),
             "core count");
    vec_true(vec, json_is_true(json_object_get(expect, "stretched")) == c.sums.stretched, "stretched");
    check_values(&c, expect);
}

int
main(int argc, char **argv)
{
    return vec_main(argc, argv, PP_VECTORS "/mali", check_case);
}
