/** @file
 * See probe.h. */
#include "cli/probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/launch/install_paths.h"
#include "cli/probe/probe_apis.h"
#include "counters/events/event_names.h"
#include "counters/sources/registry.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_hardware.h"
#include "pp_texts.h"

static const struct row {
    const char *driver, *api, *version, *says, *device, *how, *gpus;
} rows[] = {
#define ROW(...) {__VA_ARGS__},
    PP_HARDWARE_TABLE(ROW)
#undef ROW
};

/* Rows name OpenGL also for OpenGL ES. */
static bool
is_of(const struct row *row, const struct pp_probe *probe)
{
    bool vulkan = strcmp(probe->api, "Vulkan") == 0;
    return vulkan == (strcmp(row->api, "Vulkan") == 0) && fnmatch(row->device, probe->device, 0) == 0;
}

static const char *
version_of(const struct pp_probe *probe)
{
    const char *mesa = strstr(probe->version, "Mesa ");
    return mesa ? mesa + strlen("Mesa ") : probe->driver_version;
}

static bool
is_version(const struct row *row, const char *version)
{
    return strncmp(version, row->says, strlen(row->says)) == 0;
}

/* The row of a driver's version, else the driver's first row. Rows with narrower patterns of the device are
 * first.
 * @return NULL: the driver has none. */
static const struct row *
row_of(const struct pp_probe *probe)
{
    const struct row *found = NULL;
    for (size_t i = 0; i < PP_ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        if (!is_of(row, probe) || (found && strcmp(row->device, found->device) != 0))
            continue;
        if (!found || is_version(row, version_of(probe)))
            found = row;
    }
    return found;
}

const char *
pp_checked_describe(const struct pp_probe *probe, char *text, size_t size)
{
    const struct row *row = row_of(probe);
    if (!row)
        snprintf(text, size, "%s", PP_TEXT_CHECKED_NEVER);
    else if (is_version(row, version_of(probe)))
        snprintf(text, size, PP_FORMAT_CHECKED, row->driver, row->version, row->how, row->gpus);
    else
        snprintf(text, size, PP_FORMAT_CHECKED_OTHER, row->driver, row->version, row->how);
    return text;
}

#define PROBE_TIMEOUT_MS 20000

/* Write all bytes. @return false: some could not be written. */
static bool
probe_write(int fd, const void *bytes, size_t len)
{
    return pp_write_all(fd, bytes, len) == 0;
}

/* Read all bytes. @return false: the end of the pipe, an error or the time-out came first. */
static bool
probe_read(int fd, void *bytes, size_t len)
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

#define COUNTERS_MAX 131072U

static struct pp_probe_counter *collected;
static uint32_t count, capacity;

/* Copy a text, and zero the rest of its array, so that equal counters are equal byte for byte. */
static void
copy(char *to, size_t size, const char *text)
{
    memset(to, 0, size);
    if (text)
        pp_event_text_clean(to, size, text);
}

#define COPY(field, text) copy(field, sizeof(field), text)

void
pp_probe_counter_add(const struct pp_probe_counter *counter)
{
    if (count == capacity) {
        uint32_t more = capacity ? 2 * capacity : 64;
        struct pp_probe_counter *bigger =
            more > COUNTERS_MAX ? NULL : realloc(collected, more * sizeof(*bigger));
        if (!bigger)
            return;
        collected = bigger;
        capacity = more;
    }
    collected[count++] = *counter;
}

void
pp_probe_source_add(uint32_t probe, const struct pp_source_ops *ops, void *self, const char *about,
                    uint32_t (*limit)(void *self, uint32_t event))
{
    struct pp_event event;
    struct pp_probe_counter counter;
    memset(&counter, 0, sizeof(counter));
    counter.probe = probe;
    COPY(counter.source, ops->name);
    COPY(counter.description, about);
    pp_probe_counter_add(&counter);
    for (uint32_t i = 0; ops->event(self, i, &event) == 0; i++) {
        const char *unit = pp_unit_suffix(event.unit);
        counter.limit = limit ? limit(self, i) : 0;
        COPY(counter.group, event.group);
        COPY(counter.name, event.name);
        COPY(counter.unit, *unit == '_' ? unit + 1 : unit);
        COPY(counter.description, event.description);
        COPY(counter.reason, event.reason);
        pp_probe_counter_add(&counter);
    }
}

const char *
pp_probe_source_text(const char *source, char *text, size_t size)
{
    const struct pp_source_row *row = pp_source_row_find(source);
    text[0] = '\0';
    if (row)
        snprintf(text, size, "%s: %s%s%s", row->measures, row->scope, *row->cost ? "; " : "", row->cost);
    return text;
}

void
pp_probe_absent_add(uint32_t probe, const char *source, const char *reason)
{
    struct pp_probe_counter counter;
    memset(&counter, 0, sizeof(counter));
    counter.probe = probe;
    COPY(counter.source, source);
    COPY(counter.reason, reason);
    pp_probe_counter_add(&counter);
}

/* Send what pp_probe_counter_add() collected. */
static bool
probe_counters_send(int fd)
{
    return probe_write(fd, &count, sizeof(count)) &&
           (count == 0 || probe_write(fd, collected, count * sizeof(*collected)));
}

/* Receive counters into @p probes (NULL: drop them), where the child's first context has number @p first. */
static bool
probe_counters_receive(int fd, struct pp_probes *probes, uint32_t first)
{
    uint32_t more = 0;
    if (!probe_read(fd, &more, sizeof(more)) || more > COUNTERS_MAX)
        return false;
    if (!probes || more == 0)
        return true;
    struct pp_probe_counter *all =
        realloc(probes->counter, (probes->counters + more) * sizeof(*probes->counter));
    if (!all)
        return false;
    probes->counter = all;
    if (!probe_read(fd, all + probes->counters, more * sizeof(*all)))
        return false;
    for (uint32_t i = 0; i < more; i++)
        all[probes->counters + i].probe += first;
    probes->counters += more;
    return true;
}

void
pp_probes_destroy(struct pp_probes *probes)
{
    if (probes)
        free(probes->counter);
    free(probes);
}

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
        _exit(probe_write(fds[1], answer, size) && probe_counters_send(fds[1]) ? 0 : 1);
    }
    close(fds[1]);
    bool ok = pid > 0 && probe_read(fds[0], answer, size) &&
              probe_counters_receive(fds[0], probes, probes ? (uint32_t)probes->len : 0);
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
