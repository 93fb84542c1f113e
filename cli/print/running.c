/** @file
 * See running.h. */
#include "cli/print/running.h"

#include <math.h>
#include <string.h>

#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "cli/text/print.h"

static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = pp_json_get_text(object, name);
    return text ? text : "-";
}

/* A time of the figures in milliseconds. */
static const char *
format_ms(char text[PP_FORMATTED_MAX], const json_t *figures, const char *time, const char *which)
{
    return pp_format_fixed(text, pp_json_get_number(json_object_get(figures, time), which) / 1e6, 1);
}

/* What bounds most of the frames: "gpu 71 %"; "" if no verdict is known. */
static const char *
format_bound(char text[PP_FORMATTED_MAX], const json_t *figures)
{
    static const char *const verdict[] = {"gpu", "cpu", "present", "sync", "sleep"};
    double frames = pp_json_get_number(figures, "frames"), most = 0;
    const char *best = NULL;
    for (size_t i = 0; i < sizeof(verdict) / sizeof(*verdict); i++) {
        double count = pp_json_get_number(json_object_get(figures, "bound_by"), verdict[i]);
        if (count > most) {
            most = count;
            best = verdict[i];
        }
    }
    text[0] = '\0';
    if (best && frames > 0)
        (void)snprintf(text, PP_FORMATTED_MAX, "%s %.0f %%", best, 100 * most / frames);
    return text;
}

/* Print figures. @param of What is in front of them. */
static void
print_figures(FILE *out, const char *of, const json_t *figures)
{
    char fps[PP_FORMATTED_MAX], p50[PP_FORMATTED_MAX], p99[PP_FORMATTED_MAX], max[PP_FORMATTED_MAX];
    char gpu[PP_FORMATTED_MAX], bound[PP_FORMATTED_MAX];
    if (!json_is_object(figures)) {
        pp_print(out, "  %-5s no frame\n", of);
        return;
    }
    pp_print(out, "  %-5s %6s FPS  ms: p50 %5s p99 %5s max %6s GPU %5s  %s\n", of,
             pp_format_fixed(fps, pp_json_get_number(figures, "fps"), 1),
             format_ms(p50, figures, "frame_time_ns", "p50"), format_ms(p99, figures, "frame_time_ns", "p99"),
             format_ms(max, figures, "frame_time_ns", "max"), format_ms(gpu, figures, "gpu_busy_ns", "mean"),
             format_bound(bound, figures));
}

void
pp_application_state_print(FILE *out, const json_t *status)
{
    pp_print(out, "%s (pid %.0f): %s, level %s\n", text_of(status, "application"),
             pp_json_get_number(status, "pid"), text_of(status, "state"), text_of(status, "level"));
}

void
pp_application_mark_print(FILE *out, const json_t *status)
{
    if (strcmp(text_of(status, "state"), "recording") == 0)
        pp_print(out, "  mark set in frame %.0f\n",
                 fmax(pp_json_get_number(status, "next_frame") - 1, 0)); /* the frame that runs */
    else
        pp_print(out, "  mark set; no frame is recorded now\n");
}

void
pp_application_status_print(FILE *out, const json_t *status)
{
    char frames[PP_FORMATTED_MAX], dropped[PP_FORMATTED_MAX], marks[PP_FORMATTED_MAX];
    char bytes[PP_FORMATTED_MAX];
    pp_application_state_print(out, status);
    print_figures(out, "1 s", json_object_get(status, "interval"));
    print_figures(out, "10 s", json_object_get(status, "ten_seconds"));
    pp_print(out, "  %s %s, %s dropped, %s %s, %s in %s\n",
             pp_format_count(frames, pp_json_get_number(status, "frames"), 0),
             pp_format_noun(pp_json_get_number(status, "frames"), "frame", "frames"),
             pp_format_count(dropped, pp_json_get_number(status, "dropped_frames"), 0),
             pp_format_count(marks, pp_json_get_number(status, "marks"), 0),
             pp_format_noun(pp_json_get_number(status, "marks"), "mark", "marks"),
             pp_format_bytes(bytes, pp_json_get_number(status, "session_bytes")), text_of(status, "session"));
}

void
pp_application_interval_print(FILE *out, const json_t *status)
{
    char at[PP_FORMATTED_MAX];
    double ns = pp_json_get_number(status, "now_ns") - pp_json_get_number(status, "start_ns");
    (void)snprintf(at, sizeof(at), "%.1f s", ns / 1e9);
    const char *state = text_of(status, "state");
    print_figures(out, strcmp(state, "recording") == 0 ? at : state, json_object_get(status, "interval"));
}

#define LINE_COLUMNS   79U
#define FIGURE_COLUMNS 51U /* before the passes */
#define SHARE_COLUMNS  8U  /* around a pass's name: "   " and " 61 %" */
#define NAME_COLUMNS   20U

void
pp_live_interval_print(FILE *out, double at_s, const struct pp_live_interval_figures *figures)
{
    char p99[PP_FORMATTED_MAX];
    char gpu[PP_FORMATTED_MAX];
    if (!figures->frames) {
        pp_print(out, "%7.1f s   no frames\n", at_s);
        return;
    }
    pp_print(out, "%7.1f s %6.1f FPS   p99 %s   GPU %s   slow %zu", at_s, figures->fps,
             pp_format_fixed(p99, figures->p99_ns / 1e6, 1), pp_format_fixed(gpu, figures->gpu_ns / 1e6, 1),
             figures->slow);
    size_t left = LINE_COLUMNS - FIGURE_COLUMNS;
    for (size_t i = 0; i < figures->passes; i++) {
        char name[PP_LIVE_NAME];
        char cut[4 * NAME_COLUMNS + 4];
        pp_format_unescaped(name, sizeof(name), pp_format_last_name(figures->pass[i].name));
        size_t wide = SHARE_COLUMNS + pp_format_width(pp_format_middle(cut, sizeof(cut), name, NAME_COLUMNS));
        if (wide > left)
            break;
        pp_print(out, "%s%s %.0f %%", i ? "  " : "   ", cut, figures->pass[i].percent);
        left -= wide;
    }
    pp_print_char(out, '\n');
}
