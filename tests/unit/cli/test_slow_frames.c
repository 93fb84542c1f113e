/** @file
 * Slow frames and their causes, in sessions that are written here: one long frame among 1,000 ordinary noisy
 * ones, and what the frame's other cells say. */
#include "tests/lib/cmocka_test.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/analysis/slow_frames.h"
#include "cli/print/slow_frames.h"
#include "counters/util/array_size.h"

#define FRAMES  1000U
#define PLANTED 500U

/* Times of a frame in nanoseconds. */
struct frame {
    double time, cpu_busy, cpu_wait, sync, acquire, shadows, scene, task_clock, run_delay;
    double draws, pipelines, pipeline_time, faults, major_faults, objects;
    double stream;  /* 0: the frame lacks this pass */
    double gap;     /* between passes */
    double streams; /* rows that the pass has, of which each takes the time; 0: one */
    double fragments;
};

/* A session as files, and what was found in it. */
struct fixture {
    char dir[64];
    struct frame frame[FRAMES];
    struct pp_saved_session rec;
    struct pp_slow_frames slow;
    bool level_frame; /* without passes */
    bool level_draw;  /* else level pass */
    bool one_draw;    /* the first pass has one */
    bool no_cpu;      /* without -e cpu */
    bool software;    /* the device is one that renders on the CPU */
    bool to_window;   /* the second pass draws to the window */
    bool copies;      /* the shadows are a transfer */
    bool counted;     /* all work is counted */
    double gpu_late;  /* the GPU begins so much later than the frame */
};

static const char *
level_of(const struct fixture *f)
{
    return f->level_frame ? "frame" : f->level_draw ? "draw" : "pass";
}

/* SplitMix64. */
static double
uniform(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double
normal(uint64_t *seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(2 * 3.14159265358979 * uniform(seed));
}

/* Frames of 16 ms of which each part is noise with this standard deviation of its logarithm. */
static void
fill(struct fixture *f, double sigma, uint64_t seed)
{
    for (size_t i = 0; i < FRAMES; i++) {
        struct frame *frame = &f->frame[i];
        double whole = exp(sigma * normal(&seed));
        *frame = (struct frame){
            .cpu_busy = 5e6 * exp(sigma * normal(&seed)) * whole,
            .cpu_wait = 11e6 * exp(sigma * normal(&seed)) * whole,
            .shadows = 3e6 * exp(sigma * normal(&seed)) * whole,
            .scene = 6e6 * exp(sigma * normal(&seed)) * whole,
            .draws = floor(200 + 20 * normal(&seed)),
            .faults = floor(10 * uniform(&seed)),
            .run_delay = 2e4 * uniform(&seed),
            .objects = 4,
            .fragments = 100000,
        };
        frame->task_clock = 0.9 * frame->cpu_busy;
    }
}

static void
write_frames(const struct fixture *f, FILE *out)
{
    double start = 1e9;
    fprintf(out,
            "frame,api,device,surface,level,cpu_start_ns,frame_time_ns,cpu_busy_ns,cpu_wait_ns,gpu_start_ns,"
            "gpu_time_ns,gpu_busy_ns,bound_by,passes,draws,pipelines_created,pipeline_create_ns,cpu_sync_ns,"
            "cpu_acquire_ns,%s%sapp:objects\r\n",
            f->counted ? "dispatches,copies,pipeline:fragment_shader_invocations," : "",
            f->no_cpu ? "" : "cpu:task-clock_ns,cpu:run-delay_ns,cpu:page-faults,cpu:major-faults,");
    for (size_t i = 0; i < FRAMES; i++) {
        const struct frame *x = &f->frame[i];
        double time = x->time > 0 ? x->time : x->cpu_busy + x->cpu_wait;
        double gpu = x->shadows + x->scene + x->stream * fmax(1, x->streams);
        fprintf(out,
                "%zu,gl,%s,window 1,%s,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,gpu,2,%.0f,%.0f,%.0f,%.0f,%.0f,", i,
                f->software ? "llvmpipe" : "card", level_of(f), start, time, x->cpu_busy, x->cpu_wait,
                start + f->gpu_late, gpu + x->gap, gpu, x->draws, x->pipelines, x->pipeline_time, x->sync,
                x->acquire);
        if (f->counted)
            fprintf(out, "2,0,%.0f,", x->fragments);
        if (!f->no_cpu) {
            char delay[32] = "";
            if (!isnan(x->run_delay))
                snprintf(delay, sizeof(delay), "%.0f", x->run_delay);
            fprintf(out, "%.0f,%s,%.0f,%.0f,", x->task_clock, delay, x->faults, x->major_faults);
        }
        fprintf(out, "%.0f\r\n", x->objects);
        start += time;
    }
}

static void
write_passes(const struct fixture *f, FILE *out)
{
    double start = 1e9;
    fprintf(out,
            "frame,pass,pass_id,level,kind,name,label,gpu_start_ns,gpu_time_ns,draws,dispatches,copies\r\n");
    for (size_t i = 0; i < FRAMES; i++) {
        const struct frame *x = &f->frame[i];
        double begin = start + f->gpu_late;
        fprintf(out, "%zu,0,1111111111111111,%s,%s,shadows,,%.0f,%.0f,%d,0,0\r\n", i, level_of(f),
                f->copies ? "transfer" : "render", begin, x->shadows, f->one_draw ? 1 : 2);
        fprintf(out, "%zu,1,2222222222222222,%s,render,%s,,%.0f,%.0f,2,0,0\r\n", i, level_of(f),
                f->to_window ? "window" : "scene", begin + x->shadows, x->scene);
        for (size_t k = 0; x->stream > 0 && (k == 0 || (double)k < x->streams); k++)
            fprintf(out, "%zu,%zu,3333333333333%03zu,%s,render,stream,,%.0f,%.0f,2,0,0\r\n", i, 2 + k, k,
                    level_of(f), begin + x->shadows + x->scene + (double)k * x->stream, x->stream);
        start += x->time > 0 ? x->time : x->cpu_busy + x->cpu_wait;
    }
}

static void
write_file(const struct fixture *f, const char *name, void (*rows)(const struct fixture *f, FILE *out))
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", f->dir, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    if (rows)
        rows(f, out);
    else
        fputs("{\"marks\":[]}", out);
    assert_int_equal(fclose(out), 0);
}

/* Write the session, read it, and look for slow frames. */
static void
analyse(struct fixture *f, size_t worst)
{
    snprintf(f->dir, sizeof(f->dir), "/tmp/pp-slow-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    write_file(f, "frames.csv", write_frames);
    write_file(f, "session.json", NULL);
    if (!f->level_frame)
        write_file(f, "passes.csv", write_passes);
    int fd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(pp_saved_read_at(fd, PP_SAVED_HEADLINES, &f->rec), 0);
    assert_int_equal(pp_slow_frames_find(&f->rec, 0, worst, &f->slow), 0);
}

static void
finish(struct fixture *f)
{
    static const char *const names[] = {"frames.csv", "passes.csv", "session.json"};
    char path[128];
    pp_slow_frames_finish(&f->slow);
    close(f->rec.dir_fd);
    pp_saved_finish(&f->rec);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        snprintf(path, sizeof(path), "%s/%s", f->dir, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(f->dir), 0);
}

static int
setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    fill(f, 0.1, 1);
    *state = f;
    return f ? 0 : -1;
}

static int
teardown(void **state)
{
    free(*state);
    return 0;
}

/* The one slow frame, with this many causes. */
static const struct pp_slow_frame *
planted(struct fixture *f, size_t causes)
{
    analyse(f, 0);
    assert_int_equal(f->slow.found, 1);
    assert_int_equal(f->slow.len, 1);
    assert_int_equal((int)f->slow.frame[0].frame, PLANTED);
    assert_int_equal(f->slow.frame[0].causes, causes);
    return &f->slow.frame[0];
}

static void
ordinary_noise_has_no_slow_frame(void **state)
{
    static const double sigma[] = {0, 0.02, 0.1, 0.2, 0.3};
    struct fixture *f = *state;
    for (size_t s = 0; s < sizeof(sigma) / sizeof(*sigma); s++) {
        for (uint64_t seed = 1; seed <= 4; seed++) {
            fill(f, sigma[s], seed);
            analyse(f, 0);
            assert_int_equal(f->slow.found, 0);
            finish(f);
        }
    }
}

static void
times_that_alternate_are_not_slow(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < FRAMES; i += 3)
        f->frame[i].cpu_wait += 17e6; /* every third frame misses a refresh */
    analyse(f, 0);
    assert_int_equal(f->slow.found, 0);
    finish(f);
}

static void
one_pass_is_found(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].shadows += 100e6;
    f->frame[PLANTED].cpu_wait += 100e6;
    f->frame[PLANTED].objects = 40;
    const struct pp_slow_frame *frame = planted(f, 2);
    char text[400];
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
    assert_string_equal(frame->cause[0].pass->name, "shadows");
    assert_true(fabs(frame->cause[0].value - f->frame[PLANTED].shadows) < 1);
    assert_true(fabs(frame->cause[0].usual - 3e6) < 1e6);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_APP);
    assert_string_equal(pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[1]),
                        "app:objects 40, usually 4");
    finish(f);
}

/* A longer pass says that no more work was counted, if all work was counted and none is above the usual. */
static void
a_longer_pass_without_more_work_says_so(void **state)
{
    static const struct {
        bool counted, software;
        double fragments, draws;
        const char *end;
    } cases[] = {
        {true, false, 105000, 210, ", with about as many draws and fragments as usual"},
        {true, true, 105000, 210,
         ", with about as many draws and fragments as usual (shaders ran longer, or the driver's threads "
         "lacked processors)"},
        {true, true, 115000, 210, ""},
        {true, true, 105000, 260, ""},
        {false, true, 105000, 210, ""},
    };
    struct fixture *f = *state;
    f->frame[PLANTED].shadows += 100e6;
    f->frame[PLANTED].cpu_wait += 100e6;
    for (size_t i = 0; i < PP_ARRAY_SIZE(cases); i++) {
        char text[400];
        f->counted = cases[i].counted;
        f->software = cases[i].software;
        f->frame[PLANTED].fragments = cases[i].fragments;
        f->frame[PLANTED].draws = cases[i].draws;
        const struct pp_slow_frame *frame = planted(f, 1);
        assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
        assert_int_equal(frame->cause[0].same_work, *cases[i].end != 0);
        pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
        const char *said = strstr(text, ", with about");
        assert_string_equal(said ? said : "", cases[i].end);
        finish(f);
    }
}

/* The thread of a driver that works on other threads ran for the whole excess: a common pass is longer only
 * because of that. */
static void
work_makes_a_pass_of_a_software_driver_longer(void **state)
{
    struct fixture *f = *state;
    f->software = true;
    for (size_t i = 0; i < FRAMES; i++)
        f->frame[i].task_clock = 1e6;
    f->frame[PLANTED].shadows += 100e6;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 95e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_WORK);
    finish(f);
    f->frame[PLANTED].task_clock = 45e6; /* both */
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_SLEEP);
    finish(f);
    f->frame[PLANTED].task_clock = 1e6; /* it slept, perhaps in a wait for that pass */
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
    f->frame[PLANTED].task_clock = 96e6; /* it asked for the fence of that pass again and again */
    f->frame[PLANTED].sync += 100e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
}

/* What the thread lacked of the processor is no reason against a pass that only this frame has: the driver's
 * threads took it for the pass. */
static void
a_rare_pass_is_found_where_the_thread_had_no_processor(void **state)
{
    struct fixture *f = *state;
    f->software = true;
    for (size_t i = 0; i < FRAMES; i++)
        f->frame[i].task_clock = 1e6;
    f->frame[PLANTED].stream = 90e6;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 20e6;
    f->frame[PLANTED].run_delay += 75e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
    assert_string_equal(frame->cause[0].pass->name, "stream");
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_DELAY);
    finish(f);
}

/* On a software driver frames have their idle time before present or in it. A frame that worked, and waited
 * in present as the others with such a wait, did not wait longer. */
static void
own_time_with_two_peaks_is_found(void **state)
{
    struct fixture *f = *state;
    f->software = true;
    for (size_t i = 0; i < FRAMES; i++) {
        bool waits = i % 3 == 0;
        f->frame[i].task_clock = 0.3e6;
        f->frame[i].cpu_busy = (waits ? 0.5e6 : 11e6) * (1 + 0.001 * (double)(i % 7));
        f->frame[i].cpu_wait = (waits ? 11.5e6 : 1e6) * (1 + 0.001 * (double)(i % 5));
    }
    f->frame[PLANTED].cpu_busy = 21e6;
    f->frame[PLANTED].cpu_wait = 11.5e6;
    f->frame[PLANTED].task_clock = 20e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    finish(f);
    /* the others lack a processor, this one does not: that is no sleep */
    for (size_t i = 0; i < FRAMES; i++)
        f->frame[i].run_delay = 7e6;
    f->frame[PLANTED].run_delay = 0;
    frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_true(frame->cause[0].slept_ns < 2e6);
    finish(f);
}

/* Without the delay it is not known whether the thread ran in the creation of pipelines or outside of it. */
static void
how_long_a_thread_ran_may_be_unknown(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < FRAMES; i++)
        f->frame[i].run_delay = (double)NAN;
    f->frame[PLANTED].pipelines = 8;
    f->frame[PLANTED].pipeline_time = 40e6;
    f->frame[PLANTED].cpu_busy += 90e6;
    f->frame[PLANTED].task_clock += 42e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_OWN);
    assert_true(isnan(frame->cause[0].ran_ns));
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_PIPELINES);
    finish(f);
    /* it slept most of the time, wherever it ran */
    char text[400];
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock = 35e6;
    frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_true(fabs(frame->cause[0].ran_most_ns - 35e6) < 1);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, " to 35 (usually "));
    assert_non_null(strstr(text, "), else slept or had no processor"));
    finish(f);
}

/* A pass that only some frames have is the cause in each of them. */
static void
a_rare_pass_is_found(void **state)
{
    struct fixture *f = *state;
    char text[400];
    for (size_t i = 49; i < FRAMES; i += 50) {
        f->frame[i].stream = 100e6;
        f->frame[i].cpu_wait += 100e6;
    }
    analyse(f, 0);
    assert_int_equal(f->slow.found, 20);
    for (size_t i = 0; i < f->slow.len; i++) {
        const struct pp_slow_frame *frame = &f->slow.frame[i];
        assert_int_equal((int)frame->frame % 50, 49);
        assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
        assert_string_equal(frame->cause[0].pass->name, "stream");
        assert_int_equal(frame->every, 50);
        assert_string_equal(pp_slow_frame_text(text, sizeof(text), &f->rec, frame, 0),
                            "gpu: stream 100 ms, in 20 of 999 frames");
        assert_string_equal(pp_slow_frame_text(text, sizeof(text), &f->rec, frame, frame->causes),
                            "every 50th frame");
    }
    finish(f);
}

/* A pass that each fourth frame has is common: it is no cause, though this frame has it, too. */
static void
a_common_pass_is_not_blamed(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < FRAMES; i += 3)
        f->frame[i].stream = 10e6;
    f->frame[PLANTED + 1].cpu_busy += 100e6; /* of task_clock none */
    f->frame[PLANTED + 1].stream = 10e6;
    analyse(f, 0);
    assert_int_equal(f->slow.found, 1);
    assert_int_equal(f->slow.frame[0].causes, 1);
    assert_int_equal(f->slow.frame[0].cause[0].kind, PP_CAUSE_SLEEP);
    finish(f);
}

static void
work_of_the_frame_before_is_found(void **state)
{
    struct fixture *f = *state;
    f->gpu_late = 15e6; /* the GPU is nearly a frame late */
    f->frame[PLANTED - 1].scene += 100e6;
    f->frame[PLANTED].cpu_wait += 100e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
    assert_string_equal(frame->cause[0].pass->name, "scene");
    assert_int_equal((int)frame->cause[0].frame, PLANTED - 1);
    finish(f);
}

static void
all_passes_together_are_found(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].shadows += 40e6;
    f->frame[PLANTED].scene += 45e6;
    f->frame[PLANTED].cpu_wait += 100e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_GPU);
    assert_string_equal(frame->cause[0].pass->name, "scene");
    finish(f);
}

/* One pass explains more than half of the excess, and less than half of what the GPU took longer: usual
 * frames have time to spare. */
static void
all_passes_together_are_found_with_a_limiter(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].shadows = 11e6;
    f->frame[PLANTED].scene = 17e6;
    f->frame[PLANTED].stream = 8e6;
    f->frame[PLANTED].cpu_busy = 5e6;
    f->frame[PLANTED].cpu_wait = 31e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_GPU);
    assert_string_equal(frame->cause[0].pass->name, "scene");
    finish(f);
}

/* Scenes of 16 and 40 ms take turns. */
static void
a_long_frame_is_found_among_two_peaks(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < FRAMES; i++)
        f->frame[i].cpu_wait += i / 40 % 2 ? 24e6 : 0;
    f->frame[PLANTED].shadows += 90e6;
    f->frame[PLANTED].cpu_wait += 90e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
}

/* Where the thread waits for an image, it has no processor for a while when it could go on. */
static void
what_ran_is_not_taken_for_a_wait(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy = 130e6;
    f->frame[PLANTED].acquire = 30e6;
    f->frame[PLANTED].task_clock = 40e6;
    f->frame[PLANTED].run_delay = 90e6;
    f->frame[PLANTED].cpu_wait = 11e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_DELAY);
    assert_true(fabs(frame->cause[0].ran_ns - 40e6) < 1e6);
    assert_true(fabs(frame->cause[0].delay_ns - 60e6) < 1e6);
    assert_true(frame->cause[0].slept_ns < 1e6);
    finish(f);
}

/* In OpenGL the application may sleep, or compute, between the draws of a pass. Not if it gave the pass more
 * fragments. */
static void
a_sleep_between_the_draws_of_a_pass_is_found(void **state)
{
    struct fixture *f = *state;
    f->software = f->counted = true;
    for (size_t i = 0; i < FRAMES; i++)
        f->frame[i].draws = 200;
    f->frame[PLANTED].scene += 90e6;
    f->frame[PLANTED].cpu_busy += 90e6;
    char text[400];
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_true(frame->cause[0].maybe_gpu);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, ", perhaps in a wait for the GPU: scene 9"));
    finish(f);
    f->frame[PLANTED].scene -= 90e6;
    f->frame[PLANTED].shadows += 90e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_SLEEP);
    finish(f);
    f->one_draw = true; /* nothing is between the draws of such a pass */
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
    f->one_draw = false;
    f->frame[PLANTED].scene += 90e6;
    f->frame[PLANTED].shadows -= 90e6;
    f->frame[PLANTED].run_delay += 50e6; /* most of the time; it slept in the rest */
    frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_DELAY);
    assert_true(frame->cause[0].maybe_gpu);
    finish(f);
    f->frame[PLANTED].run_delay -= 50e6;
    f->frame[PLANTED].task_clock += 50e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_WORK);
    finish(f);
    f->frame[PLANTED].task_clock -= 50e6;
    f->frame[PLANTED].fragments *= 20;
    assert_int_equal(planted(f, 2)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
}

/* At level draw passprobe reads the results of each draw in a frame after it. */
static void
what_passprobe_reads_is_named(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->level_draw = true;
    f->frame[PLANTED].cpu_busy += 30e6;
    f->frame[PLANTED].task_clock += 30e6;
    assert_true(planted(f, 1)->cause[0].read_draws <= 0);
    finish(f);
    f->frame[PLANTED - 2].draws += 24000;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_true(frame->cause[0].read_draws >= 24000);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, ", perhaps in passprobe, which reads the results of the 24,"));
    finish(f);
    f->frame[PLANTED].cpu_busy += 60e6; /* mostly a sleep */
    f->frame[PLANTED].task_clock -= 25e6;
    assert_true(planted(f, 1)->cause[0].read_draws <= 0);
    finish(f);
    f->frame[PLANTED].cpu_busy -= 60e6;
    f->frame[PLANTED].task_clock += 25e6;
    f->level_draw = false; /* it reads a few results of each pass */
    assert_true(planted(f, 1)->cause[0].read_draws <= 0);
    finish(f);
}

/* In OpenGL the application may create programs between the draws of a pass. */
static void
programs_created_inside_a_pass_are_found(void **state)
{
    struct fixture *f = *state;
    f->software = f->counted = true;
    f->frame[PLANTED].scene += 90e6;
    f->frame[PLANTED].cpu_busy += 90e6;
    f->frame[PLANTED].task_clock += 85e6;
    f->frame[PLANTED].pipelines = 8;
    f->frame[PLANTED].pipeline_time = 80e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PIPELINES);
    finish(f);
}

/* Many passes of one name took most of the time, though one of another name is the longest. */
static void
passes_of_one_name_are_named_together(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->frame[PLANTED].shadows += 10e6;
    f->frame[PLANTED].stream = 1e6;
    f->frame[PLANTED].streams = 90;
    f->frame[PLANTED].cpu_wait += 100e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_GPU);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, ", most of it in stream (90 passes)"));
    finish(f);
    f->frame[PLANTED].shadows += 35e6;
    f->frame[PLANTED].scene += 35e6;
    f->frame[PLANTED].streams = 20;
    frame = planted(f, 1); /* none has half of it */
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_null(strstr(text, "most of it"));
    finish(f);
}

/* The thread draws itself, and has no processor in the middle of a pass. */
static void
a_pass_of_a_software_driver_without_a_processor_is_not_blamed(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].shadows += 90e6;
    f->frame[PLANTED].cpu_busy += 90e6;
    f->frame[PLANTED].run_delay += 80e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
    f->software = true;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_DELAY);
    finish(f);
}

static void
work_of_the_gpu_is_found_without_passes(void **state)
{
    struct fixture *f = *state;
    f->level_frame = true;
    f->frame[PLANTED].shadows += 100e6;
    f->frame[PLANTED].cpu_wait += 100e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_GPU);
    assert_null(frame->cause[0].pass);
    finish(f);
}

/* A cause of the CPU: what the planted frame gets, and what is found. */
static void
cpu_cause(struct fixture *f, const struct frame *more, enum pp_cause_kind kind)
{
    struct frame *frame = &f->frame[PLANTED];
    frame->cpu_busy += more->cpu_busy;
    frame->cpu_wait += more->cpu_wait;
    frame->sync += more->sync;
    frame->acquire += more->acquire;
    frame->task_clock += more->task_clock;
    frame->run_delay += more->run_delay;
    frame->faults += more->faults;
    frame->pipelines += more->pipelines;
    frame->pipeline_time += more->pipeline_time;
    const struct pp_slow_frame *slow = planted(f, 1);
    assert_int_equal(slow->cause[0].kind, kind);
    finish(f);
}

/* At level frame the GPU's time contains a sleep or work of the application between two passes. */
static void
own_time_between_passes_is_found_at_level_frame(void **state)
{
    struct fixture *f = *state;
    f->level_frame = true;
    f->frame[PLANTED].shadows += 250e6;
    f->frame[PLANTED].cpu_busy += 250e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_SLEEP);
    finish(f);
    f->frame[PLANTED].task_clock += 250e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_WORK);
    finish(f);
    f->frame[PLANTED].draws *= 3; /* the thread ran, and the GPU may have worked longer at the same time */
    const struct pp_slow_frame *frame = planted(f, 3);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_GPU);
    assert_true(frame->cause[1].meanwhile);
    finish(f);
}

/* At level frame, with many more fragments a wait in the driver is more likely than a sleep; with more draws
 * only, which take the time of the thread, a sleep is. Both say that it may be the other. */
static void
at_level_frame_more_work_is_no_proof(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->level_frame = f->software = f->counted = true;
    f->frame[PLANTED].shadows += 90e6;
    f->frame[PLANTED].cpu_busy += 90e6;
    f->frame[PLANTED].draws *= 3;
    const struct pp_slow_frame *frame = planted(f, 3);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_true(frame->cause[0].maybe_gpu);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_GPU);
    finish(f);
    f->frame[PLANTED].fragments *= 9;
    frame = planted(f, 3);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_GPU);
    assert_true(frame->cause[0].maybe_own);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, "unless the application slept meanwhile (level pass shows that)"));
    finish(f);
}

/* A pass of many more draws took 95 ms. The thread slept in 80 of them: between the draws, or in a wait for
 * the driver's threads. Where these have more fragments, it is a wait. */
static void
a_pass_with_more_draws_may_contain_a_sleep(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->software = f->counted = true;
    f->frame[PLANTED].shadows += 95e6;
    f->frame[PLANTED].cpu_busy += 97e6;
    f->frame[PLANTED].task_clock += 15e6;
    f->frame[PLANTED].draws *= 5;
    const struct pp_slow_frame *frame = planted(f, 3);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, ", perhaps in a wait for the GPU"));
    assert_null(strstr(text, "level pass"));
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_PASS);
    assert_int_equal(frame->cause[2].kind, PP_CAUSE_DRAWS);
    finish(f);
    f->frame[PLANTED].fragments *= 9;
    assert_int_equal(planted(f, 3)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
}

/* The thread ran in most of a pass with many more draws: to compute, or to issue them. */
static void
a_thread_that_runs_in_a_pass_with_more_draws_is_named_first(void **state)
{
    struct fixture *f = *state;
    f->software = f->counted = true;
    f->frame[PLANTED].shadows += 95e6;
    f->frame[PLANTED].cpu_busy += 97e6;
    f->frame[PLANTED].task_clock += 90e6;
    f->frame[PLANTED].draws *= 5;
    const struct pp_slow_frame *frame = planted(f, 3);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_PASS);
    finish(f);
}

/* In present, the thread was ready and had no processor; or it ran. */
static void
a_thread_that_does_not_wait_in_present_is_found(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->software = true;
    f->frame[PLANTED].cpu_wait += 100e6;
    f->frame[PLANTED].run_delay += 90e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_DELAY);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, " ms for a processor"));
    assert_true(fabs(frame->cause[0].value - 90e6) < 1e6);
    finish(f);
    f->frame[PLANTED].run_delay -= 90e6;
    f->frame[PLANTED].task_clock += 60e6;
    frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PRESENT);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, "; the thread ran 60"));
    assert_non_null(strstr(text, " longer there"));
    finish(f);
}

/* Many glReadPixels(): between their waits the GPU is idle, so that its time is no work. */
static void
many_waits_in_a_frame_are_no_work(void **state)
{
    struct fixture *f = *state;
    f->software = true;
    f->frame[PLANTED].gap = 95e6;
    f->frame[PLANTED].sync += 100e6;
    f->frame[PLANTED].cpu_busy += 100e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_SYNC);
    finish(f);
}

/* The application sleeps between two copies of a transfer, which a software driver makes in the call. */
static void
a_sleep_between_copies_is_found(void **state)
{
    struct fixture *f = *state;
    f->software = f->counted = f->copies = true;
    f->frame[PLANTED].shadows += 90e6;
    f->frame[PLANTED].cpu_busy += 90e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_SLEEP);
    finish(f);
}

/* The thread waited for a processor in present, longer than a pass took. */
static void
a_wait_for_a_processor_is_before_a_shorter_pass(void **state)
{
    struct fixture *f = *state;
    f->software = true;
    f->frame[PLANTED].shadows += 55e6;
    f->frame[PLANTED].cpu_wait += 100e6;
    f->frame[PLANTED].run_delay += 98e6;
    assert_int_equal(planted(f, 2)->cause[0].kind, PP_CAUSE_DELAY);
    finish(f);
}

/* The usual time in which the thread ran is that of frames, not a difference of medians: in each frame but
 * this one it runs for 4 ms, and waits for the rest of 16 ms, which is not always the same. */
static void
how_long_the_thread_usually_ran_is_known(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < FRAMES; i++) {
        f->frame[i].cpu_busy = i % 3 ? 4e6 : 12e6;
        f->frame[i].task_clock = 4e6;
        f->frame[i].cpu_wait = i % 2 ? 16e6 : 5e6;
    }
    f->frame[PLANTED].cpu_busy += 150e6;
    f->frame[PLANTED].task_clock += 150e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_true(fabs(frame->cause[0].usual_ran_ns - 4e6) < 1);
    finish(f);
}

/* The GPU is late by 20 frames: the thread waits in the driver for a pass of the frame in which it became
 * late. */
static void
work_of_a_frame_long_before_is_found(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED - 20].shadows += 900e6;
    f->frame[PLANTED].cpu_busy += 500e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
    assert_int_equal((int)frame->cause[0].frame, PLANTED - 20);
    finish(f);
}

static void
pipelines_are_found(void **state)
{
    cpu_cause(*state, &(struct frame){.cpu_busy = 100e6, .pipelines = 3, .pipeline_time = 95e6},
              PP_CAUSE_PIPELINES);
}

static void
a_wait_in_present_is_found(void **state)
{
    cpu_cause(*state, &(struct frame){.cpu_wait = 100e6}, PP_CAUSE_PRESENT);
}

static void
a_wait_for_an_image_is_found(void **state)
{
    cpu_cause(*state, &(struct frame){.cpu_busy = 100e6, .acquire = 100e6}, PP_CAUSE_ACQUIRE);
}

static void
a_wait_on_a_fence_is_found(void **state)
{
    cpu_cause(*state, &(struct frame){.cpu_busy = 100e6, .sync = 100e6}, PP_CAUSE_SYNC);
}

static void
page_faults_are_found(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 100e6;
    f->frame[PLANTED].faults += 400000;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_FAULTS);
    finish(f);
}

static void
a_busy_machine_is_found(void **state)
{
    cpu_cause(*state, &(struct frame){.cpu_busy = 100e6, .run_delay = 98e6}, PP_CAUSE_DELAY);
}

static void
own_work_is_found(void **state)
{
    cpu_cause(*state, &(struct frame){.cpu_busy = 100e6, .task_clock = 98e6}, PP_CAUSE_WORK);
}

static void
sleep_is_found(void **state)
{
    cpu_cause(*state, &(struct frame){.cpu_busy = 100e6}, PP_CAUSE_SLEEP);
}

/* OpenGL's software drivers render in calls whose waits are not measured. */
static void
a_pass_is_found_after_a_sleep(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].scene += 40e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_PASS);
    assert_string_equal(frame->cause[1].pass->name, "scene");
    finish(f);
}

static void
what_was_not_measured_is_not_named(void **state)
{
    struct fixture *f = *state;
    f->no_cpu = true;
    cpu_cause(f, &(struct frame){.cpu_busy = 100e6, .faults = 400000}, PP_CAUSE_OWN);
}

static void
two_causes_at_once_are_found(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].shadows += 50e6;
    f->frame[PLANTED].cpu_wait += 50e6;
    f->frame[PLANTED].cpu_busy += 52e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_PASS);
    finish(f);
}

/* A wait for the GPU and work of the GPU are one fact, in one word. */
static void
a_wait_and_the_work_in_it_are_one_cause(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->frame[PLANTED].shadows += 30e6;
    f->frame[PLANTED].sync += 100e6;
    f->frame[PLANTED].cpu_busy += 100e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SYNC);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, "sync: the application waited 100 ms for the GPU"));
    assert_non_null(strstr(text, " ms of that because the GPU worked longer"));
    assert_null(strstr(text, "no more work"));
    finish(f);
}

/* On a busy machine some passes are longer and others shorter: together they explain what is left. */
static void
passes_that_trade_places_are_not_blamed(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].shadows += 90e6;
    for (size_t i = PLANTED - 80; i < PLANTED + 80; i++)
        f->frame[i].scene += i == PLANTED ? 0 : 60e6;
    f->frame[PLANTED].cpu_busy += 150e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    finish(f);
}

/* Software drivers time a part of a pass only: the rest is between the passes. */
static void
work_between_passes_is_found(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->frame[PLANTED].stream = 10e6;
    f->frame[PLANTED].gap = 90e6;
    f->frame[PLANTED].sync += 100e6;
    f->frame[PLANTED].cpu_busy += 100e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_GPU);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, ", of the passes most in stream, in no other frame"));
    finish(f);
}

/* Work that the thread does for the GPU takes time on both: it is named once. */
static void
work_on_both_is_one_cause(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].shadows += 70e6;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 40e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
}

static void
three_equal_causes_are_found(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_wait += 100e6;
    f->frame[PLANTED].sync += 100e6;
    f->frame[PLANTED].cpu_busy += 200e6; /* the wait for the GPU, and a sleep */
    const struct pp_slow_frame *frame = planted(f, 3);
    bool found[PP_CAUSE_KINDS] = {false};
    for (size_t i = 0; i < frame->causes; i++)
        found[frame->cause[i].kind] = true;
    assert_true(found[PP_CAUSE_PRESENT] && found[PP_CAUSE_SYNC] && found[PP_CAUSE_SLEEP]);
    finish(f);
}

static void
facts_come_behind_the_own_time_that_they_explain(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 100e6;
    f->frame[PLANTED].objects = 40;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_APP);
    assert_true(pp_slow_frame_is_explained(frame));
    finish(f);
}

static void
costly_page_faults_come_behind_the_work(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 100e6;
    f->frame[PLANTED].faults += 40000; /* 10 to 100 ms */
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_FAULTS);
    finish(f);
}

static void
few_page_faults_are_not_named(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 100e6;
    f->frame[PLANTED].faults += 900; /* 18 ms at most */
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_WORK);
    finish(f);
}

/* A software driver ends a pass only after it asked for the size of the window that it draws to next: in
 * between, the thread slept. */
static void
a_pass_of_a_software_driver_in_which_the_thread_slept_is_not_blamed(void **state)
{
    struct fixture *f = *state;
    f->software = f->to_window = true;
    f->frame[PLANTED].shadows += 120e6;
    f->frame[PLANTED].cpu_busy += 120e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_SLEEP);
    finish(f);
}

/* The thread waited for a pass that no other frame has, though it looks like a sleep in front of the window.
 */
static void
a_rare_pass_in_front_of_the_window_is_blamed(void **state)
{
    struct fixture *f = *state;
    f->software = f->to_window = true;
    f->frame[PLANTED].stream = 120e6;
    f->frame[PLANTED].cpu_busy += 120e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
    assert_string_equal(frame->cause[0].pass->name, "stream");
    finish(f);
}

/* The pass that follows draws to no window: the thread slept because it waited for the pass. */
static void
a_pass_of_a_software_driver_before_another_target_is_blamed(void **state)
{
    struct fixture *f = *state;
    f->software = true;
    f->frame[PLANTED].shadows += 120e6;
    f->frame[PLANTED].cpu_busy += 120e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
    assert_string_equal(frame->cause[0].pass->name, "shadows");
    finish(f);
}

/* Two page faults of 20 us explain nothing of 100 ms, although the thread ran no longer. */
static void
few_page_faults_of_a_long_sleep_are_not_named(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 0.1e6;
    f->frame[PLANTED].faults += 30;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_SLEEP);
    finish(f);
}

/* The thread slept, and waited for a pass in present. */
static void
a_sleep_and_a_long_pass_of_a_software_driver_are_both_named(void **state)
{
    struct fixture *f = *state;
    f->software = true;
    f->frame[PLANTED].shadows += 90e6;
    f->frame[PLANTED].cpu_wait += 90e6;
    f->frame[PLANTED].cpu_busy += 120e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_PASS);
    finish(f);
}

/* At level frame, a sleep between passes and a wait inside the driver look the same. */
static void
at_level_frame_a_thread_that_slept_may_have_waited_for_the_gpu(void **state)
{
    struct fixture *f = *state;
    f->level_frame = true;
    f->frame[PLANTED].shadows += 90e6;
    f->frame[PLANTED].cpu_busy += 90e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_true(frame->cause[0].maybe_gpu);
    finish(f);
    f->frame[PLANTED].shadows -= 90e6;
    assert_false(planted(f, 1)->cause[0].maybe_gpu);
    finish(f);
}

/* A stutter by chance is nearer to a frame than the next one of its period. */
static void
a_period_is_found_next_to_another_stutter(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 5; i++)
        f->frame[40 + 30 * i].cpu_busy += 150e6;
    f->frame[27].cpu_busy += 200e6;
    analyse(f, 0);
    assert_int_equal(f->slow.found, 6);
    assert_int_equal(f->slow.frame[0].every, 0);
    for (size_t i = 1; i < 6; i++)
        assert_int_equal(f->slow.frame[i].every, 30);
    finish(f);
}

/* A stutter with the same cause comes by chance between two of a period. */
static void
a_stutter_of_the_same_kind_does_not_end_a_period(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 8; i++)
        f->frame[49 + 50 * i].cpu_busy += 150e6;
    f->frame[369].cpu_busy += 150e6;
    analyse(f, 0);
    assert_int_equal(f->slow.found, 9);
    for (size_t i = 0; i < f->slow.len; i++)
        assert_int_equal(f->slow.frame[i].every, (size_t)f->slow.frame[i].frame % 50 == 49 ? 50 : 0);
    finish(f);
}

/* Only the shortest of four frames has all others at one distance: the period would be said of it only. */
static void
a_period_of_one_frame_is_not_said(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 4; i++)
        f->frame[100 + 40 * i].cpu_busy += i == 1 ? 80e6 : 200e6;
    analyse(f, 0);
    assert_int_equal(f->slow.found, 4);
    for (size_t i = 0; i < f->slow.len; i++)
        assert_int_equal(f->slow.frame[i].every, 0);
    finish(f);
}

/* Of four frames by chance two distances are equal too often, of frames that come every third time none
 * differs.
 */
static void
stutters_by_chance_are_not_regular(void **state)
{
    struct fixture *f = *state;
    static const size_t by_chance[] = {100, 112, 124, 136, 200, 203, 206, 209, 251, 267, 290};
    for (size_t i = 0; i < PP_ARRAY_SIZE(by_chance); i++)
        f->frame[by_chance[i]].cpu_busy += 150e6;
    for (size_t i = 0; i < 7; i++)
        f->frame[500 + 12 * i].cpu_busy += 150e6;
    analyse(f, 0);
    assert_int_equal(f->slow.found, PP_ARRAY_SIZE(by_chance) + 7);
    for (size_t i = 0; i < f->slow.len; i++)
        assert_int_equal(f->slow.frame[i].every, f->slow.frame[i].frame < 500 ? 0 : 12);
    finish(f);
}

/* Each 50th frame has a pass that the others lack. The thread sleeps in some frames between, and 25 frames
 * after one and before another: that is neither the end of the period nor another one. */
static void
stutters_of_another_kind_do_not_end_a_period(void **state)
{
    struct fixture *f = *state;
    static const size_t sleeps[] = {110, 124, 133, 274, 290};
    for (size_t i = 99; i < 400; i += 50) {
        f->frame[i].stream = 100e6;
        f->frame[i].cpu_wait += 100e6;
    }
    for (size_t i = 0; i < PP_ARRAY_SIZE(sleeps); i++)
        f->frame[sleeps[i]].cpu_busy += 150e6;
    analyse(f, 0);
    assert_int_equal(f->slow.found, 7 + PP_ARRAY_SIZE(sleeps));
    for (size_t i = 0; i < f->slow.len; i++)
        assert_int_equal(f->slow.frame[i].every, (size_t)f->slow.frame[i].frame % 50 == 49 ? 50 : 0);
    finish(f);
}

/* The thread did not run in 100 ms, of which a pass took 60: one time, said twice. */
static void
a_thread_that_waits_for_a_pass_takes_the_same_time(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->frame[PLANTED].scene += 60e6;
    f->frame[PLANTED].cpu_busy += 100e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_false(frame->cause[0].meanwhile);
    assert_true(frame->cause[1].meanwhile);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[1]);
    assert_non_null(strstr(text, ", with the time above in it"));
    finish(f);
}

/* The two times do not contain each other: a reader may add them. */
static void
own_time_is_without_pipelines(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].pipelines = 8;
    f->frame[PLANTED].pipeline_time = 100e6;
    f->frame[PLANTED].cpu_busy += 220e6;
    f->frame[PLANTED].task_clock += 220e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_PIPELINES);
    assert_true(fabs(frame->cause[1].value - 100e6) < 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    double own = f->frame[PLANTED].cpu_busy - 100e6;
    assert_true(frame->cause[0].value >= own && frame->cause[0].value < own + 30e6);
    assert_true(fabs(frame->cause[0].ran_ns - (f->frame[PLANTED].task_clock - 100e6)) < 5e4);
    assert_true(fabs(frame->cause[0].ran_ns + frame->cause[0].delay_ns + frame->cause[0].slept_ns -
                     frame->cause[0].value) < 1);
    finish(f);
}

/* The surface's first frame is in no series, but its work may make the second one slow. */
static void
work_of_the_first_frame_is_found(void **state)
{
    struct fixture *f = *state;
    f->gpu_late = 15e6;
    f->frame[0].scene += 100e6;
    f->frame[1].cpu_wait += 100e6;
    analyse(f, 0);
    assert_int_equal(f->slow.found, 1);
    assert_int_equal((int)f->slow.frame[0].frame, 1);
    assert_int_equal(f->slow.frame[0].cause[0].kind, PP_CAUSE_PASS);
    assert_int_equal((int)f->slow.frame[0].cause[0].frame, 0);
    finish(f);
}

/* A driver limits how far the application is ahead: the thread sleeps in a call that is not measured. */
static void
a_thread_that_slept_may_have_waited_for_frames_before(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->gpu_late = 200e6;
    f->frame[PLANTED].cpu_busy += 100e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_true(frame->cause[0].maybe_gpu);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, ", perhaps in a wait for the GPU, which was "));
    assert_non_null(strstr(text, " frames late"));
    finish(f);
    f->gpu_late = 0;
    assert_false(planted(f, 1)->cause[0].maybe_gpu);
    finish(f);
}

static void
work_and_a_long_pass_are_both_named(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 100e6;
    f->frame[PLANTED].scene += 40e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_PASS);
    /* parts that are 0 are not printed */
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_null(strstr(text, "no processor"));
    finish(f);
}

/* A software driver renders while the application waits in present: the wait is the pass, and no third fact.
 */
static void
work_and_a_pass_that_is_waited_for_are_both_named(void **state)
{
    struct fixture *f = *state;
    f->software = true;
    f->frame[PLANTED].shadows += 55e6;
    f->frame[PLANTED].cpu_wait += 55e6;
    f->frame[PLANTED].cpu_busy += 54e6;
    f->frame[PLANTED].task_clock += 45e6;
    f->frame[PLANTED].run_delay += 8e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind + frame->cause[1].kind, PP_CAUSE_PASS + PP_CAUSE_WORK);
    finish(f);
}

/* The thread lacked a processor while it created pipelines, too. */
static void
a_delay_is_in_pipelines_too(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].pipelines = 14;
    f->frame[PLANTED].pipeline_time = 57e6;
    f->frame[PLANTED].cpu_busy += 98e6;
    f->frame[PLANTED].task_clock += 41e6;
    f->frame[PLANTED].run_delay += 56e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PIPELINES);
    assert_true(frame->cause[1].ran_ns > 15e6 && frame->cause[1].delay_ns > 15e6);
    finish(f);
}

/* The GPU has nothing to do while the application creates pipelines. */
static void
a_gap_in_which_the_application_works_is_not_the_gpus(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].pipelines = 40;
    f->frame[PLANTED].pipeline_time = 313e6;
    f->frame[PLANTED].cpu_busy += 313e6;
    f->frame[PLANTED].gap = 390e6;
    f->frame[PLANTED].cpu_wait += 77e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PIPELINES);
    finish(f);
}

/* A software driver copies in the call: the pass and the work are one fact. */
static void
a_copy_of_a_software_driver_is_one_cause(void **state)
{
    struct fixture *f = *state;
    f->software = f->copies = true;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 100e6;
    f->frame[PLANTED].shadows += 70e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_PASS);
    finish(f);
    f->frame[PLANTED].shadows -= 30e6;
    assert_int_equal(planted(f, 1)->cause[0].kind, PP_CAUSE_WORK);
    finish(f);
}

/* The kernel reads a file by few faults and maps it by many: one fact. */
static void
faults_of_a_file_are_one_fact(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy += 100e6;
    f->frame[PLANTED].task_clock += 100e6;
    f->frame[PLANTED].faults += 8000;
    f->frame[PLANTED].major_faults += 1000;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_WORK);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_MAJOR);
    finish(f);
}

/* What a frame before gave to the GPU says why its pass took so long. */
static void
facts_of_the_frame_with_the_work_are_named(void **state)
{
    struct fixture *f = *state;
    char text[400];
    f->gpu_late = 15e6;
    f->frame[PLANTED - 1].scene += 500e6;
    f->frame[PLANTED - 1].pipelines = 2;
    f->frame[PLANTED].cpu_wait += 100e6;
    const struct pp_slow_frame *frame = planted(f, 2);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PASS);
    assert_int_equal(frame->cause[1].kind, PP_CAUSE_CREATED);
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[0]);
    assert_non_null(strstr(text, " ms in frame 499 (1"));
    assert_non_null(strstr(text, " ms of it in this frame), usually "));
    pp_slow_cause_text(text, sizeof(text), &f->rec, frame, &frame->cause[1]);
    assert_non_null(strstr(text, " in frame 499"));
    finish(f);
}

static void
a_thread_that_ran_for_a_third_mostly_did_not_run(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].cpu_busy += 150e6;
    f->frame[PLANTED].task_clock += 50e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_SLEEP);
    assert_true(fabs(frame->cause[0].slept_ns - 100e6) < 5e6);
    assert_true(fabs(frame->cause[0].ran_ns + frame->cause[0].delay_ns + frame->cause[0].slept_ns -
                     frame->cause[0].value) < 1);
    finish(f);
}

/* On a busy machine, half of the frames may be some times as long as the others. */
static void
a_long_frame_among_two_peaks_is_slow(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < FRAMES; i++)
        f->frame[i].cpu_wait *= i % 2 ? 4 : 1;
    f->frame[PLANTED].cpu_wait += 400e6;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_PRESENT);
    finish(f);
}

static void
a_fact_alone_explains_no_time(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].time = 120e6; /* no other time is unusual */
    f->frame[PLANTED].objects = 40;
    const struct pp_slow_frame *frame = planted(f, 1);
    assert_int_equal(frame->cause[0].kind, PP_CAUSE_APP);
    assert_false(pp_slow_frame_is_explained(frame));
    finish(f);
}

static void
a_frame_without_a_cause_says_so(void **state)
{
    struct fixture *f = *state;
    f->frame[PLANTED].time = 120e6; /* no other cell is unusual */
    planted(f, 0);
    finish(f);
}

static void
the_longest_frames_are_listed_though_none_is_slow(void **state)
{
    struct fixture *f = *state;
    analyse(f, 5);
    assert_int_equal(f->slow.found, 0);
    assert_int_equal(f->slow.len, 5);
    finish(f);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(ordinary_noise_has_no_slow_frame),
        TEST(times_that_alternate_are_not_slow),
        TEST(one_pass_is_found),
        TEST(a_longer_pass_without_more_work_says_so),
        TEST(work_makes_a_pass_of_a_software_driver_longer),
        TEST(a_rare_pass_is_found_where_the_thread_had_no_processor),
        TEST(own_time_with_two_peaks_is_found),
        TEST(how_long_a_thread_ran_may_be_unknown),
        TEST(a_rare_pass_is_found),
        TEST(a_common_pass_is_not_blamed),
        TEST(work_of_the_frame_before_is_found),
        TEST(all_passes_together_are_found),
        TEST(all_passes_together_are_found_with_a_limiter),
        TEST(a_long_frame_is_found_among_two_peaks),
        TEST(what_ran_is_not_taken_for_a_wait),
        TEST(a_pass_of_a_software_driver_without_a_processor_is_not_blamed),
        TEST(work_of_the_gpu_is_found_without_passes),
        TEST(own_time_between_passes_is_found_at_level_frame),
        TEST(at_level_frame_more_work_is_no_proof),
        TEST(a_pass_with_more_draws_may_contain_a_sleep),
        TEST(a_thread_that_runs_in_a_pass_with_more_draws_is_named_first),
        TEST(a_thread_that_does_not_wait_in_present_is_found),
        TEST(many_waits_in_a_frame_are_no_work),
        TEST(a_sleep_between_copies_is_found),
        TEST(a_wait_for_a_processor_is_before_a_shorter_pass),
        TEST(how_long_the_thread_usually_ran_is_known),
        TEST(work_of_a_frame_long_before_is_found),
        TEST(pipelines_are_found),
        TEST(a_wait_in_present_is_found),
        TEST(a_wait_for_an_image_is_found),
        TEST(a_wait_on_a_fence_is_found),
        TEST(page_faults_are_found),
        TEST(a_busy_machine_is_found),
        TEST(own_work_is_found),
        TEST(a_sleep_between_the_draws_of_a_pass_is_found),
        TEST(programs_created_inside_a_pass_are_found),
        TEST(what_passprobe_reads_is_named),
        TEST(passes_of_one_name_are_named_together),
        TEST(sleep_is_found),
        TEST(a_pass_is_found_after_a_sleep),
        TEST(what_was_not_measured_is_not_named),
        TEST(two_causes_at_once_are_found),
        TEST(a_wait_and_the_work_in_it_are_one_cause),
        TEST(work_between_passes_is_found),
        TEST(passes_that_trade_places_are_not_blamed),
        TEST(work_on_both_is_one_cause),
        TEST(three_equal_causes_are_found),
        TEST(facts_come_behind_the_own_time_that_they_explain),
        TEST(costly_page_faults_come_behind_the_work),
        TEST(few_page_faults_are_not_named),
        TEST(a_pass_of_a_software_driver_before_another_target_is_blamed),
        TEST(few_page_faults_of_a_long_sleep_are_not_named),
        TEST(a_pass_of_a_software_driver_in_which_the_thread_slept_is_not_blamed),
        TEST(a_sleep_and_a_long_pass_of_a_software_driver_are_both_named),
        TEST(at_level_frame_a_thread_that_slept_may_have_waited_for_the_gpu),
        TEST(a_period_is_found_next_to_another_stutter),
        TEST(a_rare_pass_in_front_of_the_window_is_blamed),
        TEST(a_stutter_of_the_same_kind_does_not_end_a_period),
        TEST(a_period_of_one_frame_is_not_said),
        TEST(stutters_by_chance_are_not_regular),
        TEST(stutters_of_another_kind_do_not_end_a_period),
        TEST(a_thread_that_waits_for_a_pass_takes_the_same_time),
        TEST(own_time_is_without_pipelines),
        TEST(work_of_the_first_frame_is_found),
        TEST(a_thread_that_slept_may_have_waited_for_frames_before),
        TEST(work_and_a_long_pass_are_both_named),
        TEST(work_and_a_pass_that_is_waited_for_are_both_named),
        TEST(a_delay_is_in_pipelines_too),
        TEST(a_gap_in_which_the_application_works_is_not_the_gpus),
        TEST(a_copy_of_a_software_driver_is_one_cause),
        TEST(faults_of_a_file_are_one_fact),
        TEST(facts_of_the_frame_with_the_work_are_named),
        TEST(a_thread_that_ran_for_a_third_mostly_did_not_run),
        TEST(a_long_frame_among_two_peaks_is_slow),
        TEST(a_fact_alone_explains_no_time),
        TEST(a_frame_without_a_cause_says_so),
        TEST(the_longest_frames_are_listed_though_none_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
