/** @file
 * `passprobe report`: what cost what, as text on stdout. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/passes.h"
#include "cli/recording.h"
#include "cli/say.h"
#include "cli/text.h"

static int
usage(void)
{
    puts("usage: passprobe report [SESSION]\n"
         "\n"
         "Rank the passes of a session directory [passprobe.data] by GPU time: share of\n"
         "all passes' time, mean, p50, p95, p99 (percentiles of type 7), count and name.\n"
         "\n"
         "Options:\n"
         "  -h, --help                  show this text");
    return 0;
}

static void
print_head(const struct pp_recording *rec, const char *dir)
{
    char name[600];
    printf("# Session: %s\n", pp_text_name(name, sizeof(name), dir, 140));
    for (size_t i = 0; i < rec->surfaces; i++) {
        const struct pp_rec_surface *s = &rec->surface[i];
        printf("# %llu frames: %s on ", (unsigned long long)s->frames,
               pp_text_name(name, sizeof(name), s->api, 10));
        printf("%s", pp_text_name(name, sizeof(name), s->device, 60));
        printf("%s%s\n", *s->surface ? ", " : "", pp_text_name(name, sizeof(name), s->surface, 40));
    }
    struct pp_bracket_bias bias = pp_passes_bias(rec);
    if (bias.median_ns >= 0)
        printf("# Times are less %.0f ns, what an empty bracket measures (spread %.0f ns).\n", bias.median_ns,
               bias.spread_ns);
    puts("# Percentiles: type 7 (as Excel, NumPy, PresentMon). Share: of the GPU time of all passes.\n"
         "# The first frame's passes are counted; their times are left out.\n#");
}

/* What the session lacks because it ended early. */
static void
print_end(const struct pp_recording *rec)
{
    const char *ended = json_string_value(pp_recording_json(rec, "ended"));
    double dropped = json_number_value(pp_recording_json(rec, "dropped.frames"));
    char text[1024];
    if (ended && strcmp(ended, "running") == 0) {
        puts("# The program was killed, or still runs: up to the last second may be missing.\n#");
    } else if (ended && strcmp(ended, "exit") != 0) {
        printf("# Stopped early: %s\n#\n", pp_text_name(text, sizeof(text), ended, 200));
    }
    if (dropped > 0)
        printf("# %.0f frames were dropped.\n#\n", dropped);
}

static int
report(const char *dir)
{
    struct pp_recording rec;
    int rc = pp_recording_read(dir, &rec);
    if (rc == -ENOENT)
        return pp_fail("%s is no session directory; `passprobe record -- CMD` writes one", dir);
    if (rc)
        return pp_fail("cannot read %s: %s", dir, strerror(-rc));
    if (!rec.json)
        pp_say("%s/session.json: %s", dir, rec.json_error);
    if (rec.frames_error)
        pp_say("%s/frames.csv: %s", dir,
               rec.frames_error == -EINVAL ? "not a frames.csv" : strerror(-rec.frames_error));
    if (rec.passes_error && rec.passes_error != -ENOENT)
        pp_say("%s/passes.csv: %s", dir,
               rec.passes_error == -EINVAL ? "not a passes.csv" : strerror(-rec.passes_error));
    if (rec.bad_rows)
        pp_say("%s: %llu rows without a frame number were left out", dir, (unsigned long long)rec.bad_rows);
    if (rec.frames_error && !rec.passes) {
        pp_recording_finish(&rec);
        return pp_fail("%s: nothing to report", dir);
    }
    print_head(&rec, dir);
    print_end(&rec);
    if (rec.passes)
        pp_passes_print_long(stdout, &rec);
    else if (pp_recording_frames(&rec) == 0)
        puts("# No frames.");
    else
        puts("# No passes: recorded at level frame, or the program drew nothing.");
    pp_recording_finish(&rec);
    return fflush(stdout) ? pp_fail("cannot write the report: %s", strerror(errno)) : 0;
}

int
pp_cmd_report(int argc, char **argv)
{
    static const struct option longs[] = {{.name = "help", .val = 'h'}, {.name = NULL}};
    opterr = 0;
    optind = 0;
    for (int answer = 0; (answer = getopt_long(argc, argv, "h", longs, NULL)) != -1;) {
        if (answer == 'h')
            return usage();
        return pp_fail("unknown option '%s'; see `passprobe report --help`", argv[optind - 1]);
    }
    if (argc - optind > 1)
        return pp_fail("one session at a time: passprobe report [SESSION]");
    return report(optind < argc ? argv[optind] : "passprobe.data");
}
