/** @file
 * A fake libpassprobe-gl.so: in the application that FAKE_PROGRAM names it copies the files of the directory
 * FAKE_SESSION into PASSPROBE_OUTPUT, as a recording process leaves them. So the command can be tested
 * without graphics. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
copy_file(const char *from, const char *to)
{
    char bytes[4096];
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    ssize_t got = 0;
    while (in >= 0 && out >= 0 && (got = read(in, bytes, sizeof(bytes))) > 0) {
        if (write(out, bytes, (size_t)got) != got)
            break;
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
}

/* The directory that PASSPROBE_OUTPUT names, in which %% means %. @return NULL: there is none. */
static const char *
output(void)
{
    static char path[PATH_MAX];
    const char *at = getenv("PASSPROBE_OUTPUT");
    size_t len = 0;
    for (; at && *at && len + 1 < sizeof(path); at++) {
        path[len++] = *at;
        at += *at == '%' && at[1] == '%';
    }
    path[len] = '\0';
    return at ? path : NULL;
}

__attribute__((constructor)) static void
leave_session(void)
{
    const char *program = getenv("FAKE_PROGRAM");
    const char *from = getenv("FAKE_SESSION");
    const char *to = output();
    if (!program || !from || !to || strcmp(program, program_invocation_short_name) != 0)
        return;
    DIR *dir = opendir(from);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        char source[PATH_MAX];
        char target[PATH_MAX];
        snprintf(source, sizeof(source), "%s/%s", from, entry->d_name);
        snprintf(target, sizeof(target), "%s/%s", to, entry->d_name);
        if (entry->d_name[0] != '.')
            copy_file(source, target);
    }
    if (dir)
        closedir(dir);
}
