/** @file
 * See runs_for.h. */
#include "cli/print/runs_for.h"

#include <stdbool.h>

#include "cli/print/format.h"
#include "cli/print/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Fill in how many rows agree. */
static void
set_agree(const json_t *runs_for, size_t merged, struct pp_runs_for_texts *ret)
{
    static const char *const file[] = {"draws.csv", "passes.csv", "frames.csv"};
    static const char *const noun[] = {"draws", "passes", "frames"};
    const json_t *agreement = json_object_get(runs_for, "agreement");
    bool differ = false;
    for (size_t i = 0; i < PP_ARRAY_SIZE(file); i++) {
        const json_t *of = json_object_get(agreement, file[i]);
        json_int_t rows = json_integer_value(json_object_get(of, "rows"));
        json_int_t agree = json_integer_value(json_object_get(of, "agree"));
        if (rows <= 0 || agree < 0)
            continue;
        differ |= agree < rows;
        if (*ret->agree)
            pp_format_append(ret->agree, sizeof(ret->agree), ", ");
        pp_format_append(ret->agree, sizeof(ret->agree), "%llu of %llu %s", (unsigned long long)agree,
                         (unsigned long long)rows, noun[i]);
    }
    if (*ret->agree)
        pp_format_append(ret->agree, sizeof(ret->agree), " agree in all %zu runs%s", merged,
                         differ ? "; where they differ, cells are empty (reasons: runs_for in session.json)"
                                : "");
}

/* Fill in how many columns did not fit, of the file that lacks most of them. */
static void
set_columns(const json_t *runs_for, struct pp_runs_for_texts *ret)
{
    const json_t *left_out = json_object_get(runs_for, "columns_left_out");
    size_t most = 0;
    for (size_t i = 0; i < json_array_size(left_out); i++) {
        char name[128];
        const json_t *one = json_array_get(left_out, i);
        const char *file = json_string_value(json_object_get(one, "file"));
        size_t columns = json_array_size(json_object_get(one, "columns"));
        if (!file || columns <= most)
            continue;
        most = columns;
        snprintf(ret->columns, sizeof(ret->columns),
                 "%zu counters are missing in %s, because it has at most 4096 columns; name fewer events",
                 columns, pp_format_name(name, sizeof(name), file, 40));
    }
}

void
pp_runs_for_texts(const json_t *json, struct pp_runs_for_texts *ret)
{
    const json_t *runs_for = json_object_get(json, "runs_for");
    const json_t *runs = json_object_get(runs_for, "runs");
    const char *ended = json_string_value(json_object_get(runs_for, "ended"));
    size_t left_out = 0;
    *ret = (struct pp_runs_for_texts){.agree = ""};
    for (size_t i = json_array_size(runs); i-- > 0;) {
        char name[300];
        const char *why = json_string_value(json_object_get(json_array_get(runs, i), "left_out"));
        if (!why)
            continue;
        snprintf(ret->left_out, sizeof(ret->left_out), "run %zu of %zu is not merged: %s%s", i + 1,
                 json_array_size(runs), pp_format_name(name, sizeof(name), why, 70),
                 left_out ? PP_TEXT_RUNS_FOR_MORE : "");
        left_out++;
    }
    set_columns(runs_for, ret);
    if (ended)
        (void)pp_format_name(ret->ended, sizeof(ret->ended), ended, 120);
    if (json_array_size(runs) > left_out + 1)
        set_agree(runs_for, json_array_size(runs) - left_out, ret);
}

void
pp_runs_for_print(FILE *out, const json_t *json)
{
    struct pp_runs_for_texts texts;
    pp_runs_for_texts(json, &texts);
    const char *const text[] = {texts.agree, texts.left_out, texts.columns, texts.ended};
    for (size_t i = 0; i < PP_ARRAY_SIZE(text); i++) {
        if (!*text[i])
            continue;
        pp_print_char(out, ' ');
        pp_format_wrap(out, 1, 1, text[i]);
    }
}
