/** @file
 * See session_symbols.h. */
#include "cli/symbols/session_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <libiberty/demangle.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/symbols/call_stacks.h"
#include "cli/symbols/dwarf_lookup.h"
#include "cli/symbols/jit_symbols.h"
#include "cli/symbols/symbols_file.h"
#include "counters/util/fd.h"
#include "counters/util/monotonic.h"
#include "pp_texts.h"

/* A symbol's name as the source has it, without parameters; the name itself where it is not mangled. Its end
 * is cut off where @p size is too small. @return text. */
static const char *
pp_demangle(char *text, size_t size, const char *name)
{
    char *plain = cplus_demangle(name, DMGL_AUTO | DMGL_ANSI);
    snprintf(text, size, "%s", plain ? plain : name);
    free(plain);
    return text;
}

#define MODULE_SECONDS 120
#define SERVER_SECONDS 600 /* with debuginfod, which downloads */
#define MEMORY_BYTES   ((rlim_t)8 << 30)
#define MAX_TEXT       PP_SYMBOL_TEXT
#define END_INDEX      UINT32_MAX

/* What a child process sends for each symbol; its texts follow. The last one has END_INDEX, and the state of
 * the module as its line. */
struct message {
    uint64_t start;
    uint32_t index;
    uint32_t line, column;
    uint32_t function_len, file_len;
    uint32_t inlined;
};

/* An address that is looked up. */
struct wanted {
    size_t address;
    uint64_t offset;
};

/* The addresses of one module. */
struct job {
    struct pp_call_stacks *stacks;
    size_t module;
    struct wanted *wanted; /* by offset, ascending */
    size_t len;
};

static int
by_offset(const void *a, const void *b)
{
    const struct wanted *x = a;
    const struct wanted *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* What a child process sends, on its way. */
struct sender {
    int fd;
    size_t used;
    char bytes[65536];
};

static bool
flush(struct sender *to)
{
    if (pp_write_all(to->fd, to->bytes, to->used))
        return false;
    to->used = 0;
    return true;
}

static bool
send_bytes(struct sender *to, const void *bytes, size_t len)
{
    if (len > sizeof(to->bytes) - to->used && !flush(to))
        return false;
    memcpy(to->bytes + to->used, bytes, len);
    to->used += len;
    return true;
}

/* Send a symbol; in the child process. */
static bool
send_symbol(void *data, size_t index, const struct pp_found_symbol *symbol)
{
    char name[MAX_TEXT];
    pp_demangle(name, sizeof(name), symbol->function);
    struct message message = {.start = symbol->start,
                              .index = (uint32_t)index,
                              .line = symbol->line,
                              .column = symbol->column,
                              .function_len = (uint32_t)strlen(name),
                              .file_len = (uint32_t)strnlen(symbol->file, MAX_TEXT - 1),
                              .inlined = symbol->inlined};
    return send_bytes(data, &message, sizeof(message)) && send_bytes(data, name, message.function_len) &&
           send_bytes(data, symbol->file, message.file_len);
}

/* Limit what a hostile file can take. */
static void
limit_child(unsigned seconds)
{
    const struct rlimit cpu = {seconds, seconds};
    const struct rlimit core = {0, 0};
    (void)setrlimit(RLIMIT_CPU, &cpu);
    (void)setrlimit(RLIMIT_CORE, &core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const struct rlimit memory = {MEMORY_BYTES, MEMORY_BYTES};
    (void)setrlimit(RLIMIT_DATA, &memory);
#endif
}

/* Look a module's addresses up, and send what was found; in the child process, which ends then. */
static bool
send_module(const struct job *job, const struct pp_debug_places *places, uint64_t *offset, struct sender *out)
{
    struct pp_debug_file file;
    for (size_t i = 0; i < job->len; i++)
        offset[i] = job->wanted[i].offset;
    enum pp_module_state state = pp_debug_file_open(&job->stacks->module[job->module], places, &file);
    int rc = 0;
    if (state == PP_MODULE_LINES || state == PP_MODULE_NO_LINES)
        rc = pp_dwarf_lookup(&file, offset, job->len, send_symbol, out);
    const struct message last = {.index = END_INDEX, .line = (uint32_t)state};
    return rc == 0 && send_bytes(out, &last, sizeof(last)) && flush(out);
}

/* What the child process does. */
static bool
child(const struct job *job, const struct pp_debug_places *places, unsigned seconds, int fd)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct sender *out = malloc(sizeof(*out));
    uint64_t *offset = calloc(job->len, sizeof(*offset));
    bool sent = false;
    limit_child(seconds);
    if (null >= 0 && (dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0))
        goto end;
    if (!places->debuginfod)
        unsetenv("DEBUGINFOD_URLS");
    if (!offset || !out)
        goto end;
    out->fd = fd;
    out->used = 0;
    sent = send_module(job, places, offset, out);
end:
    free(offset);
    free(out);
    return sent;
}

static int64_t
now_ms(void)
{
    return (int64_t)(pp_monotonic_ns() / 1000000);
}

/* Read all bytes until a time. @return false: the time, an error or the end of the pipe came first. */
static bool
read_until(int fd, void *bytes, size_t len, int64_t until_ms)
{
    for (size_t done = 0; done < len;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int64_t left = until_ms - now_ms();
        int polled = left > 0 ? poll(&ready, 1, (int)left) : 0;
        if (polled < 0 && errno == EINTR)
            continue;
        ssize_t got = polled > 0 ? read(fd, (char *)bytes + done, len - done) : -1;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* Receive the symbols of a module. @return 0, -ENOMEM, -EPIPE: the child process ended too early. */
static int
receive(const struct job *job, int fd, int64_t until_ms)
{
    char *text = malloc(2 * ((size_t)MAX_TEXT + 1));
    struct pp_saved_module *module = &job->stacks->module[job->module];
    int rc = text ? 0 : -ENOMEM;
    while (rc == 0) {
        struct message m;
        char *file = text + MAX_TEXT + 1;
        if (!read_until(fd, &m, sizeof(m), until_ms)) {
            rc = -EPIPE;
            break;
        }
        if (m.index == END_INDEX) {
            module->state = m.line <= PP_MODULE_SLOW ? (enum pp_module_state)m.line : PP_MODULE_BROKEN;
            break;
        }
        if (m.index >= job->len || m.function_len > MAX_TEXT || m.file_len > MAX_TEXT ||
            !read_until(fd, text, m.function_len, until_ms) || !read_until(fd, file, m.file_len, until_ms)) {
            rc = -EPIPE;
            break;
        }
        text[m.function_len] = file[m.file_len] = '\0';
        const struct pp_symbol symbol = {.function = text,
                                         .file = file,
                                         .start = m.start,
                                         .line = m.line,
                                         .column = m.column,
                                         .inlined = m.inlined == 1};
        rc = pp_symbols_add(job->stacks, job->wanted[m.index].address, &symbol);
    }
    free(text);
    return rc;
}

/* Forget the symbols of a module that were received before its child process failed. */
static void
forget(const struct job *job)
{
    for (size_t i = 0; i < job->len; i++)
        job->stacks->address[job->wanted[i].address].symbols = 0;
}

/* Look up the addresses of a module in a child process. @retval 0, -ENOMEM, -errno. */
static int
look_up(const struct job *job, const struct pp_debug_places *places)
{
    int fds[2], status = 0;
    unsigned seconds = places->debuginfod ? SERVER_SECONDS : MODULE_SECONDS;
    if (pipe2(fds, O_CLOEXEC))
        return -errno;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        _exit(child(job, places, seconds, fds[1]) ? 0 : 1);
    }
    int rc = pid < 0 ? -errno : 0;
    close(fds[1]);
    if (pid > 0) {
        int64_t until_ms = now_ms() + (int64_t)seconds * 1000;
        rc = receive(job, fds[0], until_ms);
        if (rc) {
            kill(pid, SIGKILL);
            forget(job);
            job->stacks->module[job->module].state = now_ms() >= until_ms ? PP_MODULE_SLOW : PP_MODULE_BROKEN;
        }
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    close(fds[0]);
    return rc == -EPIPE ? 0 : rc;
}

/* Does an address still need a line? */
static bool
lacks_line(const struct pp_call_stacks *s, const struct pp_address *address)
{
    for (size_t i = 0; i < address->symbols; i++)
        if (s->symbol[address->symbol + i].line)
            return false;
    return true;
}

/* Has an address the name of a function, or a file? */
static bool
is_named(const struct pp_call_stacks *s, const struct pp_address *address)
{
    for (size_t i = 0; i < address->symbols; i++)
        if (*s->symbol[address->symbol + i].function || *s->symbol[address->symbol + i].file)
            return true;
    return false;
}

/* Look up a module's addresses. Those that it has symbols for already keep them if the file gives no better
 * ones. */
static int
look_up_module(struct pp_call_stacks *s, size_t module, struct wanted *wanted,
               const struct pp_debug_places *places)
{
    struct job job = {.stacks = s, .module = module, .wanted = wanted};
    for (size_t i = 0; i < s->addresses; i++)
        if (s->address[i].module == module && lacks_line(s, &s->address[i]))
            wanted[job.len++] = (struct wanted){.address = i, .offset = s->address[i].offset};
    if (!job.len)
        return 0;
    struct pp_address *before = calloc(job.len, sizeof(*before));
    if (!before)
        return -ENOMEM;
    qsort(wanted, job.len, sizeof(*wanted), by_offset);
    for (size_t i = 0; i < job.len; i++) {
        before[i] = s->address[wanted[i].address];
        s->address[wanted[i].address].symbols = 0;
    }
    int rc = look_up(&job, places);
    bool all = true;
    for (size_t i = 0; i < job.len; i++) {
        struct pp_address *address = &s->address[wanted[i].address];
        if (!is_named(s, address) && before[i].symbols)
            *address = before[i];
        all = all && is_named(s, address);
    }
    if (!all && s->module[module].state == PP_MODULE_NO_LINES)
        s->module[module].state = PP_MODULE_STRIPPED;
    free(before);
    return rc;
}

/*
 * Look up the addresses that have no line yet, in the files of their modules.
 *
 * @param stacks Its symbols grow, and the states of its modules are set. A child process reads the files one
 * after another, and each may take two minutes.
 * @retval 0, -ENOMEM, -errno (no child process can be made).
 */
static int
symbolize(struct pp_call_stacks *s, const struct pp_debug_places *places)
{
    struct wanted *wanted = calloc(s->addresses + 1, sizeof(*wanted));
    int rc = wanted ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < s->modules; i++)
        rc = look_up_module(s, i, wanted, places);
    free(wanted);
    return rc;
}

/* A file of a just-in-time compiler may be written so long after session.json. */
#define MAP_SECONDS 10

double
pp_session_recorded_s(const struct pp_saved_session *rec)
{
    const char *start = json_string_value(pp_saved_json(rec, "program.start"));
    struct tm tm = {.tm_sec = 0};
    const char *end = start ? strptime(start, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
    return end && !*end ? (double)timegm(&tm) : (double)NAN;
}

bool
pp_session_is_from_here(const struct pp_saved_session *rec)
{
    struct utsname machine;
    const char *host = json_string_value(pp_saved_json(rec, "host.name"));
    return host && uname(&machine) == 0 && strcmp(machine.nodename, host) == 0;
}

/* Name what a just-in-time compiler of this machine made. */
static int
read_map(const struct pp_saved_session *rec, struct pp_call_stacks *stacks)
{
    struct stat st;
    double pid = pp_saved_number(rec, "program.pid");
    if (!pp_session_is_from_here(rec) || !(pid > 0 && pid < 1e9) ||
        fstatat(rec->dir_fd, "session.json", &st, AT_SYMLINK_NOFOLLOW))
        return 0;
    const struct pp_jit_time time = {.from_s = pp_session_recorded_s(rec),
                                     .to_s = (double)st.st_mtim.tv_sec + MAP_SECONDS};
    int rc = pp_jit_dump_read(stacks, "/tmp", (long)pid, &time);
    rc = rc ? rc : pp_jit_dump_read(stacks, ".", (long)pid, &time); /* where V8 writes it */
    return rc ? rc : pp_perf_map_read(stacks, "/tmp", (long)pid, &time);
}

int
pp_session_symbols_read(const struct pp_saved_session *rec, const struct pp_debug_places *places,
                        struct pp_call_stacks *ret, char *why)
{
    struct pp_call_stacks stacks = {.modules = 0};
    const struct pp_stack_files files = {.dir_fd = rec->dir_fd};
    int rc = pp_call_stacks_read(&files, &stacks, why);
    if (rc)
        return rc;
    rc = pp_symbols_read(&files, &stacks, why);
    if (rc == 0) {
        snprintf(why, PP_CALL_STACKS_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
        rc = symbolize(&stacks, places);
        rc = rc ? rc : read_map(rec, &stacks);
    }
    if (rc)
        pp_call_stacks_finish(&stacks);
    else
        *ret = stacks;
    return rc;
}
