/** @file
 * See list_match.h. */
#include "cli/commands/list_match.h"

#include <stdio.h>
#include <string.h>

#include "cli/analysis/table.h"
#include "cli/commands/list_kernel.h"
#include "cli/print/message.h"
#include "counters/metric/catalogue.h"
#include "counters/sources/registry.h"
#include "counters/user_metrics/metrics_file.h"
#include "pp_texts.h"

bool
pp_list_match(const char *name, const char *pattern)
{
    return pp_view_matches(name, pattern);
}

void
pp_list_guess_offer(void *data, const char *name)
{
    struct pp_list_guess *guess = data;
    const char *before = guess->nearest.found;
    pp_nearest_offer(&guess->nearest, name, strlen(name));
    if (guess->nearest.found == before)
        return;
    snprintf(guess->name, sizeof(guess->name), "%s", name);
    guess->nearest.found = guess->name;
}

/* Offer the names of the catalogues: vendors, sets, metrics. */
static void
offer_catalogues(struct pp_list_guess *guess)
{
    for (size_t c = 0; pp_catalogue_at(c); c++) {
        const struct pp_catalogue *catalogue = pp_catalogue_at(c);
        pp_list_guess_offer(guess, catalogue->vendor);
        for (uint32_t i = 0; i < catalogue->sets; i++) {
            struct pp_catalogue_set set;
            catalogue->set(i, &set);
            pp_list_guess_offer(guess, set.symbol);
            for (uint32_t m = 0; m < set.metrics; m++) {
                struct pp_catalogue_metric metric;
                catalogue->metric(i, m, &metric);
                pp_list_guess_offer(guess, metric.symbol);
            }
        }
    }
}

/* Offer the statistics by their names and by each word of the names, because each word is a pattern, too. */
static void
offer_statistics(struct pp_list_guess *guess)
{
    char name[128];
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        snprintf(name, sizeof(name), PP_SOURCE_PIPELINE ":%s", pp_pipeline_statistic_name(i));
        pp_list_guess_offer(guess, name);
        pp_list_guess_offer(guess, pp_pipeline_statistic_name(i));
        for (const char *word = pp_pipeline_statistic_name(i); *word; word += *word == '_') {
            size_t length = strcspn(word, "_");
            snprintf(name, sizeof(name), "%.*s", (int)length, word);
            pp_list_guess_offer(guess, name);
            word += length;
        }
    }
}

/* Offer the metrics that are compiled in. */
static void
offer_derived(struct pp_list_guess *guess)
{
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error;
    char name[256];
    if (pp_metrics_file_open("generic", &file, &error))
        return;
    const struct pp_metrics_item *item = NULL;
    const char *gpu = NULL;
    for (size_t i = 0; (item = pp_metrics_file_at(file, i, &gpu)); i++) {
        snprintf(name, sizeof(name), "metric:%s", item->name);
        pp_list_guess_offer(guess, name);
        pp_list_guess_offer(guess, item->name);
    }
    pp_metrics_file_destroy(file);
}

int
pp_list_guess_fail(const char *pattern, struct pp_list_guess *guess)
{
    pp_list_guess_offer(guess, PP_SOURCE_TIME);
    pp_list_guess_offer(guess, PP_SOURCE_PIPELINE);
    pp_list_guess_offer(guess, "metric:");
    offer_statistics(guess);
    pp_list_kernel_names(pp_list_guess_offer, guess);
    offer_catalogues(guess);
    offer_derived(guess);
    if (guess->nearest.found)
        return pp_fail(PP_FORMAT_LIST_NEAR, pattern, guess->name);
    return pp_fail(PP_FORMAT_LIST_NONE, pattern);
}
