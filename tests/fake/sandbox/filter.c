/** @file
 * Seccomp filters for tests; see filter.h. Source: seccomp(2). */
#include "tests/fake/sandbox/filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name)                                                                                           \
    {                                                                                                        \
#name, SYS_##name                                                                                    \
    }

static const struct {
    const char *name;
    uint32_t call;
} known[] = {
    CALL(brk),
    CALL(clock_gettime),
    CALL(clock_nanosleep),
    CALL(close),
    CALL(exit),
    CALL(exit_group),
    CALL(ftruncate),
    CALL(futex),
    CALL(getrusage),
    CALL(gettid),
    CALL(ioctl),
    CALL(lseek),
    CALL(madvise),
    CALL(mmap),
    CALL(mprotect),
    CALL(mremap),
    CALL(munmap),
    CALL(nanosleep),
    CALL(pread64),
    CALL(pwrite64),
    CALL(read),
    CALL(restart_syscall),
    CALL(rt_sigpending),
    CALL(rt_sigprocmask),
    CALL(rt_sigtimedwait),
    CALL(sched_yield),
    CALL(write),
};

/* The system call whose name begins a text. */
static bool
add_name(struct sandbox_list *list, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i].name) != length || strncmp(known[i].name, name, length) != 0)
            continue;
        sandbox_allow(list, known[i].call);
        return true;
    }
    fprintf(stderr, "sandbox: no call %.*s\n", (int)length, name);
    return false;
}

/* The names in the first cell of a row. */
static bool
add_row(struct sandbox_list *list, const char *row)
{
    const char *end = strchr(row + 1, '|');
    for (const char *at = strchr(row, '`'); at && end && at < end; at = strchr(at, '`')) {
        size_t length = strcspn(++at, "`");
        if (!add_name(list, at, length))
            return false;
        at += length + 1;
    }
    return true;
}

bool
sandbox_read_list(const char *path, struct sandbox_list *ret)
{
    char line[1024];
    FILE *file = fopen(path, "re");
    bool inside = false;
    bool ok = file != NULL;
    memset(ret, 0, sizeof(*ret));
    while (ok && fgets(line, sizeof(line), file)) {
        if (strstr(line, "begin of the list") || strstr(line, "end of the list"))
            inside = !inside;
        else if (inside && line[0] == '|')
            ok = add_row(ret, line);
    }
    if (file)
        fclose(file);
    return ok && ret->count > 0;
}

void
sandbox_allow(struct sandbox_list *list, uint32_t call)
{
    if (list->count < SANDBOX_CALLS)
        list->call[list->count++] = call;
}

long
sandbox_enter(const struct sandbox_list *list, uint32_t otherwise, unsigned flags)
{
    struct sock_filter code[SANDBOX_CALLS + 3];
    unsigned length = 0;
    code[length++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < list->count; i++)
        code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, list->call[i],
                                                      (uint8_t)(list->count - i), 0);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)length, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC | flags, &program);
}

/* Set a filter for all threads. */
static int
set_filter(struct sock_filter *code, size_t len)
{
    struct sock_fprog program = {.len = (unsigned short)len, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ? -1 : 0;
}

int
sandbox_refuse_tables(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_getfd, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    return set_filter(code, sizeof(code) / sizeof(code[0]));
}

int
sandbox_without_close_range(unsigned most)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, most, 2, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    return set_filter(code, sizeof(code) / sizeof(code[0]));
}
