/** @file
 * See redact_file.h. */
#include "cli/redact/redact_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/archive/read_watch.h"
#include "cli/session/session_json.h"
#include "counters/util/fd.h"
#include "counters/util/grow_array.h"
#include "counters/util/random.h"
#include "counters/util/sha256.h"

/* Files of others may be nested deeper than those of passprobe. jansson's own limit is 2,048. */
#define DEEPEST 64U

static int redact_value(struct pp_redaction *r, json_t *value, unsigned depth);

static int
redact_string(struct pp_redaction *r, json_t *string)
{
    size_t len = 0;
    const char *text = json_string_value(string);
    const char *made = pp_redact_words(r, text, json_string_length(string), &len);
    if (!made)
        return -ENOMEM;
    return made == text || json_string_setn(string, made, len) == 0 ? 0 : -ENOMEM;
}

/* Redact the names and the values of an object's members. */
static int
redact_object(struct pp_redaction *r, json_t *object, unsigned depth)
{
    json_t *made = json_object();
    const char *key = NULL;
    json_t *value = NULL;
    int rc = made ? 0 : -ENOMEM;
    json_object_foreach(object, key, value)
    {
        size_t len = 0;
        rc = rc ? rc : redact_value(r, value, depth);
        const char *name = rc ? NULL : pp_redact_words(r, key, strlen(key), &len);
        rc = rc ? rc : name ? 0 : -ENOMEM;
        if (rc == 0 && json_object_setn(made, name, len, value))
            rc = -ENOMEM;
    }
    if (rc == 0 && (json_object_clear(object) || json_object_update(object, made)))
        rc = -ENOMEM;
    json_decref(made);
    return rc;
}

static int
redact_value(struct pp_redaction *r, json_t *value, unsigned depth)
{
    if (depth > DEEPEST)
        return -ENOMEM;
    if (json_is_string(value))
        return redact_string(r, value);
    if (json_is_object(value))
        return redact_object(r, value, depth + 1);
    for (size_t i = 0; i < json_array_size(value); i++) {
        int rc = redact_value(r, json_array_get(value, i), depth + 1);
        if (rc)
            return rc;
    }
    return 0;
}

/* Keep the first word of the command line. */
static int
remove_arguments(json_t *program)
{
    json_t *command = json_object_get(program, "command");
    json_int_t removed = 0;
    while (json_array_size(command) > 1 && json_array_remove(command, json_array_size(command) - 1) == 0)
        removed++;
    if (removed && json_object_set_new(program, "arguments_removed", json_integer(removed)))
        return -ENOMEM;
    return 0;
}

/* Replace the name of the machine by a number that does not lead back to it. */
static int
replace_host(json_t *host)
{
    char id[PP_MACHINE_ID_MAX];
    const char *name = json_string_value(json_object_get(host, "name"));
    if (!name)
        return 0;
    int rc = pp_machine_id(name, id) == 0 && json_object_set_new(host, "id", json_string(id)) ? -ENOMEM : 0;
    (void)json_object_del(host, "name");
    return rc;
}

/* Learn the name of the user who recorded the session: the part of a path after "/home/". */
static void
learn_user(struct pp_redaction *r, const json_t *program)
{
    static const char folder[] = "/home/";
    char name[PP_REDACTION_NAME];
    const char *path = json_string_value(json_object_get(program, "executable"));
    const char *home = path ? strstr(path, folder) : NULL;
    size_t len = home ? strcspn(home + strlen(folder), "/") : 0;
    if (len == 0 || len >= sizeof(name))
        return;
    memcpy(name, home + strlen(folder), len);
    name[len] = '\0';
    pp_redaction_add_user(r, name);
}

void
pp_redaction_learn(struct pp_redaction *redaction, const json_t *json)
{
    learn_user(redaction, json_object_get(json, "program"));
    pp_redaction_set_host(redaction,
                          json_string_value(json_object_get(json_object_get(json, "host"), "name")));
}

void
pp_redaction_machine(const json_t *json, bool keep, char *ret)
{
    char id[PP_MACHINE_ID_MAX];
    const json_t *host = json_object_get(json, "host");
    const char *name = json_string_value(json_object_get(host, "name"));
    const char *known = json_string_value(json_object_get(host, "id"));
    ret[0] = '\0';
    if (name && (keep || pp_machine_id(name, id) == 0))
        snprintf(ret, PP_REDACTION_NAME, "%s", keep ? name : id);
    else if (!name && known)
        snprintf(ret, PP_REDACTION_NAME, "%s", known);
}

int
pp_redact_json(struct pp_redaction *redaction, json_t *json)
{
    char id[PP_SESSION_ID_MAX];
    json_t *program = json_object_get(json, "program");
    bool known = pp_session_id(json, id) == 0;
    pp_redaction_learn(redaction, json);
    int rc = remove_arguments(program);
    rc = rc ? rc : replace_host(json_object_get(json, "host"));
    rc = rc ? rc : redact_value(redaction, json, 0);
    if (rc == 0 && known && !json_object_get(json, "session_id") &&
        json_object_set_new(json, "session_id", json_string(id)))
        rc = -ENOMEM;
    if (rc == 0 && json_object_set_new(json, "redacted", json_true()))
        rc = -ENOMEM;
    return rc;
}

#define SALT_BYTES 64 /* 256 bits as hexadecimal digits */

/* Make a folder, and open it. @return Descriptor, -errno. */
static int
open_folder(int parent_fd, const char *name)
{
    if (mkdirat(parent_fd, name, 0700) && errno != EEXIST)
        return -errno;
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Open the folder of passprobe's state, which is made where it is missing. @return Descriptor, -errno. */
static int
open_state(void)
{
    static const char *const below[] = {".local", "state"};
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool given = state && *state == '/';
    const char *begin = given ? state : home;
    if (!begin || *begin != '/')
        return -ENOENT;
    if (given)
        (void)mkdir(state, 0700);
    int fd = open(begin, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fd = fd < 0 ? -errno : fd;
    for (size_t i = 0; i < 3 && fd >= 0; i++) {
        if (given && i < 2)
            continue;
        int inner = open_folder(fd, i < 2 ? below[i] : "passprobe");
        close(fd);
        fd = inner;
    }
    return fd;
}

/* Read the salt. @retval 0, -ENOENT, -EPERM, -errno. */
static int
read_salt(int folder_fd, char *ret)
{
    struct stat st;
    int fd = pp_open_regular(folder_fd, "salt", O_RDONLY | O_NOFOLLOW);
    if (fd < 0)
        return fd == -ELOOP ? -EPERM : fd;
    int rc = fstat(fd, &st) ? -errno : st.st_uid != geteuid() || (st.st_mode & 077) ? -EPERM : 0;
    if (rc == 0 && read(fd, ret, SALT_BYTES) != SALT_BYTES)
        rc = -EIO;
    close(fd);
    return rc;
}

/* Make the salt. Of two processes that do so at once, the first one's stays. */
static int
make_salt(int folder_fd)
{
    char text[SALT_BYTES + 1], name[PP_RANDOM_ID_MAX + 8], random[PP_RANDOM_ID_MAX];
    int rc = pp_random_id(text);
    rc = rc ? rc : pp_random_id(text + SALT_BYTES / 2);
    rc = rc ? rc : pp_random_id(random);
    if (rc)
        return rc;
    snprintf(name, sizeof(name), "salt.%s", random);
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    rc = write(fd, text, SALT_BYTES) == SALT_BYTES && fsync(fd) == 0 ? 0 : -EIO;
    close(fd);
    if (rc == 0 && linkat(folder_fd, name, folder_fd, "salt", 0) && errno != EEXIST)
        rc = -errno;
    (void)unlinkat(folder_fd, name, 0);
    return rc;
}

int
pp_machine_id(const char *name, char *ret)
{
    char salt[SALT_BYTES + 1] = "", text[PP_SHA256_DIGITS + 1];
    struct pp_sha256 hash;
    int fd = open_state();
    if (fd < 0)
        return fd;
    int rc = read_salt(fd, salt);
    if (rc == -ENOENT) {
        rc = make_salt(fd);
        rc = rc ? rc : read_salt(fd, salt);
    }
    close(fd);
    if (rc)
        return rc;
    pp_sha256_init(&hash);
    pp_sha256_add_text(&hash, "passprobe machine");
    pp_sha256_add_text(&hash, salt);
    pp_sha256_add_text(&hash, name);
    pp_sha256_end(&hash, text);
    memcpy(ret, text, PP_MACHINE_ID_MAX - 1);
    ret[PP_MACHINE_ID_MAX - 1] = '\0';
    return 0;
}

#define READ_BYTES ((size_t)1 << 18)

bool
pp_redact_has_paths(const char *name)
{
    return strncmp(name, "modules.csv", 11) == 0 || strncmp(name, "symbols.csv", 11) == 0;
}

static int
pass_on(struct pp_redaction *r, bool words, const char *bytes, size_t len, pp_redact_sink *sink, void *data)
{
    size_t made = 0;
    const char *text = words ? pp_redact_words(r, bytes, len, &made) : pp_redact_text(r, bytes, len, &made);
    return !text ? -ENOMEM : made ? sink(data, text, made) : 0;
}

/* Bytes up to the end of the last whole row; 0: there is none. */
static size_t
whole_rows(const char *bytes, size_t len)
{
    const char *end = memrchr(bytes, '\n', len);
    return end ? (size_t)(end - bytes) + 1 : 0;
}

/* Make place for more bytes. */
static int
grow(char **buffer, size_t *cap, size_t len)
{
    if (len > PP_REDACT_ROW_MAX)
        return -EFBIG;
    return pp_grow_large_array(buffer, cap, len + READ_BYTES, 1);
}

int
pp_redact_file(struct pp_redaction *redaction, const char *name, int fd, pp_redact_sink *sink, void *data)
{
    char *buffer = NULL;
    size_t cap = 0, len = 0;
    ssize_t got = 1;
    bool words = pp_redact_has_paths(name);
    int rc = 0;
    while (rc == 0 && got) {
        rc = grow(&buffer, &cap, len);
        got = rc ? 0 : pp_read_watched(fd, buffer + len, READ_BYTES);
        if (got < 0 && errno != EINTR)
            rc = -errno;
        if (rc || got < 0)
            continue;
        len += (size_t)got;
        size_t whole = got ? whole_rows(buffer, len) : len;
        rc = whole ? pass_on(redaction, words, buffer, whole, sink, data) : 0;
        memmove(buffer, buffer + whole, len - whole);
        len -= whole;
    }
    free(buffer);
    return rc;
}
