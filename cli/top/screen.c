/** @file
 * See screen.h. */
#include "cli/top/screen.h"
#include "cli/text/terminal.h" /* before term.h, whose macros have names of parameters */

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "counters/util/array_size.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int fault[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
#define ENDING PP_ARRAY_SIZE(ending)
#define FAULTS PP_ARRAY_SIZE(fault)

/* The screen, and what signal handlers need of it. */
static struct {
    SCREEN *screen; /* NULL: there is none */
    FILE *in, *out;
    bool colour;
    int out_fd;           /* for the handlers */
    struct termios usual; /* how the terminal was */
    char leave[256];      /* what gives the screen back */
    volatile sig_atomic_t signal;
    struct sigaction old_ending[ENDING], old_fault[FAULTS];
} now;

static void
on_ending(int number)
{
    now.signal = number;
}

/* Give the terminal back and let the signal do what it usually does. Only functions for signal handlers. */
static void
on_fault(int number)
{
    ssize_t ignored = write(now.out_fd, now.leave, strlen(now.leave));
    (void)ignored;
    (void)tcsetattr(now.out_fd, TCSANOW, &now.usual);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void
install_handlers(void)
{
    struct sigaction act;
    memset(&act, 0, sizeof(act));
    sigemptyset(&act.sa_mask);
    act.sa_handler = on_ending;
    for (size_t i = 0; i < ENDING; i++) {
        sigaction(ending[i], NULL, &now.old_ending[i]);
        if (now.old_ending[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &act, NULL);
    }
    act.sa_handler = on_fault;
    act.sa_flags = SA_NODEFER;
    for (size_t i = 0; i < FAULTS; i++)
        sigaction(fault[i], &act, &now.old_fault[i]);
}

static void
restore_handlers(void)
{
    for (size_t i = 0; i < ENDING; i++)
        sigaction(ending[i], &now.old_ending[i], NULL);
    for (size_t i = 0; i < FAULTS; i++)
        sigaction(fault[i], &now.old_fault[i], NULL);
}

/* Take over the character set of the terminal, and nothing else of the locale: numbers keep their '.'. Where
 * the locale is not installed, as in containers, the variables still say what the terminal has. */
static void
set_character_set(void)
{
    if (!setlocale(LC_CTYPE, "") && pp_terminal_is_utf8())
        (void)setlocale(LC_CTYPE, "C.UTF-8");
}

/* A text of the terminal's description. */
static const char *
capability(const char *name)
{
    static char buffer[32];
    snprintf(buffer, sizeof(buffer), "%s", name);
    const char *text = tigetstr(buffer);
    return text && text != (const char *)-1 ? text : "";
}

/* Remember what gives the screen back: leave keypad mode and colours, show the cursor, leave the screen. */
static void
remember_leave(void)
{
    static const char *const name[] = {"rmkx", "sgr0", "cnorm", "rmcup"};
    now.leave[0] = '\0';
    for (size_t i = 0; i < PP_ARRAY_SIZE(name); i++) {
        size_t used = strlen(now.leave);
        /* a delay such as $<5> is meant for tputs() */
        snprintf(now.leave + used, sizeof(now.leave) - used, "%.*s", (int)strcspn(capability(name[i]), "$"),
                 capability(name[i]));
    }
}

/* Set how the screen works. */
static void
set_modes(void)
{
    const char *no_colour = getenv("NO_COLOR");
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    (void)curs_set(0);
    (void)keypad(stdscr, true);
    (void)nodelay(stdscr, true);
    (void)set_escdelay(25);
    now.colour =
        !(no_colour && *no_colour) && has_colors() && start_color() == OK && use_default_colors() == OK;
    if (now.colour) {
        (void)init_pair(1, COLOR_YELLOW, -1);
        (void)init_pair(2, COLOR_GREEN, -1);
    }
}

int
pp_screen_begin(int in_fd, int out_fd)
{
    int error = 0;
    now.out_fd = out_fd;
    now.signal = 0;
    if (tcgetattr(out_fd, &now.usual))
        return -errno;
    set_character_set();
    use_env(false); /* the terminal knows its size better than LINES and COLUMNS */
    use_tioctl(true);
    if (setupterm(NULL, out_fd, &error) != OK)
        return -ENODEV;
    bool usable = *capability("cup");
    (void)del_curterm(cur_term);
    if (!usable)
        return -ENODEV;
    now.in = fdopen(fcntl(in_fd, F_DUPFD_CLOEXEC, 3), "r");
    now.out = fdopen(fcntl(out_fd, F_DUPFD_CLOEXEC, 3), "w");
    if (now.in && now.out) {
        install_handlers(); /* before ncurses, which keeps handlers that it finds */
        now.screen = newterm(NULL, now.out, now.in);
        if (!now.screen)
            restore_handlers();
    }
    if (!now.screen) {
        pp_screen_end();
        return -ENODEV;
    }
    remember_leave();
    set_modes();
    return 0;
}

bool
pp_screen_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void
pp_screen_size(size_t *ret_lines, size_t *ret_columns)
{
    int down = getmaxy(stdscr), across = getmaxx(stdscr);
    *ret_lines = down > 0 ? (size_t)down : 0;
    *ret_columns = across > 0 ? (size_t)across : 0;
}

/* What shows a style. */
static attr_t
attributes(enum pp_top_style style)
{
    switch (style) {
    case PP_TOP_BOLD:
        return A_BOLD;
    case PP_TOP_REVERSE:
        return A_REVERSE;
    case PP_TOP_WARNING:
        return A_BOLD | (now.colour ? (attr_t)COLOR_PAIR(1) : 0);
    case PP_TOP_PLAIN:
        break;
    }
    return A_NORMAL;
}

void
pp_screen_show(const struct pp_top_line *line, size_t n)
{
    (void)erase();
    for (size_t i = 0; i < n; i++) {
        (void)attrset((int)attributes(line[i].style));
        (void)mvaddstr((int)i, 0, line[i].text);
        if (!*line[i].chart)
            continue;
        (void)attrset(now.colour ? (int)COLOR_PAIR(2) : (int)A_NORMAL);
        (void)mvaddstr((int)i, (int)line[i].chart_column, line[i].chart);
    }
    (void)attrset((int)A_NORMAL);
    (void)refresh();
}

/* Take over the new size of the terminal. ncurses does so by itself only where it also believes LINES and
 * COLUMNS. */
static void
resize(void)
{
    struct winsize size;
    if (ioctl(now.out_fd, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
        (void)resize_term(size.ws_row, size.ws_col);
    (void)clearok(stdscr, true);
}

int
pp_screen_key(void)
{
    static const struct {
        int key;
        enum pp_screen_key is;
    } special[] = {
        {ERR, PP_SCREEN_NONE},          {KEY_UP, PP_SCREEN_UP},           {KEY_DOWN, PP_SCREEN_DOWN},
        {KEY_PPAGE, PP_SCREEN_PAGE_UP}, {KEY_NPAGE, PP_SCREEN_PAGE_DOWN}, {KEY_RESIZE, PP_SCREEN_RESIZED}};
    int key = getch();
    if (key == KEY_RESIZE)
        resize();
    for (size_t i = 0; i < PP_ARRAY_SIZE(special); i++)
        if (key == special[i].key)
            return (int)special[i].is;
    return key > 0 && key < 0x80 ? key : (int)PP_SCREEN_UNKNOWN;
}

int
pp_screen_signal(void)
{
    return (int)now.signal;
}

void
pp_screen_end(void)
{
    if (now.screen) {
        (void)endwin();
        delscreen(now.screen);
        restore_handlers();
    }
    now.screen = NULL;
    if (now.in)
        (void)fclose(now.in);
    if (now.out)
        (void)fclose(now.out);
    now.in = now.out = NULL;
}
