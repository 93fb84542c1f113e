/** @file
 * See redact_text.h. */
#include "cli/redact/redact_text.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"

/* Folders that hold home directories. */
static const struct {
    const char *name;
    bool any_case; /* Windows and macOS do not distinguish the cases */
} homes[] = {{"home", false}, {"Users", true}};

/* Parts of paths that are not replaced, also where a user has such a name. */
static const char *const common[] = {"root", "home", "user", "users", "usr", "bin",
                                     "lib",  "src",  "opt",  "tmp",   "var"};

/* A text that is being made. */
struct making {
    struct pp_redaction *redaction;
    size_t len;
    bool failed; /* no memory */
};

static void
put(struct making *m, const char *bytes, size_t len)
{
    struct pp_redaction *r = m->redaction;
    m->failed = m->failed || pp_grow_large_array(&r->text, &r->cap, m->len + len + 1, 1);
    if (m->failed)
        return;
    memcpy(r->text + m->len, bytes, len);
    m->len += len;
    r->text[m->len] = '\0';
}

/* Does a name in a path end at this byte? Names of users have no blanks under Linux, but under Windows. */
static bool
ends_name(char byte, bool windows)
{
    if (windows)
        return byte == '\0' || strchr("\\/\",;:*?<>|\r\n\t", byte);
    return byte == '\0' || strchr("/\\\"',;:()[]{}<>|\r\n\t ", byte);
}

/* Length of the separator of a path that begins here; 0: none does. Where a path of labels has a name of the
 * application, "/" is "\\/"; texts in quotes have "\\\\"; addresses have "%2F". */
static size_t
separator_length(const char *text, size_t len)
{
    if (!len)
        return 0;
    if (*text == '/')
        return 1;
    if (*text == '\\')
        return len > 1 && (text[1] == '\\' || text[1] == '/') ? 2 : 1;
    bool encoded = len > 2 && *text == '%' &&
                   (strncasecmp(text + 1, "2f", 2) == 0 || strncasecmp(text + 1, "5c", 2) == 0);
    return encoded ? 3 : 0;
}

/* The same of all separators that follow each other, as in "/home//bob" and "/home/./bob". */
static size_t
separators_length(const char *text, size_t len)
{
    size_t at = 0, more = 0;
    while ((more = separator_length(text + at, len - at))) {
        at += more;
        if (at + 1 < len && text[at] == '.' && separator_length(text + at + 1, len - at - 1))
            at++;
    }
    return at;
}

/* Does a name in a path end at this place? */
static bool
is_end(const char *text, size_t at, size_t len, bool windows)
{
    return at == len || ends_name(text[at], windows) || separator_length(text + at, len - at);
}

/* Length of the user's own home directory that begins here; 0: it does not. */
static size_t
own_length(const struct pp_redaction *r, const char *text, size_t len)
{
    size_t at = 0;
    for (const char *home = r->home; *home; home++) {
        size_t more = *home != '/' ? at < len && text[at] == *home
                      : at == 0    ? separator_length(text, len)
                                   : separators_length(text + at, len - at);
        if (!more)
            return 0;
        at += more;
    }
    return at && is_end(text, at, len, false) ? at : 0;
}

/* Length of the home directory that begins here; 0: none does. */
static size_t
home_length(const struct pp_redaction *r, const char *text, size_t len)
{
    size_t own = own_length(r, text, len), first = separator_length(text, len);
    bool windows = *text == '\\' && !(first == 2 && text[1] == '/');
    if (own)
        return own;
    for (size_t i = 0; i < PP_ARRAY_SIZE(homes); i++) {
        size_t name = strlen(homes[i].name), at = first + name;
        if (at >= len || (homes[i].any_case || windows ? strncasecmp(text + first, homes[i].name, name)
                                                       : strncmp(text + first, homes[i].name, name)) != 0)
            continue;
        size_t more = separators_length(text + at, len - at), begin = at + more;
        at = begin;
        while (more && !is_end(text, at, len, windows))
            at++;
        if (at > begin)
            return at;
    }
    return 0;
}

/* Length of the separator and the name of the user that begin here; 0: none does. @param ret_separator Length
 * of the separator. */
static size_t
user_length(const struct pp_redaction *r, const char *text, size_t len, size_t *ret_separator)
{
    *ret_separator = separator_length(text, len);
    for (size_t i = 0; i < r->users; i++) {
        size_t name = strlen(r->user[i]), end = *ret_separator + name;
        if (end <= len && memcmp(text + *ret_separator, r->user[i], name) == 0 &&
            is_end(text, end, len, false))
            return end;
    }
    return 0;
}

static bool
is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_';
}

/* Length of the machine's name, if it is the word that begins at @p at; 0: it is not. */
static size_t
host_length(const struct pp_redaction *r, const char *text, size_t at, size_t len)
{
    size_t name = strlen(r->host);
    if (!name || name > len - at || strncasecmp(text + at, r->host, name) != 0)
        return 0;
    if ((at && is_word_byte(text[at - 1])) || (at + name < len && is_word_byte(text[at + name])))
        return 0;
    return name;
}

/* What is replaced at one place of a text. */
struct hit {
    size_t len;       /* bytes of the text; 0: nothing is replaced here */
    size_t separator; /* of these, the first ones stay */
    const char *with; /* what is in place of the others */
};

/* Find what is replaced at @p at. */
static struct hit
hit_at(const struct pp_redaction *r, const char *text, size_t at, size_t len, bool words)
{
    struct hit hit = {.with = "~"};
    if (separator_length(text + at, len - at)) {
        hit.len = home_length(r, text + at, len - at);
        if (hit.len)
            return hit;
        hit = (struct hit){.with = "USER"};
        hit.len = user_length(r, text + at, len - at, &hit.separator);
    } else if (words) {
        hit = (struct hit){.len = host_length(r, text, at, len), .with = "HOST"};
    }
    return hit;
}

/* How far is it to the next byte at which something may begin? */
static size_t
plain_length(const struct pp_redaction *r, const char *text, size_t len, bool words)
{
    char begin = words ? *r->host : '/';
    size_t at = 0;
    while (at < len && text[at] != '/' && text[at] != '\\' && text[at] != '%' &&
           (text[at] | 0x20) != (begin | 0x20))
        at++;
    return at;
}

static const char *
redact(struct pp_redaction *r, const char *text, size_t len, size_t *ret_len, bool words)
{
    struct making m = {.redaction = r};
    uint64_t before = r->replaced;
    size_t copied = 0; /* bytes of the text that were copied or replaced */
    for (size_t at = 0; (at += plain_length(r, text + at, len - at, words)) < len;) {
        struct hit hit = hit_at(r, text, at, len, words);
        if (hit.len) {
            put(&m, text + copied, at + hit.separator - copied);
            put(&m, hit.with, strlen(hit.with));
            copied = at + hit.len;
            r->replaced++;
        }
        at += hit.len ? hit.len : 1;
    }
    *ret_len = len;
    if (r->replaced == before && !m.failed)
        return text;
    put(&m, text + copied, len - copied);
    *ret_len = m.len;
    return m.failed ? NULL : r->text;
}

const char *
pp_redact_text(struct pp_redaction *redaction, const char *text, size_t len, size_t *ret_len)
{
    return redact(redaction, text, len, ret_len, false);
}

const char *
pp_redact_words(struct pp_redaction *redaction, const char *text, size_t len, size_t *ret_len)
{
    return redact(redaction, text, len, ret_len, *redaction->host != '\0');
}

void
pp_redaction_add_user(struct pp_redaction *redaction, const char *name)
{
    bool usable = name && strlen(name) > 2 && strlen(name) < PP_REDACTION_NAME && !strpbrk(name, "/\\");
    for (size_t i = 0; usable && i < PP_ARRAY_SIZE(common); i++)
        usable = strcmp(name, common[i]) != 0;
    for (size_t i = 0; usable && i < redaction->users; i++)
        usable = strcmp(name, redaction->user[i]) != 0;
    if (usable && redaction->users < PP_REDACTION_USERS)
        snprintf(redaction->user[redaction->users++], PP_REDACTION_NAME, "%s", name);
}

void
pp_redaction_set_host(struct pp_redaction *redaction, const char *name)
{
    if (name && strlen(name) > 2 && strlen(name) < PP_REDACTION_NAME && strcmp(name, "localhost") != 0)
        snprintf(redaction->host, sizeof(redaction->host), "%s", name);
}

void
pp_redaction_init(struct pp_redaction *redaction)
{
    struct utsname machine;
    const char *home = getenv("HOME");
    const struct passwd *user = getpwuid(geteuid());
    size_t len = home ? strlen(home) : 0;
    while (len > 1 && home[len - 1] == '/')
        len--;
    if (len > 1 && *home == '/' && len < sizeof(redaction->home))
        snprintf(redaction->home, sizeof(redaction->home), "%.*s", (int)len, home);
    pp_redaction_add_user(redaction, getenv("USER"));
    pp_redaction_add_user(redaction, getenv("LOGNAME"));
    pp_redaction_add_user(redaction, user ? user->pw_name : NULL);
    if (uname(&machine) == 0)
        pp_redaction_set_host(redaction, machine.nodename);
}

void
pp_redaction_finish(struct pp_redaction *redaction)
{
    free(redaction->text);
    memset(redaction, 0, sizeof(*redaction));
}
