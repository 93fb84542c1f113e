/** @file
 * See report_flame.h. */
#include "cli/commands/report_flame.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/output_file.h"
#include "cli/print/flame.h"
#include "cli/print/message.h"
#include "cli/symbols/session_symbols.h"
#include "pp_texts.h"

static bool
ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), wanted = strlen(end);
    return len > wanted && strcmp(text + len - wanted, end) == 0;
}

/* What the picture shows. */
struct picture {
    const struct pp_flame_tree *tree;
    const struct pp_flame_look *look;
};

static int
write_picture(FILE *out, const void *data)
{
    const struct picture *picture = data;
    pp_flame_print_picture(out, picture->tree, picture->look);
    return 0;
}

/* Write the tree in the form that was asked for. @return Exit status. */
static int
write_tree(const struct pp_flame_tree *tree, const struct pp_stack_costs *costs, const char *dir,
           const char *file)
{
    if (!file) {
        pp_flame_print_folded(stdout, tree);
        return fflush(stdout) ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(errno)) : 0;
    }
    const struct pp_flame_look look = {
        .title = dir, .frames = (double)costs->frames, .html = ends_with(file, ".html")};
    const struct picture picture = {tree, &look};
    int status = pp_output_file_write(file, write_picture, &picture);
    if (status == 0)
        pp_output_file_print(file, PP_TEXT_FILE_BROWSER);
    return status;
}

int
pp_report_flame(struct pp_saved_session *rec, const char *dir, const char *file)
{
    static const struct pp_stack_costs_wanted wanted = {.detail = true};
    const struct pp_debug_places places = {.recorded_s = pp_session_recorded_s(rec)};
    struct pp_call_stacks stacks = {.modules = 0};
    struct pp_stack_costs costs = {.len = 0};
    struct pp_flame_tree tree = {.len = 0};
    char why[PP_CALL_STACKS_WHY];
    int status = 0;
    int rc = pp_session_symbols_read(rec, &places, &stacks, why);
    if (rc && rc != -ENOENT)
        return pp_fail(PP_FORMAT_ANNOTATE_STACKS, dir, why);
    rc = pp_stack_costs_read(rec, &stacks, &wanted, &costs);
    rc = rc ? rc : pp_flame_tree_make(&stacks, &costs, &tree);
    if (rc)
        status = pp_fail(PP_FORMAT_READ_BACK, dir, strerror(-rc));
    else if (costs.total_ns <= 0)
        status = pp_fail(PP_FORMAT_ANNOTATE_NO_WORK, dir);
    else
        status = write_tree(&tree, &costs, dir, file);
    pp_flame_tree_finish(&tree);
    pp_stack_costs_finish(&costs);
    pp_call_stacks_finish(&stacks);
    return status;
}
