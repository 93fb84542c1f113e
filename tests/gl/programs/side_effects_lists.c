/** @file
 * Cases of side_effects.c: glBegin..glEnd, display lists, render modes. */
#include "side_effects.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void
case_begin_end(EGLSurface surface)
{
    for (int frame = 0; frame < 6; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(0.5f);
        show_errors("glBegin pair");
        glBegin(GL_TRIANGLES);
        glBegin(GL_TRIANGLES);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFlush();
        glFinish();
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glEnd();
        show_errors("things illegal inside");
        glEnd();
        show_errors("glEnd alone");
        glBegin(0x4711);
        show_errors("glBegin of nonsense");
        glRectf(-0.2f, -0.2f, 0.2f, 0.2f);
        show_errors("glRectf");
        if (frame == 3)
            printf("image %x\n", image_hash());
        swap(surface);
    }
}

void
case_lists(EGLSurface surface)
{
    GLuint list = glGenLists(4);
    GLuint query[2];
    glGenQueries(2, query);
    printf("lists from %u\n", list);
    for (int frame = 0; frame < 5; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        triangle(0.3f);
        glNewList(list, GL_COMPILE);
        triangle(0.6f);
        glClear(GL_DEPTH_BUFFER_BIT);
        glEndList();
        glNewList(list + 1, GL_COMPILE_AND_EXECUTE);
        triangle(0.8f);
        glEndList();
        show_errors("lists compiled");
        glNewList(list + 2, GL_COMPILE);
        glBeginQuery(GL_VERTICES_SUBMITTED, query[1]);
        glCallList(list);
        glEndQuery(GL_VERTICES_SUBMITTED);
        glEndList();
        glCallList(list);
        glCallLists(2, GL_UNSIGNED_BYTE, "\0\1");
        glCallList(list + 2);
        show_errors("lists called");
        GLuint vertices = 0;
        glGetQueryObjectuiv(query[1], GL_QUERY_RESULT, &vertices);
        printf("vertices %u\n", vertices);
        show_errors("query in a list");
        show_alive();
        printf("image %x\n", image_hash());
        swap(surface);
    }
}

/* Queries in lists that are executed while they are compiled: one query was not begun, and one is begun in a
 * list and ended in another, with a frame's end between. */
void
case_list_queries(EGLSurface surface)
{
    GLuint list = glGenLists(3), query, vertices = 0;
    glGenQueries(1, &query);
    glNewList(list + 1, GL_COMPILE);
    glBeginQuery(GL_VERTICES_SUBMITTED, query);
    triangle(0.2f);
    glEndList();
    for (int frame = 0; frame < 4;
         frame++) { /* the first list of the context, the first of its frame, and later ones */
        if (frame > 1)
            triangle(0.3f);
        glCallList(list + 1);
        show_errors("list with a query");
        triangle(0.3f);
        glEndQuery(GL_VERTICES_SUBMITTED);
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &vertices);
        printf("vertices %u\n", vertices);
        swap(surface);
    }
    for (int frame = 0; frame < 6; frame++) {
        triangle(0.3f);
        glNewList(list, GL_COMPILE_AND_EXECUTE);
        if (frame % 3 == 0)
            glEndQuery(GL_VERTICES_SUBMITTED);
        if (frame % 3 == 1)
            glBeginQuery(GL_VERTICES_SUBMITTED, query);
        if (frame % 3 == 2)
            glEndQuery(GL_VERTICES_SUBMITTED);
        triangle(0.8f);
        glEndList();
        show_errors("list executed");
        triangle(0.3f);
        show_errors("behind it");
        if (frame % 3 == 2)
            glGetQueryObjectuiv(query, GL_QUERY_RESULT, &vertices);
        printf("vertices %u\n", vertices);
        swap(surface);
    }
}

/* A swap and a change of the context where they are not allowed: OpenGL reports no error, so passprobe's
 * calls must not cause one either. */
void
case_begin_swap(EGLSurface surface)
{
    EGLContext context = eglGetCurrentContext();
    for (int frame = 0; frame < 4; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glBegin(GL_TRIANGLES);
        glVertex2f(-0.5f, -0.5f);
        swap(surface);
        if (frame == 2)
            swap(surface);
        glVertex2f(0.5f, -0.5f);
        glVertex2f(0.0f, 0.5f);
        glEnd();
        show_errors("swapped inside");
        glBegin(GL_TRIANGLES);
        glVertex2f(-0.5f, -0.5f);
        eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglMakeCurrent(egl.display, surface, surface, context);
        glEnd();
        show_errors("released inside");
        printf("image %x\n", image_hash());
        swap(surface);
    }
}

/* Frames that end, and contexts that are released, while a list is compiled. */
void
case_list_swap(EGLSurface surface)
{
    EGLContext context = eglGetCurrentContext();
    GLuint list = glGenLists(3);
    glListBase(list);
    for (int frame = 0; frame < 3; frame++) {
        triangle(0.9f);
        glNewList(list, GL_COMPILE);
        triangle(0.5f);
        swap(surface);
        triangle(0.2f);
        glEndList();
        triangle(0.9f);
        swap(surface);
        triangle(0.9f);
        glNewList(list + 1, GL_COMPILE_AND_EXECUTE);
        triangle(0.4f);
        swap(surface);
        glFlush();
        triangle(0.3f);
        glEndList();
        triangle(0.9f);
        swap(surface);
        triangle(0.9f);
        glNewList(list + 2, GL_COMPILE);
        triangle(0.6f);
        eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglMakeCurrent(egl.display, surface, surface, context);
        triangle(0.1f);
        glEndList();
        show_errors("compiled");
        glClear(GL_COLOR_BUFFER_BIT);
        glCallLists(3, GL_UNSIGNED_BYTE, "\0\1\2");
        for (GLuint i = 0; i < 3; i++)
            glCallList(list + i);
        show_errors("called");
        show_alive();
        printf("image %x\n", image_hash());
        swap(surface);
    }
}

/* Lists with a glBegin whose glEnd is elsewhere, and the reverse. */
void
case_open_lists(EGLSurface surface)
{
    GLuint list = glGenLists(5), query;
    glListBase(list);
    glGenQueries(1, &query);
    glNewList(list, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    glVertex2f(-0.5f, -0.5f);
    glEndList();
    glNewList(list + 1, GL_COMPILE);
    glVertex2f(0.5f, -0.5f);
    glVertex2f(0.0f, 0.5f);
    glEndList();
    glNewList(list + 2, GL_COMPILE);
    glEnd();
    glEndList();
    glNewList(list + 3, GL_COMPILE);
    triangle(0.3f);
    glEndList();
    glNewList(list + 4, GL_COMPILE);
    glCallList(list);
    glCallList(list + 1);
    glEndList();
    show_errors("compiled");
    for (int frame = 0; frame < 4; frame++) {
        GLuint vertices = 0;
        glClear(GL_COLOR_BUFFER_BIT);
        glCallList(list);
        glVertex2f(0.5f, -0.5f);
        glVertex2f(0.0f, 0.5f);
        glEnd();
        show_errors("begun in a list");
        glBegin(GL_TRIANGLES);
        glVertex2f(-0.5f, -0.5f);
        glCallList(list + 1);
        glEnd();
        show_errors("vertices in a list");
        glCallList(list + 4);
        glCallList(list + 2);
        show_errors("each in a list");
        glCallLists(3, GL_UNSIGNED_BYTE, "\0\1\2");
        glBeginQuery(GL_VERTICES_SUBMITTED, query);
        glCallList(list + 3);
        glCallList(list);
        glCallList(list + 1);
        glEnd();
        glEndQuery(GL_VERTICES_SUBMITTED);
        glGetQueryObjectuiv(query, GL_QUERY_RESULT, &vertices);
        printf("vertices %u\n", vertices);
        show_errors("several lists");
        glBegin(GL_TRIANGLES);
        glVertex2f(-0.2f, -0.2f);
        glCallList(list + 1);
        glCallList(list + 2);
        show_errors("ended in a list");
        triangle(0.1f);
        glCallList(list + 3);
        if (frame & 1)
            glFlush();
        show_errors("after");
        printf("image %x\n", image_hash());
        swap(surface);
    }
}

/* A list's glBegin with commands inside that are not allowed: only the application causes an error. */
void
case_open_refused(EGLSurface surface)
{
    GLuint list = glGenLists(1);
    glNewList(list, GL_COMPILE);
    glBegin(GL_TRIANGLES);
    glEndList();
    for (int frame = 0; frame < 9; frame++) {
        triangle(0.3f);
        glCallList(list);
        glVertex2f(0.0f, 0.0f);
        if (frame == 0)
            glRectf(0.0f, 0.0f, 0.5f, 0.5f);
        else if (frame == 1)
            glClear(GL_COLOR_BUFFER_BIT);
        else if (frame == 2)
            glDrawArrays(GL_POINTS, 0, 1);
        else if (frame == 3)
            glFinish();
        else if (frame == 4)
            glFlush();
        else if (frame == 5)
            glBegin(GL_POINTS);
        else if (frame == 6)
            glBeginQuery(GL_VERTICES_SUBMITTED, 777);
        else if (frame == 7)
            glEndQuery(GL_VERTICES_SUBMITTED);
        else
            glNewList(list, GL_COMPILE);
        glVertex2f(0.5f, 0.0f);
        glEnd();
        show_errors("ended");
        triangle(0.3f);
        show_errors("behind it");
        swap(surface);
        show_errors("swap");
    }
}

/* A list's glBegin, with other lists, a swap, another context and a wait inside of it. */
void
case_open_nested(EGLSurface surface)
{
    EGLContext context = eglGetCurrentContext();
    GLuint list = glGenLists(4);
    for (GLuint i = 1; i < 3; i++) {
        glNewList(list + i, GL_COMPILE);
        glCallList(list + i - 1);
        glVertex2f(0.0f, 0.0f);
        glEndList();
    }
    for (int frame = 0; frame < 10; frame++) {
        bool begins = frame % 5 < 3;
        glNewList(list, GL_COMPILE); /* the effect of the others changes with it */
        if (begins || frame % 5 == 3)
            glBegin(GL_TRIANGLES);
        if (frame % 5 == 3)
            glEnd();
        glEndList();
        if (frame % 5 == 4)
            glDeleteLists(list, 1);
        triangle(0.3f);
        glCallList(list + 2);
        if (frame % 5 == 0) {
            swap(surface);
        } else if (frame % 5 == 1) {
            eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            eglMakeCurrent(egl.display, surface, surface, context);
        } else if (frame % 5 == 2) {
            glFinish();
        }
        if (begins)
            glEnd();
        show_errors("ended");
        glNewList(list + 3, GL_COMPILE);
        glEnd();
        glEndList();
        glBegin(GL_TRIANGLES);
        glVertex2f(0.5f, 0.0f);
        glCallList(list + 3);
        glClear(GL_DEPTH_BUFFER_BIT);
        triangle(0.2f);
        show_errors("ended by a list");
        swap(surface);
        show_errors("swapped");
    }
}

/* Draws return their data to the application: feedback, selection. */
void
case_modes(EGLSurface surface)
{
    GLfloat words[128];
    GLuint names[32];
    for (int frame = 0; frame < 4; frame++) {
        memset(words, 0, sizeof(words));
        memset(names, 0, sizeof(names));
        glClear(GL_COLOR_BUFFER_BIT);
        glFeedbackBuffer(128, GL_3D_COLOR, words);
        glRenderMode(GL_FEEDBACK);
        triangle(0.5f);
        glPassThrough(7.0f);
        glRectf(0.0f, 0.0f, 0.5f, 0.5f);
        printf("feedback %d:", glRenderMode(GL_RENDER));
        for (int i = 0; i < 64; i++)
            printf(" %.3f", words[i]);
        glSelectBuffer(32, names);
        glRenderMode(GL_SELECT);
        glInitNames();
        glPushName(3);
        triangle(0.5f);
        glLoadName(4);
        glRectf(2.0f, 2.0f, 3.0f, 3.0f);
        if (frame == 2)
            swap(surface);
        glLoadName(5);
        triangle(0.2f);
        printf("\nhits %d:", glRenderMode(GL_RENDER));
        for (int i = 0; i < 10; i++)
            printf(" %x", names[i]);
        show_errors("\nselected");
        triangle(0.4f);
        printf("image %x\n", image_hash());
        swap(surface);
    }
}
