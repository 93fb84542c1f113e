/** @file
 * See report_forms.h. The script that the picture contains is flame.js. */
#include "cli/print/report_forms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/format.h"
#include "cli/text/print.h"

#define WIDTH      1200.0
#define BOX        17U /* height of a node */
#define HEAD       40U
#define LETTER     6.6    /* width of a letter */
#define LEAST      0.0002 /* share of a node that is shown by itself */
#define NAME_BYTES 1024U

/* A name as flamegraph.pl wants it: ';' separates names. */
static void
fold_name(char *text, size_t size, const char *name)
{
    snprintf(text, size, "%s", name);
    for (char *c = text; *c; c++)
        *c = *c == ';' ? ':' : *c;
}

/* Print the names from the root to a node. */
static void
print_path(FILE *out, const struct pp_flame_tree *tree, size_t node)
{
    char name[NAME_BYTES];
    const struct pp_flame_node *n = &tree->node[node];
    if (n->kind == PP_FLAME_ROOT)
        return;
    size_t *path = calloc(n->depth, sizeof(*path));
    if (!path)
        return;
    for (size_t depth = n->depth, at = node; depth-- > 0; at = tree->node[at].parent)
        path[depth] = at;
    for (size_t i = 0; i < n->depth; i++) {
        fold_name(name, sizeof(name), tree->node[path[i]].name);
        pp_print(out, i ? ";%s" : "%s", name);
    }
    free(path);
}

/* The node after another one, before its children are through: parents first. */
static size_t
next_of(const struct pp_flame_tree *tree, size_t node)
{
    if (tree->node[node].first != PP_FLAME_NONE)
        return tree->node[node].first;
    while (node != PP_FLAME_NONE && tree->node[node].next == PP_FLAME_NONE)
        node = tree->node[node].parent;
    return node == PP_FLAME_NONE ? PP_FLAME_NONE : tree->node[node].next;
}

void
pp_flame_print_folded(FILE *out, const struct pp_flame_tree *tree)
{
    for (size_t i = 0; i != PP_FLAME_NONE; i = next_of(tree, i)) {
        long long ns = llround(tree->node[i].self_ns);
        if (ns <= 0)
            continue;
        if (tree->node[i].kind == PP_FLAME_ROOT)
            pp_print(out, "%s", tree->node[i].name);
        print_path(out, tree, i);
        pp_print(out, " %lld\n", ns);
    }
}

/* A text for XML. */
static void
escape(char *text, size_t size, const char *name)
{
    *text = '\0';
    for (; *name; name++) {
        const char *entity = *name == '&'   ? "&amp;"
                             : *name == '<' ? "&lt;"
                             : *name == '>' ? "&gt;"
                             : *name == '"' ? "&quot;"
                                            : NULL;
        if (strlen(text) + 8 > size)
            return;
        pp_format_append(text, size, entity ? "%s" : "%.1s", entity ? entity : name);
    }
}

/* Print the box of a node. @param x Begin, as a part of the width. */
static void
print_box(FILE *out, const struct pp_flame_tree *tree, size_t i, double x, const struct pp_flame_look *look)
{
    static const char *const kind[] = {[PP_FLAME_ROOT] = "r",
                                       [PP_FLAME_FUNCTION] = "f",
                                       [PP_FLAME_LABEL] = "l",
                                       [PP_FLAME_PASS] = "p",
                                       [PP_FLAME_CALL] = "c"};
    const struct pp_flame_node *node = &tree->node[i];
    char name[8 * NAME_BYTES], cut[4 * 256 + 4], shown[8 * 256], ns[PP_FORMATTED_MAX];
    double share = tree->node[0].ns > 0 ? node->ns / tree->node[0].ns : 0;
    size_t letters = (size_t)(share * WIDTH / LETTER);
    double y = HEAD + (double)BOX * (double)(tree->deepest - node->depth);
    escape(name, sizeof(name), node->name);
    *shown = '\0';
    if (letters >= 3)
        escape(shown, sizeof(shown),
               pp_format_name(cut, sizeof(cut), node->name, letters < 250 ? letters : 250));
    pp_print(out, "<g class=\"%s\" data-x=\"%.6f\" data-w=\"%.6f\">", kind[node->kind], x, share);
    pp_print(out, "<title>%s\n", name);
    pp_print(out, "%s a frame (%.2f %%)</title>", pp_format_duration(ns, node->ns / fmax(look->frames, 1)),
             100 * share);
    pp_print(out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%u\"/>", x * WIDTH, y, share * WIDTH,
             BOX - 1);
    pp_print(out, "<text x=\"%.2f\" y=\"%.0f\">%s</text></g>\n", x * WIDTH + 3, y + 12, shown);
}

/* Print the boxes of all nodes that are wide enough. */
static void
print_boxes(FILE *out, const struct pp_flame_tree *tree, const struct pp_flame_look *look)
{
    double *begin = calloc(tree->deepest + 2, sizeof(*begin)); /* where the next node of a depth begins */
    double all = tree->node[0].ns;
    if (!begin)
        return;
    for (size_t i = 0; i != PP_FLAME_NONE && all > 0; i = next_of(tree, i)) {
        const struct pp_flame_node *node = &tree->node[i];
        double x = begin[node->depth];
        begin[node->depth] += node->ns / all;
        begin[node->depth + 1] = x;
        if (node->ns >= LEAST * all)
            print_box(out, tree, i, x, look);
    }
    free(begin);
}

/* Print a text of several lines. */
static void
print_lines(FILE *out, const char *text)
{
    for (; *text; text += strcspn(text, "\n") + 1)
        pp_print(out, "%.*s\n", (int)strcspn(text, "\n"), text);
}

void
pp_flame_print_picture(FILE *out, const struct pp_flame_tree *tree, const struct pp_flame_look *look)
{
    char title[8 * NAME_BYTES], ns[PP_FORMATTED_MAX];
    unsigned height = HEAD + (unsigned)(tree->deepest + 1) * BOX + 10;
    escape(title, sizeof(title), look->title);
    if (look->html)
        pp_print(
            out,
            "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
            "<title>%s</title></head><body>\n"
            "<input id=\"search\" type=\"search\" placeholder=\"search\">\n",
            title);
    else
        pp_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    pp_print(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %u\" width=\"%.0f\" height=\"%u\">\n",
        WIDTH, height, WIDTH, height);
    pp_print(out, "<style>\n");
    print_lines(out, pp_flame_style);
    pp_print(out, "</style>\n");
    pp_print(out, "<text class=\"title\" x=\"3\" y=\"16\">%s</text>\n", title);
    pp_print(out, "<text x=\"3\" y=\"32\">%s of GPU time a frame, mean of %.0f %s</text>\n",
             pp_format_duration(ns, tree->node[0].ns / fmax(look->frames, 1)), look->frames,
             pp_format_noun(look->frames, "frame", "frames"));
    print_boxes(out, tree, look);
    pp_print(out, "<script><![CDATA[\n");
    print_lines(out, pp_flame_script);
    pp_print(out, look->html ? "]]></script></svg>\n</body></html>\n" : "]]></script></svg>\n");
}
