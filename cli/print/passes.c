/** @file
 * See passes.h. */
#include "cli/print/passes.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "cli/analysis/pass_table.h"
#include "cli/print/table.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "pp_texts.h"

/* Are there rows of several surfaces in the tables? */
static bool
several(const struct pp_saved_session *rec)
{
    return rec->shown == PP_SAVED_NO_SURFACE && rec->surfaces > 1;
}

/* Name of a pass. If there are several surfaces, the surface replaces "window". */
static const char *
name_of(const struct pp_saved_session *rec, const struct pp_saved_pass *pass)
{
    if (several(rec) && pass->surface < rec->surfaces && strcmp(pass->name, "window") == 0)
        return rec->surface[pass->surface].surface;
    return *pass->name ? pass->name : *pass->kind ? pass->kind : "(no name)";
}

/* Add ", 89 draws": how much work of one kind each run of a pass has, on average. @return false: none. */
static bool
add_work(char *text, size_t size, const struct pp_saved_sum *sum, const char *one, const char *several)
{
    char number[PP_FORMATTED_MAX];
    double mean = sum->rows ? sum->sum / (double)sum->rows : 0;
    if (!(mean > 0))
        return false;
    pp_format_count(number, mean, mean < 100 && mean != floor(mean) ? 1 : 0);
    pp_format_append(text, size, ", %s %s", number, pp_format_noun(mean, one, several));
    return true;
}

/* Write what distinguishes a pass from others of the same name: its work where @p work, its place, its
 * surface. */
static void
write_which(char *which, size_t size, const struct pp_saved_session *rec, const struct pp_saved_pass *pass,
            const char *name, bool work)
{
    which[0] = '\0';
    if (work && pass->twin && !add_work(which, size, &pass->draws, "draw", "draws") &&
        !add_work(which, size, &pass->dispatches, "dispatch", "dispatches"))
        add_work(which, size, &pass->copies, "copy", "copies");
    if (pass->surface == PP_SAVED_NO_SURFACE && rec->frames)
        pp_format_append(which, size, " (of no frame)");
    else if (pass->twin || (pass->kept == 0 && rec->measured_frames))
        pp_format_append(which, size, " (pass %llu%s%.8s%s)", (unsigned long long)pass->place,
                         pass->same_place ? ", id " : "", pass->same_place ? pass->pass_id : "",
                         pass->kept          ? ""
                         : pass->other_level ? ", at another level only"
                                             : ", first frames only");
    if (several(rec) && pass->surface < rec->surfaces && name != rec->surface[pass->surface].surface)
        pp_format_append(which, size, ", %.40s", rec->surface[pass->surface].surface);
}

/* Cut the name of a pass without label after the size of its render target: formats say least. */
static void
cut_behind_size(char *name, size_t size, const struct pp_saved_pass *pass, size_t columns)
{
    char extent[32];
    snprintf(extent, sizeof(extent), " %ux%u", pass->width, pass->height);
    char *end = strstr(name, extent);
    end = end ? end + strlen(extent) : NULL;
    if (!end || !*end || pp_format_width_of(name, (size_t)(end - name)) + strlen("...") > columns)
        return;
    *end = '\0';
    pp_format_append(name, size, "...");
}

#define LEAST_NAME 8U /* columns of the name before its place */

const char *
pp_pass_title(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_saved_pass *pass,
              size_t columns)
{
    char joined[8192];
    char which[240] = "", extent[32] = "";
    char label[4096];
    const char *name = name_of(rec, pass);
    const char *path = pp_saved_label_text(rec, pass->label, pass->label, label, sizeof(label));
    bool same = strcmp(pp_format_last_name(pass->label), name) == 0 || strcmp(pass->label, name) == 0;
    if (pass->width && pass->height)
        snprintf(extent, sizeof(extent), " %ux%u", pass->width, pass->height);
    if (strstr(name, extent)) /* names that passprobe makes have it */
        extent[0] = '\0';
    if (!*pass->label || same)
        snprintf(joined, sizeof(joined), "%.4000s%s", *pass->label ? path : name, extent);
    else
        snprintf(joined, sizeof(joined), "%.4000s: %.3900s%s", path, name, extent);
    write_which(which, sizeof(which), rec, pass, name, true);
    if (pp_format_width(joined) + pp_format_width(which) > columns)
        write_which(which, sizeof(which), rec, pass, name, false);
    size_t used = pp_format_width(which);
    if (used + LEAST_NAME > columns) {
        pp_format_append(joined, sizeof(joined), "%s", which);
        return pp_format_words(text, size, joined, columns);
    }
    if (!*pass->label && pp_format_width(joined) > columns - used)
        cut_behind_size(joined, sizeof(joined), pass, columns - used);
    pp_format_words(text, size, joined, columns - used);
    used = strlen(text);
    pp_format_name(text + used, size - used, which, columns);
    return text;
}

void
pp_print_percent(FILE *out, double percent)
{
    char text[PP_FORMATTED_MAX];
    if (!isfinite(percent))
        pp_print(out, "       -");
    else
        pp_print(out, " %6s%%", pp_format_fixed(text, percent, 2));
}

/* The unit in which the most expensive pass reads best. */
static const struct pp_time_unit *
table_unit(const struct pp_pass_table *table)
{
    double most = 0;
    for (size_t i = 0; i < table->len; i++) {
        const struct pp_saved_pass *pass = table->row[i].pass;
        double mean = pass->gpu_time.len ? pass->total_ns / (double)pass->gpu_time.len : 0;
        most = mean > most ? mean : most;
    }
    return pp_time_unit_for(most);
}

/* The title of a row, what bounds it, and how often it runs if that is not once in each frame. */
static const char *
row_title(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_pass_figures *row,
          size_t columns)
{
    char title[1024], unit[4 * sizeof(row->pass->bound[0].unit) + 8],
        more[192] = "", number[PP_FORMATTED_MAX], of[PP_FORMATTED_MAX];
    if (row->of_queue) {
        snprintf(title, sizeof(title), "%.200s, %zu %s", *row->queue ? row->queue : "(no queue)", row->folded,
                 pp_format_noun((double)row->folded, "pass", "passes"));
        return pp_format_middle(text, size, title, columns);
    }
    if (row->folded) {
        snprintf(title, sizeof(title), "%zu %s", row->folded,
                 row->frameless ? "passes of no frame"
                 : row->only_first
                     ? row->other_level ? "passes of frames that are left out" : "passes of first frames"
                     : "passes that ran once");
        return pp_format_middle(text, size, title, columns);
    }
    const char *bound = row->bound_by;
    bool in_frames = row->in_a_frame && row->count > 1;
    if (in_frames && row->per_frame < 0.95)
        snprintf(more, sizeof(more), " (in %s of %s frames)", pp_format_count(number, row->frames, 0),
                 pp_format_count(of, (double)rec->measured_frames, 0));
    else if (in_frames && fabs(row->per_frame - 1) > 0.05)
        snprintf(more, sizeof(more), " (%s a frame)", pp_format_fixed(number, row->per_frame, 1));
    pp_format_name(unit, sizeof(unit), bound, columns / 2); /* a narrow table cuts the unit, then the title */
    if (*bound)
        pp_format_append(more, sizeof(more), " [%s]", unit);
    size_t used = pp_format_width(more);
    pp_pass_title(title, sizeof(title), rec, row->pass, columns > used + 4 ? columns - used : 4);
    snprintf(text, size, "%s%s", title, more);
    return text;
}

/* Rows of the short table: passes that only first frames had are left out if others have times. */
static size_t
rows_of(const struct pp_pass_table *table)
{
    size_t rows = table->len;
    while (rows > 1 && !isnan(table->row[0].max_ns) && isnan(table->row[rows - 1].max_ns))
        rows--;
    return rows;
}

/* Print how many passes --percent-limit left out, and how to see those that share a row. */
static void
print_left_out(FILE *out, const char *margin, const struct pp_pass_table *table, size_t most, const char *how)
{
    char share[PP_FORMATTED_MAX];
    bool folded = false;
    for (size_t i = 0; i < table->len && i < most; i++)
        folded = folded || (table->row[i].folded && !table->row[i].of_queue);
    if (folded)
        pp_print(out, "%s passes that share a row, each in its own: %s\n", margin, how);
    if (table->left_out)
        pp_print(out, "%s left out by --percent-limit: %zu %s with %s %% of the GPU time\n", margin,
                 table->left_out, pp_format_noun((double)table->left_out, "pass", "passes"),
                 pp_format_fixed(share, table->left_out_percent, 1));
}

#define NUMBER_COLUMNS 44U /* of the short table, without names and bars */
#define BAR_COLUMNS    20U

/* A number of draws: whole, if it is the same in every frame. */
static const char *
text_draws(char text[PP_FORMATTED_MAX], double draws)
{
    return pp_format_count(text, draws, draws < 100 && draws != floor(draws) ? 1 : 0);
}

/* A time, or "below": it is below the resolution of brackets. */
static const char *
text_time(char text[PP_FORMATTED_MAX], double ns, const struct pp_pass_table *table,
          const struct pp_time_unit *unit)
{
    if (ns < 3 * table->bias.spread_ns) {
        snprintf(text, PP_FORMATTED_MAX, "%s", "below");
        return text;
    }
    return pp_format_time(text, ns, unit);
}

static void
print_row_short(FILE *out, const struct pp_pass_table *table, const struct pp_pass_figures *row,
                const struct pp_time_unit *unit)
{
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX], c[PP_FORMATTED_MAX], d[PP_FORMATTED_MAX],
        e[PP_FORMATTED_MAX];
    pp_print(out, " %6s", isnan(row->draws) ? "-" : text_draws(a, row->draws));
    if (row->unresolved)
        pp_print(out, " %15s", PP_TEXT_BELOW_RESOLUTION);
    else
        pp_print(out, " %8s %6s", pp_format_time(b, row->frame_ns, unit),
                 pp_format_fixed(c, row->share_percent, 1));
    pp_print(out, " %8s %8s", row->unresolved ? "" : text_time(d, row->p95_ns, table, unit),
             text_time(e, row->max_ns, table, unit));
}

void
pp_passes_print_short(FILE *out, const struct pp_saved_session *rec, const struct pp_pass_table *table,
                      size_t most)
{
    const struct pp_time_unit *unit = table_unit(table);
    size_t rows = rows_of(table), columns = pp_format_columns(out), widest = strlen("passes");
    size_t room = columns - NUMBER_COLUMNS;
    char name[4 * 160 + 8];
    if (!table->len && !table->left_out)
        return;
    for (size_t i = 0; i < rows && i < most; i++) {
        size_t wide = pp_format_width(row_title(name, sizeof(name), rec, &table->row[i], room));
        widest = wide > widest ? wide : widest;
    }
    widest = widest < room ? widest : room;
    size_t left = columns - NUMBER_COLUMNS - widest;
    size_t bar = left < 6 ? 0 : left - 2 < BAR_COLUMNS ? left - 2 : BAR_COLUMNS;
    pp_print(out, "\n   %-*s %6s %2s/frame  GPU %% %8s %8s\n", (int)widest, "passes", "draws", unit->name,
             "p95", "max");
    for (size_t i = 0; i < rows && i < most; i++) {
        const struct pp_pass_figures *row = &table->row[i];
        row_title(name, sizeof(name), rec, row, widest);
        pp_print(out, "   %s%*s", name, (int)(widest - pp_format_width(name)), "");
        print_row_short(out, table, row, unit);
        if (bar && row->share_percent >= 0.5 && pp_terminal(out)) {
            pp_print(out, "  ");
            pp_terminal_bar(out, row->share_percent / 100, bar);
        }
        pp_print_char(out, '\n');
    }
    char how[PATH_MAX + 64];
    snprintf(how, sizeof(how), "passprobe report -E0%s", pp_saved_operand(rec));
    print_left_out(out, "  ", table, rows < most ? rows : most, how);
    if (rows > most)
        pp_print(out, "   and %zu more %s: passprobe report%s\n", rows - most,
                 pp_format_noun((double)(rows - most), "pass", "passes"), pp_saved_operand(rec));
}

void
pp_passes_print_long(FILE *out, const struct pp_saved_session *rec, const struct pp_pass_table *table,
                     const struct pp_view *view, size_t most)
{
    char name[1024];
    struct pp_text_table text = {.out = out,
                                 .in = PP_IN_TEXT,
                                 .columns = &pp_pass_columns,
                                 .view = view,
                                 .unit = table_unit(table),
                                 .least_ns = 3 * table->bias.spread_ns};
    if (!table->len && !table->left_out)
        return;
    pp_text_table_begin(&text);
    for (size_t i = 0; i < table->len && i < most; i++)
        pp_text_table_row(&text, &table->row[i],
                          row_title(name, sizeof(name), rec, &table->row[i], text.title_columns));
    print_left_out(out, "#", table, most, "--entries 0");
    if (table->len > most)
        pp_print(out, PP_FORMAT_MORE_ENTRIES "\n", table->len - most,
                 pp_format_noun((double)(table->len - most), "pass", "passes"));
}

/* Print a table that has rows. */
static void
print_table(struct pp_text_table *text, const struct pp_saved_session *rec,
            const struct pp_label_table *table, size_t most)
{
    char name[1024], plain[4096];
    double largest = 0;
    bool shared = false;
    for (size_t i = 0; i < table->len; i++)
        largest = table->row[i].mean_ns > largest ? table->row[i].mean_ns : largest;
    text->unit = pp_time_unit_for(largest);
    pp_text_table_begin(text);
    for (size_t i = 0; i < table->len && i < most; i++) {
        const struct pp_label_figures *row = &table->row[i];
        const char *label = pp_saved_label_text(rec, row->label, row->label, plain, sizeof(plain));
        pp_text_table_row(text, row, pp_format_words(name, sizeof(name), label, text->title_columns));
        shared |= isnan(row->frame_ns) && !(row->saved->passes.sum > 0);
    }
    if (shared)
        pp_print(
            text->out,
            "# -: the region has no pass of its own. The region in which its pass began has the time.\n");
    if (table->len > most)
        pp_print(text->out, PP_FORMAT_MORE_ENTRIES "\n", table->len - most,
                 pp_format_noun((double)(table->len - most), "label", "labels"));
}

void
pp_labels_print(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most)
{
    struct pp_label_table table;
    char pattern[400];
    if (!rec->labels)
        return;
    if (pp_label_table_make(rec, view, &table)) {
        pp_message(PP_TEXT_SUMMARY_MEMORY);
        return;
    }
    struct pp_text_table text = {.out = out,
                                 .in = PP_IN_TEXT,
                                 .columns = &pp_label_columns,
                                 .view = view,
                                 .least_ns = 3 * table.bias.spread_ns};
    pp_print(out, "#\n# Labels: GPU time including inner regions; self: without them\n#\n");
    if (table.len)
        print_table(&text, rec, &table, most);
    if (table.left_out)
        pp_print(out, "# left out by --percent-limit: %zu %s\n", table.left_out,
                 pp_format_noun((double)table.left_out, "label", "labels"));
    else if (!table.len)
        pp_print(out, "# No label has a name like --pass %s, or a pass with such a name.\n",
                 pp_format_name(pattern, sizeof(pattern), view->pass, 60));
    pp_label_table_finish(&table);
}
