/** @file
 * SDL2 opens OpenGL itself. sdl gl|es: 20 swaps; prints their number. */
#include <SDL2/SDL.h>
#include <stdio.h>
#include <string.h>

typedef void (*clear_fn)(unsigned mask);

int
main(int argc, char **argv)
{
    int es = argc > 1 && strcmp(argv[1], "es") == 0;
    if (SDL_Init(SDL_INIT_VIDEO))
        return printf("%s\n", SDL_GetError()), 77;
    if (es) {
        SDL_SetHint(SDL_HINT_OPENGL_ES_DRIVER, "1");
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_ES);
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 2);
    }
    SDL_Window *window = SDL_CreateWindow("sdl", 0, 0, 80, 60, SDL_WINDOW_OPENGL);
    SDL_GLContext context = window ? SDL_GL_CreateContext(window) : NULL;
    if (!context)
        return printf("%s\n", SDL_GetError()), 77;
    clear_fn clear = (clear_fn)SDL_GL_GetProcAddress("glClear");
    SDL_GL_SetSwapInterval(0);
    for (int frame = 0; frame < 20; frame++) {
        SDL_Event event;
        while (SDL_PollEvent(&event)) {
        }
        clear(0x4000);
        SDL_GL_SwapWindow(window);
    }
    puts("swaps 20");
    SDL_GL_DeleteContext(context);
    SDL_DestroyWindow(window);
    SDL_Quit();
    return 0;
}
