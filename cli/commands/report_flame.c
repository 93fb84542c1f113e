/** @file
 * See report_flame.h. */
#include "cli/commands/report_flame.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/export/export_file.h"
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

bool
pp_report_flame_is_name(const char *file)
{
    return ends_with(file, ".svg") || ends_with(file, ".html");
}

/* Write the picture into a file. @return 0, -errno. */
static int
write_picture(const struct pp_flame_tree *tree, const struct pp_flame_look *look, const char *path)
{
    struct pp_export_file file;
    int rc = pp_export_file_begin(path, &file);
    if (rc)
        return rc;
    int copy = dup(file.fd);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    if (!out) {
        rc = -errno;
        if (copy >= 0)
            close(copy);
    } else {
        pp_flame_print_picture(out, tree, look);
        errno = 0;
        bool failed = fflush(out) || ferror(out);
        rc = failed ? errno ? -errno : -EIO : 0;
        fclose(out);
    }
    if (rc == 0)
        return pp_export_file_finish(&file);
    pp_export_file_drop(&file);
    return rc;
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
    int rc = write_picture(tree, &look, file);
    return rc ? pp_fail(PP_FORMAT_FLAME_NOT_WRITTEN, file, strerror(-rc)) : 0;
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
