/** @file
 * Draws by glBegin and glEnd, and by what drivers do as such: rectangles, evaluators, display lists. Draws
 * the same in each frame, and prints the rows that passprobe must write of a frame: `row CALL VERTICES
 * PRIMITIVES`;
 * `-`: not the same on all GPUs. With "submits", calls that submit or read follow some of the vertices, and a
 * list is executed while it is compiled, which is not counted. `immediate_mode plain|submits FRAMES`.
 * Knows nothing of passprobe. */
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/egl_open.h"

#define SIZE 64
#define NO   (-1)

static bool is_first = true; /* the frame whose rows are printed */

static void
want(const char *call, int vertices, int primitives)
{
    if (!is_first)
        return;
    printf("row %s", call);
    printf(vertices >= 0 ? " %d" : " -", vertices);
    printf(primitives >= 0 ? " %d\n" : " -\n", primitives);
}

static void
vertices(GLenum mode, int count)
{
    glBegin(mode);
    for (int i = 0; i < count; i++)
        glVertex2f(i & 1 ? 0.9f : -0.9f, i & 2 ? 0.9f : -0.9f);
    glEnd();
}

static void
draw(GLenum mode, int count, int primitives)
{
    want("glBegin", count, primitives);
    vertices(mode, count);
}

static void
elements(int count)
{
    want("glBegin", count, count / 3);
    glBegin(GL_TRIANGLES);
    for (int i = 0; i < count; i++)
        glArrayElement(i % 3);
    glEnd();
}

/* Lists: of a glBegin, of state and a rectangle, of a call of the first. Evaluators: a line of 4 parts. */
static GLuint
set_up(void)
{
    static const GLfloat corners[] = {-0.9f, -0.9f, 0.9f, -0.9f, -0.9f, 0.9f};
    static const GLfloat line[] = {-0.9f, 0, 0, 0, 0.5f, 0, 0.5f, -0.5f, 0, 0.9f, 0, 0};
    GLuint list = glGenLists(4);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, corners);
    glMap1f(GL_MAP1_VERTEX_3, 0, 1, 3, 4, line);
    glEnable(GL_MAP1_VERTEX_3);
    glMapGrid1f(4, 0, 1);
    glNewList(list, GL_COMPILE);
    vertices(GL_TRIANGLES, 12);
    glEndList();
    glNewList(list + 1, GL_COMPILE);
    glColor3f(0, 1, 0);
    glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
    glEndList();
    glNewList(list + 2, GL_COMPILE);
    glCallList(list);
    glEndList();
    return list;
}

static void
draws(GLuint list)
{
    want("glClear", 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    draw(GL_TRIANGLES, 30, 10);
    draw(GL_TRIANGLES, 6, 2); /* drivers may draw blocks without a change of state as one */
    draw(GL_TRIANGLES, 9, 3);
    draw(GL_TRIANGLE_STRIP, 7, 5);
    want("glRectf", 4, NO);
    glRectf(-0.5f, -0.5f, 0.5f, 0.5f);
    glColor3f(1, 0, 0);
    draw(GL_LINES, 8, 4);
    elements(3);
    want("glDrawArrays", 3, 1);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    elements(6);
    want("glCallList", 12, 4);
    glCallList(list);
    draw(GL_POINTS, 5, 5);
    want("glCallList", 4, NO);
    glCallList(list + 1);
    want("glCallList", 12, 4);
    glCallList(list + 2);
    want("glEvalMesh1", 5, 4);
    glEvalMesh1(GL_LINE, 0, 4);
}

static void
submits(GLuint list)
{
    static GLubyte pixels[SIZE * SIZE * 4];
    want("glNewList", NO, NO);
    glNewList(list + 3, GL_COMPILE_AND_EXECUTE);
    vertices(GL_TRIANGLES, 15);
    glEndList();
    draw(GL_TRIANGLES, 33, 11);
    glFlush();
    draw(GL_TRIANGLES, 36, 12);
    glFinish();
    draw(GL_TRIANGLES, 39, 13);
    want("glReadPixels", 0, 0);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    draw(GL_TRIANGLES, 42, 14);
    glRasterPos2f(-0.5f, -0.5f);
    want("glBitmap", 4, NO);
    glBitmap(8, 8, 0, 0, 1, 1, pixels);
    draw(GL_TRIANGLES, 45, 15);
    want("glDrawPixels", 4, NO);
    glDrawPixels(8, 8, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

int
main(int argc, char **argv)
{
    struct egl_open egl = {0};
    const char *failed = egl_open(&egl, &(struct egl_open_want){.width = SIZE, .height = SIZE});
    if (argc < 3 || failed) {
        printf("no context: %s\n", failed ? failed : "usage");
        egl_close(&egl);
        return argc < 3 ? 1 : 77;
    }
    GLuint list = set_up();
    for (int frame = 0; frame < atoi(argv[2]); frame++) {
        draws(list);
        if (strcmp(argv[1], "submits") == 0)
            submits(list);
        draw(GL_TRIANGLES, 24, 8); /* nothing but the swap follows */
        eglSwapBuffers(egl.display, egl.surface);
        is_first = false;
    }
    printf("error %x\n", glGetError());
    egl_close(&egl);
    return 0;
}
