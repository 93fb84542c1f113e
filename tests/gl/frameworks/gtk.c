/** @file
 * GTK 4, whose OpenGL goes through libepoxy: a GtkGLArea draws RENDERS times, DRAWS triangles each, into a
 * framebuffer of its own in a context of its own; GTK's renderer shows it in a window. */
#include <epoxy/gl.h>
#include <gtk/gtk.h>
#include <stdio.h>

#define RENDERS 20
#define DRAWS   7

static GLuint program, array;
static int renders;
static GMainLoop *loop;

static GLuint
shader(GLenum kind, const char *text)
{
    GLuint made = glCreateShader(kind);
    glShaderSource(made, 1, &text, NULL);
    glCompileShader(made);
    return made;
}

static void
realized(GtkGLArea *area)
{
    gtk_gl_area_make_current(area);
    if (gtk_gl_area_get_error(area))
        return;
    program = glCreateProgram();
    glAttachShader(program, shader(GL_VERTEX_SHADER,
                                   "#version 150\nvoid main() {\n"
                                   "gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1, 0, 1); }"));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER,
                                   "#version 150\nout vec4 color; void main() { color = vec4(1); }"));
    glLinkProgram(program);
    glGenVertexArrays(1, &array);
}

static gboolean
render(GtkGLArea *area, GdkGLContext *context, gpointer user)
{
    (void)area;
    (void)context;
    (void)user;
    glClearColor(0.2f, 0.3f, 0.4f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program);
    glBindVertexArray(array);
    for (int i = 0; i < DRAWS; i++)
        glDrawArrays(GL_TRIANGLES, 0, 3);
    renders++;
    return TRUE;
}

static gboolean
tick(GtkWidget *area, GdkFrameClock *clock, gpointer user)
{
    (void)clock;
    (void)user;
    if (renders >= RENDERS)
        g_main_loop_quit(loop);
    else
        gtk_gl_area_queue_render(GTK_GL_AREA(area));
    return G_SOURCE_CONTINUE;
}

int
main(void)
{
    if (!gtk_init_check()) {
        puts("GTK does not start");
        return 77;
    }
    GtkWidget *window = gtk_window_new();
    GtkWidget *area = gtk_gl_area_new();
    gtk_window_set_default_size(GTK_WINDOW(window), 120, 90);
    gtk_window_set_child(GTK_WINDOW(window), area);
    g_signal_connect(area, "realize", G_CALLBACK(realized), NULL);
    g_signal_connect(area, "render", G_CALLBACK(render), NULL);
    gtk_widget_add_tick_callback(area, tick, NULL, NULL);
    gtk_window_present(GTK_WINDOW(window));
    if (gtk_gl_area_get_error(GTK_GL_AREA(area))) {
        puts("no OpenGL in GTK");
        return 77;
    }
    loop = g_main_loop_new(NULL, FALSE);
    g_main_loop_run(loop);
    printf("renders of %d draws: %s\n", DRAWS, renders >= RENDERS ? "enough" : "too few");
    return 0;
}
