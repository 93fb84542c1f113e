/** @file
 * GLFW opens OpenGL itself. glfw glx|egl: 20 swaps; prints their number. */
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdio.h>
#include <string.h>

typedef void (*clear_fn)(unsigned mask);

int
main(int argc, char **argv)
{
    int egl = argc > 1 && strcmp(argv[1], "egl") == 0;
    if (!glfwInit())
        return 77;
    glfwWindowHint(GLFW_CONTEXT_CREATION_API, egl ? GLFW_EGL_CONTEXT_API : GLFW_NATIVE_CONTEXT_API);
    GLFWwindow *window = glfwCreateWindow(80, 60, "glfw", NULL, NULL);
    if (!window)
        return puts("no window"), 77;
    glfwMakeContextCurrent(window);
    glfwSwapInterval(0);
    clear_fn clear = (clear_fn)glfwGetProcAddress("glClear");
    for (int frame = 0; frame < 20; frame++) {
        clear(0x4000);
        glfwSwapBuffers(window);
        glfwPollEvents();
    }
    puts("swaps 20");
    glfwTerminate();
    return 0;
}
