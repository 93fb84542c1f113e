/** @file
 * The list of catalogues, and lookups; see catalogue.h. A new vendor is one line here. */
#include "counters/metric/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/array_size.h"

static const struct pp_catalogue *const catalogues[] = {
    &pp_catalogue_intel,
    &pp_catalogue_mali,
};

const struct pp_catalogue *
pp_catalogue_at(size_t index)
{
    return index < PP_ARRAY_SIZE(catalogues) ? catalogues[index] : NULL;
}

const struct pp_catalogue *
pp_catalogue_find(const char *vendor)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(catalogues); i++) {
        if (strcmp(catalogues[i]->vendor, vendor) == 0)
            return catalogues[i];
    }
    return NULL;
}

int64_t
pp_catalogue_find_set(const struct pp_catalogue *catalogue, const char *gpu, const char *symbol)
{
    for (uint32_t i = 0; i < catalogue->sets; i++) {
        struct pp_catalogue_set set;
        catalogue->set(i, &set);
        if (strcmp(set.gpu, gpu) == 0 && (strcmp(set.symbol, symbol) == 0 || strcmp(set.guid, symbol) == 0))
            return i;
    }
    return -ENOENT;
}

static bool
ends_in(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

int
pp_catalogue_column_name(const struct pp_catalogue_metric *metric, char *name, size_t size)
{
    int length;
    if (metric->unit_id != PP_UNIT_OTHER)
        return snprintf(
            name, size, "%s%s", metric->symbol,
            ends_in(metric->symbol, pp_unit_suffix(metric->unit_id)) ? "" : pp_unit_suffix(metric->unit_id));
    length = snprintf(name, size, "%s_%s", metric->symbol, metric->unit);
    for (char *at = name; *at; at++) {
        if (*at == ' ')
            *at = '_';
    }
    return length;
}
