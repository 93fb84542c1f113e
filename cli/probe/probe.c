/** @file
 * See probe.h: the child processes. */
#include "cli/probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/launch/install_paths.h"
#include "cli/probe/gl.h"
#include "cli/probe/probe_private.h"
#include "cli/probe/vk.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

#define PROBE_TIMEOUT_MS 20000

/* Keep passprobe's shim and layer out of the probe. */
static void
child_environment(void)
{
    setenv("PASSPROBE_DISABLE", "1", 1);
    unsetenv("PASSPROBE");
}

/* Redirect the output of drivers: a probe must not print. */
static void
child_silence(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(null);
    }
}

bool
pp_probe_write(int fd, const void *bytes, size_t len)
{
    return pp_write_all(fd, bytes, len) == 0;
}

bool
pp_probe_read(int fd, void *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (poll(&ready, 1, PROBE_TIMEOUT_MS) <= 0)
            return false;
        ssize_t got = read(fd, (char *)bytes + done, len - done);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/** What runs in the child: fills `answer`. */
typedef void probe_function(void *answer, const char *how);

/* Run a function in a child process. Its counters are appended to @p probes (may be NULL). @param why Why
 * there is no answer. @return false: there is none. */
static bool
isolated(probe_function *function, const char *how, void *answer, size_t size, struct pp_probes *probes,
         char *why, size_t why_len)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC)) {
        snprintf(why, why_len, PP_FORMAT_PROBE_PIPE, strerror(errno));
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        child_silence();
        function(answer, how);
        _exit(pp_probe_write(fds[1], answer, size) && pp_probe_counters_send(fds[1]) ? 0 : 1);
    }
    close(fds[1]);
    bool ok = pid > 0 && pp_probe_read(fds[0], answer, size) &&
              pp_probe_counters_receive(fds[0], probes, probes ? (uint32_t)probes->len : 0);
    close(fds[0]);
    int status = 0;
    if (pid > 0 && !ok)
        kill(pid, SIGKILL);
    if (pid > 0 && waitpid(pid, &status, 0) == pid && !ok) {
        int killed = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        if (killed == SIGKILL)
            snprintf(why, why_len, PP_FORMAT_PROBE_SLOW, PROBE_TIMEOUT_MS / 1000);
        else
            snprintf(why, why_len, PP_FORMAT_PROBE_CRASHED, killed);
    } else if (pid < 0) {
        snprintf(why, why_len, PP_TEXT_PROBE_FORK);
    }
    return ok;
}

static void
gl_child(void *answer, const char *how)
{
    child_environment();
    pp_probe_gl(answer, how);
}

static void
vk_child(void *answer, const char *how)
{
    (void)how;
    child_environment();
    pp_probe_vk(answer);
}

static void
add_gl(struct pp_probes *probes, const char *name, const char *how)
{
    struct pp_probe probe;
    char why[256] = "";
    memset(&probe, 0, sizeof(probe));
    if (!isolated(gl_child, how, &probe, sizeof(probe), probes, why, sizeof(why))) {
        memset(&probe, 0, sizeof(probe));
        snprintf(probe.why_not, sizeof(probe.why_not), "%s", why);
    }
    snprintf(probe.api, sizeof(probe.api), "%s", name);
    probes->probe[probes->len++] = probe;
}

void
pp_probe_all(struct pp_probes *ret)
{
    struct pp_probes *vulkan = calloc(1, sizeof(*vulkan));
    char why[256] = "";
    memset(ret, 0, sizeof(*ret));
    add_gl(ret, "OpenGL (EGL)", "egl");
    add_gl(ret, "GLES (EGL)", "gles");
    add_gl(ret, "OpenGL (GLX)", "glx");
    if (!vulkan)
        return;
    if (!isolated(vk_child, "", vulkan, sizeof(*vulkan), ret, why, sizeof(why))) {
        memset(vulkan, 0, sizeof(*vulkan));
        vulkan->len = 1;
        snprintf(vulkan->probe[0].api, sizeof(vulkan->probe[0].api), "Vulkan");
        snprintf(vulkan->probe[0].why_not, sizeof(vulkan->probe[0].why_not), "%s", why);
    }
    for (size_t i = 0; i < vulkan->len && ret->len < PP_PROBES_MAX; i++)
        ret->probe[ret->len++] = vulkan->probe[i];
    free(vulkan);
}

/* The answer of the child that reads the loader's list of layers. */
struct layer_answer {
    int error;
    bool found;
};

static void
layer_child(void *answer, const char *share)
{
    struct layer_answer *layer = answer;
    setenv("PASSPROBE", "1", 1);
    unsetenv("PASSPROBE_DISABLE");
    if (*share && !pp_install_paths_share_is_searched(share)) {
        char dirs[2 * PATH_MAX];
        const char *old = getenv("XDG_DATA_DIRS");
        snprintf(dirs, sizeof(dirs), "%s:%.4000s", share, old && *old ? old : "/usr/local/share:/usr/share");
        setenv("XDG_DATA_DIRS", dirs, 1);
    }
    layer->error = pp_probe_vk_layers(&layer->found);
}

const char *
pp_probe_layer(const char *share)
{
    static char why[256];
    struct layer_answer layer = {0};
    why[0] = '\0';
    if (!isolated(layer_child, share, &layer, sizeof(layer), NULL, why, sizeof(why)))
        return why;
    if (layer.error == -ENOENT)
        return PP_TEXT_PROBE_NO_VULKAN;
    if (layer.error)
        return PP_TEXT_PROBE_LAYERS;
    return layer.found ? "" : PP_TEXT_PROBE_LAYER_MISSING;
}
