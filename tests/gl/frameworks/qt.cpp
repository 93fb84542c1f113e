/** @file
 * Qt links GL and finds the rest by itself. 20 swaps. */
#include <QGuiApplication>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QWindow>
#include <cstdio>

int
main(int argc, char **argv)
{
    QGuiApplication application(argc, argv);
    QWindow window;
    window.setSurfaceType(QSurface::OpenGLSurface);
    window.resize(80, 60);
    window.create();
    window.show();
    QOpenGLContext context;
    if (!context.create() || !context.makeCurrent(&window))
        return std::puts("no context"), 77;
    for (int frame = 0; frame < 20; frame++) {
        context.functions()->glClear(GL_COLOR_BUFFER_BIT);
        context.swapBuffers(&window);
        application.processEvents();
    }
    std::puts("swaps 20");
    context.doneCurrent();
    return 0;
}
