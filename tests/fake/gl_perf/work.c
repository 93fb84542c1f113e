/** @file
 * Counts the actions that pass through; see fake.h. Vertices are those that the arguments name, as the
 * assembly of primitives and patches counts them. */
#include "fake.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define REAL(type, name) ((type)FAKE_REAL(name))

static struct fake_work *
work(void)
{
    static struct fake_work nowhere;
    struct fake_context *ctx = fake_current();
    return ctx ? &ctx->work : &nowhere;
}

static void
draw(int64_t vertices)
{
    work()->draws++;
    work()->vertices += vertices > 0 ? (uint64_t)vertices : 0;
}

uint64_t
fake_cycles(const struct fake_work *work)
{
    return 700 * work->draws + 3 * work->vertices + 500 * work->clears + 400 * work->dispatches +
           40 * work->groups + 900 * work->copies;
}

void
fake_tell_kernel(void)
{
    struct fake_context *ctx = fake_current();
    void *found = dlsym(RTLD_DEFAULT, "fake_kernel_worked");
    void (*worked)(uint64_t clocks);
    memcpy(&worked, &found, sizeof(worked));
    uint64_t cycles = ctx ? fake_cycles(&ctx->work) : 0;
    if (!ctx || !worked || cycles == ctx->told)
        return;
    worked(cycles - ctx->told);
    ctx->told = cycles;
}

uint64_t
fake_busy(const struct fake_work *work)
{
    return 300 * work->draws + 2 * work->vertices + 400 * work->clears + 100 * work->dispatches +
           35 * work->groups + 90 * work->copies;
}

float
fake_busy_percent(const struct fake_work *work)
{
    uint64_t cycles = fake_cycles(work);
    return cycles ? (float)(100.0 * (double)fake_busy(work) / (double)cycles) : 0.0F;
}

float
fake_vertices_per_draw(const struct fake_work *work)
{
    return work->draws ? (float)work->vertices / (float)work->draws : 0.0F;
}

static void
draw_arrays(GLenum mode, GLint first, GLsizei count)
{
    draw(count);
    REAL(void (*)(GLenum, GLint, GLsizei), "glDrawArrays")(mode, first, count);
}

static void
draw_elements(GLenum mode, GLsizei count, GLenum type, const void *indices)
{
    draw(count);
    REAL(void (*)(GLenum, GLsizei, GLenum, const void *), "glDrawElements")(mode, count, type, indices);
}

static void
draw_arrays_instanced(GLenum mode, GLint first, GLsizei count, GLsizei instances)
{
    draw((int64_t)count * instances);
    REAL(void (*)(GLenum, GLint, GLsizei, GLsizei), "glDrawArraysInstanced")(mode, first, count, instances);
}

static void
draw_elements_instanced(GLenum mode, GLsizei count, GLenum type, const void *indices, GLsizei instances)
{
    draw((int64_t)count * instances);
    REAL(void (*)(GLenum, GLsizei, GLenum, const void *, GLsizei), "glDrawElementsInstanced")
    (mode, count, type, indices, instances);
}

static void
draw_range_elements(GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type, const void *indices)
{
    draw(count);
    REAL(void (*)(GLenum, GLuint, GLuint, GLsizei, GLenum, const void *), "glDrawRangeElements")
    (mode, start, end, count, type, indices);
}

static void
rectf(GLfloat x1, GLfloat y1, GLfloat x2, GLfloat y2)
{
    draw(4);
    REAL(void (*)(GLfloat, GLfloat, GLfloat, GLfloat), "glRectf")(x1, y1, x2, y2);
}

static void
begin(GLenum mode)
{
    struct fake_context *ctx = fake_current();
    if (ctx && mode <= GL_POLYGON)
        ctx->in_begin = true;
    draw(0);
    REAL(void (*)(GLenum), "glBegin")(mode);
}

static void
end(void)
{
    struct fake_context *ctx = fake_current();
    if (ctx)
        ctx->in_begin = false;
    REAL(void (*)(void), "glEnd")();
}

static void
call_list(GLuint list)
{
    draw(0);
    REAL(void (*)(GLuint), "glCallList")(list);
}

static void
dispatch(GLuint x, GLuint y, GLuint z)
{
    work()->dispatches++;
    work()->groups += (uint64_t)x * y * z;
    REAL(void (*)(GLuint, GLuint, GLuint), "glDispatchCompute")(x, y, z);
}

static void
clear(GLbitfield mask)
{
    work()->clears += mask != 0;
    REAL(void (*)(GLbitfield), "glClear")(mask);
}

static void
blit(GLint a, GLint b, GLint c, GLint d, GLint e, GLint f, GLint g, GLint h, GLbitfield mask, GLenum filter)
{
    work()->copies++;
    REAL(void (*)(GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLbitfield, GLenum),
         "glBlitFramebuffer")
    (a, b, c, d, e, f, g, h, mask, filter);
}

static void
read_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type, void *pixels)
{
    work()->copies++;
    REAL(void (*)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *), "glReadPixels")
    (x, y, width, height, format, type, pixels);
}

#define ENTRY(name, function)                                                                                \
    {                                                                                                        \
        name, (fake_proc)(function)                                                                          \
    }

const struct fake_entry fake_work_entry[] = {
    ENTRY("glDrawArrays", draw_arrays),
    ENTRY("glDrawElements", draw_elements),
    ENTRY("glDrawArraysInstanced", draw_arrays_instanced),
    ENTRY("glDrawElementsInstanced", draw_elements_instanced),
    ENTRY("glDrawRangeElements", draw_range_elements),
    ENTRY("glRectf", rectf),
    ENTRY("glBegin", begin),
    ENTRY("glEnd", end),
    ENTRY("glCallList", call_list),
    ENTRY("glDispatchCompute", dispatch),
    ENTRY("glClear", clear),
    ENTRY("glBlitFramebuffer", blit),
    ENTRY("glReadPixels", read_pixels),
    {NULL, NULL},
};
