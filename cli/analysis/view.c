/** @file
 * See view.h. */
#include "cli/analysis/view.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *
pp_view_sort_name(const struct pp_view *view)
{
    static const char *const name[PP_SORTS] = {"total", "mean", "p95", "p99", "max", "count"};
    return name[view->sort];
}

bool
pp_view_matches(const char *name, const char *pattern)
{
    if (!*pattern)
        return true;
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    return strcasestr(name, pattern) != NULL;
}

bool
pp_view_takes_pass(const struct pp_view *view, const struct pp_saved_pass *pass)
{
    char both[8192];
    if (!view->pass || pp_view_matches(pass->label, view->pass) || pp_view_matches(pass->name, view->pass) ||
        strcmp(pass->pass_id, view->pass) == 0)
        return true;
    snprintf(both, sizeof(both), "%.4000s: %.4000s", pass->label, pass->name);
    return pp_view_matches(both, view->pass);
}

bool
pp_view_takes_any(const struct pp_view *view, const struct pp_saved_session *rec)
{
    if (!view->pass)
        return true;
    for (size_t i = 0; i < rec->passes; i++)
        if (pp_view_takes_pass(view, &rec->pass[i]))
            return true;
    for (size_t i = 0; i < rec->labels; i++)
        if (pp_view_matches(rec->label[i].label, view->pass))
            return true;
    return false;
}

bool
pp_view_takes_share(const struct pp_view *view, double percent)
{
    return !(view->percent_limit > 0) || percent >= view->percent_limit;
}

int
pp_view_order(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a < b) - (a > b);
}
