/** @file
 * The command line of the samples; see options.h. */
#include "samples/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/scene.h"

static const struct {
    int which;
    const char *name, *argument, *help;
} table[] = {
    {OPTIONS_GL | OPTIONS_VULKAN, "frames", "N", "frames to draw (60)"},
    {OPTIONS_GL | OPTIONS_VULKAN, "size", "WxH", "multiples of 64 (256x256)"},
    {OPTIONS_GL | OPTIONS_VULKAN, "image", "FILE.ppm", "write the last frame"},
    {OPTIONS_GL | OPTIONS_VULKAN, "labels", NULL, "name passes and objects"},
    {OPTIONS_GL | OPTIONS_VULKAN, "label-prefix", "TEXT", "with --labels: in front of passes' names"},
    {OPTIONS_GL | OPTIONS_VULKAN, "annotate", NULL, "name regions and give counters by passprobe/annotate.h"},
    {OPTIONS_GL | OPTIONS_VULKAN, "query", NULL, "measure by hand-written queries, print the counts"},
    {OPTIONS_VULKAN, "draws", NULL, "with --query: count each draw and dispatch by itself"},
    {OPTIONS_GL | OPTIONS_VULKAN, "times", NULL, "with --query: shortest time of each pass to stderr"},
    {OPTIONS_GL | OPTIONS_VULKAN, "expect", NULL, "print what each pass must count, draw nothing"},
    {OPTIONS_GL | OPTIONS_VULKAN, "post-draws", "N", "draws of the full-screen pass (1)"},
    {OPTIONS_GL, "stutter", "FRAME", "draw the last pass 100 times in this frame"},
    {OPTIONS_GL, "es", NULL, "OpenGL ES 3.1"},
    {OPTIONS_GL, "surfaceless", NULL, "no surface, frames end by glFinish"},
    {OPTIONS_VULKAN, "renderpass", "1|2|dynamic", "how render passes begin (1)"},
    {OPTIONS_VULKAN, "rerecord", NULL, "record command buffers for each frame"},
    {OPTIONS_VULKAN, "hazard", NULL, "leave out a barrier, for validation to see"},
    {OPTIONS_VULKAN, "secondary", NULL, "scene pass from a secondary command buffer"},
    {OPTIONS_GL | OPTIONS_VULKAN, "help", NULL, "this text"},
};
#define TABLE_LENGTH (sizeof(table) / sizeof(table[0]))

static void
print_help(int which, const char *program)
{
    printf("usage: %s [OPTIONS]\n", program);
    for (size_t i = 0; i < TABLE_LENGTH; i++) {
        char left[40];
        if (!(table[i].which & which))
            continue;
        snprintf(left, sizeof(left), "--%s %s", table[i].name, table[i].argument ? table[i].argument : "");
        printf("  %-24s%s\n", left, table[i].help);
    }
}

static bool
number(const char *text, char **end, unsigned low, unsigned high, unsigned *ret)
{
    unsigned long value;
    errno = 0;
    value = strtoul(text, end, 10);
    if (*end == text || text[0] == '-' || errno || value < low || value > high)
        return false;
    *ret = (unsigned)value;
    return true;
}

static bool
parse_size(const char *text, struct options *ret)
{
    unsigned width, height;
    char *end;
    if (!number(text, &end, SCENE_SIZE_MULTIPLE, 8192, &width) || *end != 'x' ||
        !number(end + 1, &end, SCENE_SIZE_MULTIPLE, 8192, &height) || *end != '\0' ||
        width % SCENE_SIZE_MULTIPLE || height % SCENE_SIZE_MULTIPLE)
        return false;
    ret->width = width;
    ret->height = height;
    return true;
}

static bool
parse_renderpass(const char *text, struct options *ret)
{
    static const char *const name[] = {
        [RENDERPASS_1] = "1", [RENDERPASS_2] = "2", [RENDERPASS_DYNAMIC] = "dynamic"};
    for (int i = RENDERPASS_1; i <= RENDERPASS_DYNAMIC; i++)
        if (strcmp(text, name[i]) == 0) {
            ret->renderpass = (enum options_renderpass)i;
            return true;
        }
    return false;
}

static bool
apply(const char *name, const char *argument, struct options *ret)
{
    const struct {
        const char *name;
        bool *flag;
    } flag[] = {
        {"labels", &ret->labels},
        {"annotate", &ret->annotate},
        {"query", &ret->query},
        {"draws", &ret->draws},
        {"times", &ret->times},
        {"expect", &ret->expect},
        {"es", &ret->es},
        {"surfaceless", &ret->surfaceless},
        {"rerecord", &ret->rerecord},
        {"secondary", &ret->secondary},
        {"hazard", &ret->hazard},
    };
    char *end;
    for (size_t i = 0; i < sizeof(flag) / sizeof(flag[0]); i++)
        if (strcmp(name, flag[i].name) == 0)
            return *flag[i].flag = true;
    if (strcmp(name, "frames") == 0)
        return number(argument, &end, 1, 100000000, &ret->frames) && *end == '\0';
    if (strcmp(name, "size") == 0)
        return parse_size(argument, ret);
    if (strcmp(name, "renderpass") == 0)
        return parse_renderpass(argument, ret);
    if (strcmp(name, "post-draws") == 0)
        return number(argument, &end, 1, 1000000, &ret->post_draws) && *end == '\0';
    if (strcmp(name, "stutter") == 0)
        return number(argument, &end, 1, 100000000, &ret->stutter) && *end == '\0';
    if (strcmp(name, "label-prefix") == 0)
        ret->prefix = argument;
    else
        ret->image = argument;
    return true;
}

int
options_parse(int which, int argc, char **argv, struct options *ret)
{
    struct option getopt_table[TABLE_LENGTH + 1] = {{0}};
    size_t known[TABLE_LENGTH], count = 0;
    int got, at = 0;
    *ret = (struct options){
        .prefix = "", .frames = 60, .width = 256, .height = 256, .post_draws = 1, .renderpass = RENDERPASS_1};
    for (size_t i = 0; i < TABLE_LENGTH; i++) {
        if (!(table[i].which & which))
            continue;
        getopt_table[count].name = table[i].name;
        getopt_table[count].has_arg = table[i].argument ? required_argument : no_argument;
        known[count++] = i;
    }
    while ((got = getopt_long(argc, argv, "", getopt_table, &at)) != -1) {
        if (got != 0)
            return 2;
        if (strcmp(table[known[at]].name, "help") == 0) {
            print_help(which, argv[0]);
            return 0;
        }
        if (!apply(table[known[at]].name, optarg, ret)) {
            fprintf(stderr, "%s: bad value for --%s: %s\n", argv[0], table[known[at]].name, optarg);
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "%s: unexpected argument: %s\n", argv[0], argv[optind]);
        return 2;
    }
    return -1;
}
