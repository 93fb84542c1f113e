/** @file
 * See executable.h. Source of the layouts: elf(5), execve(2). */
#include "cli/launch/executable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/launch/install_paths.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

#define HEAD_BYTES 65536U

/* The machine that passprobe was built for, as ELF names it: fields of the header of this executable. */
static void
class_of_this_command(unsigned char *ret_class, uint16_t *ret_machine)
{
    ElfW(Ehdr) head;
    memset(&head, 0, sizeof(head));
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t got = read(fd, &head, sizeof(head));
        (void)got;
        close(fd);
    }
    *ret_class = head.e_ident[EI_CLASS];
    *ret_machine = head.e_machine;
}

/* Does a table of program headers name an interpreter? `type` is the first word in both classes. */
static bool
has_interpreter(const unsigned char *bytes, size_t len, uint64_t offset, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t type = 0;
        if (offset > len || len - offset < sizeof(type))
            return false;
        memcpy(&type, bytes + offset, sizeof(type));
        if (type == PT_INTERP)
            return true;
        offset += size;
    }
    return false;
}

static void
classify_elf(const unsigned char *bytes, size_t len, struct pp_executable_file *file)
{
    unsigned char our_class = 0;
    uint16_t our_machine = 0;
    bool interp = false;
    class_of_this_command(&our_class, &our_machine);
    file->kind = PP_EXECUTABLE_OTHER;
    if (bytes[EI_CLASS] == ELFCLASS64 && len >= sizeof(Elf64_Ehdr)) {
        Elf64_Ehdr head;
        memcpy(&head, bytes, sizeof(head));
        interp = has_interpreter(bytes, len, head.e_phoff, head.e_phentsize, head.e_phnum);
        file->other_class = head.e_ident[EI_CLASS] != our_class || head.e_machine != our_machine;
    } else if (bytes[EI_CLASS] == ELFCLASS32 && len >= sizeof(Elf32_Ehdr)) {
        Elf32_Ehdr head;
        memcpy(&head, bytes, sizeof(head));
        interp = has_interpreter(bytes, len, head.e_phoff, head.e_phentsize, head.e_phnum);
        file->other_class = head.e_ident[EI_CLASS] != our_class || head.e_machine != our_machine;
    } else {
        return;
    }
    file->kind = interp ? PP_EXECUTABLE_DYNAMIC : PP_EXECUTABLE_STATIC;
}

/* Characters that end the interpreter's path. */
static bool
is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

void
pp_executable_classify(const unsigned char *bytes, size_t len, struct pp_executable_file *file)
{
    file->kind = PP_EXECUTABLE_OTHER;
    file->other_class = false;
    file->interpreter[0] = '\0';
    if (len >= EI_NIDENT && memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        classify_elf(bytes, len, file);
    } else if (len >= 2 && bytes[0] == '#' && bytes[1] == '!') {
        size_t at = 2;
        size_t used = 0;
        while (at < len && is_blank(bytes[at]) && bytes[at] != '\n')
            at++;
        while (at < len && used < sizeof(file->interpreter) - 1 && !is_blank(bytes[at]))
            file->interpreter[used++] = (char)bytes[at++];
        file->interpreter[used] = '\0';
        file->kind = PP_EXECUTABLE_SCRIPT;
    }
}

int
pp_executable_find(const char *name, char ret[PATH_MAX])
{
    struct stat st;
    int rc = -ENOENT;
    if (!*name)
        return -ENOENT;
    if (strchr(name, '/')) {
        if (strlen(name) >= PATH_MAX)
            return -ENAMETOOLONG;
        memcpy(ret, name, strlen(name) + 1);
        if (stat(name, &st))
            return -errno;
        return S_ISREG(st.st_mode) && access(name, X_OK) == 0 ? 0 : -EACCES;
    }
    const char *path = getenv("PATH");
    const char *next = NULL;
    for (const char *p = path ? path : "/bin:/usr/bin"; p; p = next) {
        char dir[PATH_MAX];
        size_t len = strcspn(p, ":");
        next = p[len] ? p + len + 1 : NULL;
        if (len >= sizeof(dir))
            continue;
        memcpy(dir, p, len);
        dir[len] = '\0';
        if (!pp_join(ret, len ? dir : ".", name) || stat(ret, &st) || !S_ISREG(st.st_mode))
            continue;
        if (access(ret, X_OK) == 0)
            return 0;
        rc = -EACCES;
    }
    return rc;
}

/* Would the kernel set AT_SECURE? File capabilities do not make root's process secure, and set-user-ID does
 * not if the owner is the user. */
static bool
is_secure(const char *path, const struct stat *st)
{
    if ((st->st_mode & S_ISUID) && st->st_uid != getuid())
        return true;
    if ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st->st_gid != getgid())
        return true;
    return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

int
pp_executable_inspect(const char *name, struct pp_executable_file *ret_file)
{
    struct pp_executable_file file = {.kind = PP_EXECUTABLE_OTHER};
    int rc = pp_executable_find(name, file.path);
    if (rc)
        return rc;
    int fd = pp_open_regular(AT_FDCWD, file.path, O_RDONLY);
    struct stat st;
    if (fd < 0)
        return fd;
    if (fstat(fd, &st) == 0)
        file.secure = is_secure(file.path, &st);
    unsigned char *bytes = malloc(HEAD_BYTES);
    ssize_t got = bytes ? pread(fd, bytes, HEAD_BYTES, 0) : -1;
    rc = !bytes ? -ENOMEM : got < 0 ? -errno : 0;
    if (bytes && rc == 0)
        pp_executable_classify(bytes, (size_t)got, &file);
    free(bytes);
    close(fd);
    if (rc == 0)
        *ret_file = file;
    return rc;
}

const char *
pp_executable_obstacle(const struct pp_executable_file *file)
{
    if (file->secure)
        return PP_TEXT_ELF_SECURE;
    if (file->kind == PP_EXECUTABLE_STATIC)
        return PP_TEXT_ELF_STATIC;
    if (file->other_class)
        return PP_TEXT_ELF_MACHINE;
    return NULL;
}
