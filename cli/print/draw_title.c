/** @file
 * See draw_title.h. */
#include "cli/print/draw_title.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/passes.h"
#include "cli/print/shorten.h"

#define LEAST_PASS  16U /* columns of a pass's title after a draw */
#define LEAST_TITLE 20U /* columns of a title in front of its line */
#define LEAST_PLACE 12U /* columns of a line */
#define MOST_PLACE  28U

/* The part of a draw's label that the title of its pass lacks. */
static const char *
own_label(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_saved_draw *draw,
          const struct pp_saved_pass *pass)
{
    size_t common = pass ? strlen(pass->label) : 0;
    const char *own = draw->label;
    if (common && strncmp(own, pass->label, common) == 0 && (own[common] == '/' || !own[common]))
        own += common + (own[common] == '/');
    return pp_saved_label_text(rec, draw->label, own, text, size);
}

/* Add a pass to a title. @return false: it does not fit. */
static bool
add_pass(char *title, size_t size, const struct pp_saved_session *rec, const struct pp_saved_pass *pass,
         size_t columns)
{
    char in[1024];
    char plain[4096];
    size_t left = pp_format_left(columns, pp_format_width(title) + 4, 0);
    if (pp_format_width(pp_pass_title(in, sizeof(in), rec, pass, 200)) > left) {
        const char *label = pp_saved_label_text(rec, pass->label, pass->label, plain, sizeof(plain));
        if (*label && pp_format_width(label) <= left)
            pp_format_name(in, sizeof(in), label, left); /* the region that the pass is in */
        else if (left >= LEAST_PASS)
            pp_pass_title(in, sizeof(in), rec, pass, left);
        else
            return false;
    }
    pp_format_append(title, size, " in %s", in);
    return true;
}

/* Make the name of a draw: place, call, pipeline, label, and pass. If they do not fit, words of the pass are
 * left out, then the pipeline, then the pass. */
static const char *
title_of(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_saved_draw *draw,
         size_t columns)
{
    char name[1024], plain[1024], joined[4096];
    const struct pp_saved_pass *pass =
        draw->pass_id ? pp_saved_pass(rec, draw->pass_id, draw->surface) : NULL;
    const char *own = own_label(plain, sizeof(plain), rec, draw, pass);
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        snprintf(joined, sizeof(joined), "%llu %s", (unsigned long long)draw->place,
                 pp_format_name(name, sizeof(name), draw->call, 120));
        if (attempt == 0 && *draw->pipeline)
            pp_format_append(joined, sizeof(joined), " %s",
                             pp_format_middle(name, sizeof(name), draw->pipeline, 200));
        size_t left = pp_format_left(columns, pp_format_width(joined) + 2, 8);
        if (*own)
            pp_format_append(joined, sizeof(joined), ", %s",
                             pp_format_words(name, sizeof(name), own,
                                             pass && left > (size_t)2 * LEAST_PASS ? left / 2 : left));
        if (pp_format_width(joined) <= columns &&
            (!pass || add_pass(joined, sizeof(joined), rec, pass, columns)))
            break;
        if (!*draw->pipeline)
            break;
    }
    return pp_format_words(text, size, joined, columns);
}

/* Write the line that issued a draw, in front of which the title is; nothing where it is not known. */
static void
place_of(char *text, size_t size, const struct pp_saved_calls *calls, size_t columns)
{
    char name[300];
    const char *slash = calls->at ? strrchr(calls->at, '/') : NULL;
    if (calls->at)
        snprintf(text, size, calls->several ? " at %s ..." : " at %s",
                 pp_format_middle(name, sizeof(name), slash ? slash + 1 : calls->at,
                                  columns < MOST_PLACE ? columns : MOST_PLACE));
}

const char *
pp_draw_title(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_draw_table *table,
              const struct pp_draw_figures *row, size_t columns)
{
    char title[2400];
    const struct pp_saved_draw *draw = row->draw;
    if (row->draws == 1) {
        size_t margin = row->member ? 2 : 0;
        char at[400] = "";
        place_of(at, sizeof(at), &draw->calls, pp_format_left(columns, margin + LEAST_TITLE, LEAST_PLACE));
        snprintf(text, size, "%*s", (int)margin, "");
        title_of(text + margin, size - margin, rec, draw,
                 pp_format_left(columns, margin + pp_format_width(at), LEAST_TITLE));
        pp_format_append(text, size, "%s", at);
        return text;
    }
    char more[64];
    const struct pp_saved_pass *pass =
        draw->pass_id && row->one_pass ? pp_saved_pass(rec, draw->pass_id, draw->surface) : NULL;
    snprintf(more, sizeof(more), ", %zu %s", row->draws, row->vertices.rows ? "draws" : "actions");
    pp_format_words(title, sizeof(title),
                    table->by == PP_BY_CALL || !*draw->pipeline ? draw->call : draw->pipeline,
                    pp_format_left(columns, strlen(more), 12));
    pp_format_append(title, sizeof(title), "%s", more);
    if (pass)
        (void)add_pass(title, sizeof(title), rec, pass, columns);
    return pp_format_words(text, size, title, columns);
}
