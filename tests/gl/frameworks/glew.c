/** @file
 * GLEW finds functions by GetProcAddress; GLFW makes the window. 20 swaps of an instanced draw each. */
#include <GL/glew.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdio.h>

int
main(void)
{
    if (!glfwInit())
        return 77;
    GLFWwindow *window = glfwCreateWindow(80, 60, "glew", NULL, NULL);
    if (!window)
        return puts("no window"), 77;
    glfwMakeContextCurrent(window);
    if (glewInit() != GLEW_OK)
        return puts("no GLEW"), 77;
    for (int frame = 0; frame < 20; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 2);
        glfwSwapBuffers(window);
    }
    puts("swaps 20");
    glfwTerminate();
    return 0;
}
