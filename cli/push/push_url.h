/** @file
 * The address of a ClickHouse server, clickhouse://USER@HOST:PORT/DATABASE, and the password for it: from a
 * file or a variable, never from the command line. */
#ifndef PP_CLI_PUSH_PUSH_URL_H
#define PP_CLI_PUSH_PUSH_URL_H

#include <stdbool.h>
#include <stdint.h>

/** An address. Its parts hold no characters that mean something in SQL or in a URL. */
struct pp_push_url {
    bool tls; /**< clickhouses:// */
    char user[128];
    char host[256]; /**< a name or an address; of IPv6 without brackets */
    uint16_t port;  /**< of the HTTP interface */
    char database[128];
    const char *query; /**< after '?'; "": there is none. Borrowed from the text */
};

/**
 * Read an address.
 *
 * @param ret_why What is wrong with it; a static text, which holds nothing of the address. Set only on
 * failure.
 * @retval 0
 * @retval -EINVAL It is none.
 * @retval -EACCES It has a password, which other users of the machine can read on the command line.
 */
__attribute__((warn_unused_result)) int pp_push_url_read(const char *text, struct pp_push_url *ret,
                                                         const char **ret_why);

/** Is the text an address of a server, right or wrong, and not the name of a file? */
bool pp_push_is_url(const char *text);

/** Is the host this machine? */
bool pp_push_url_is_local(const struct pp_push_url *url);

/** Does a password for it go over a network without encryption? */
bool pp_push_url_is_plain(const struct pp_push_url *url);

/** Bytes of a password, with its NUL. */
#define PP_PUSH_PASSWORD_MAX 1024U

/**
 * Read the password.
 *
 * @param file NULL: it is in the variable PASSPROBE_PUSH_PASSWORD, if at all. Else its first line.
 * @param ret  PP_PUSH_PASSWORD_MAX bytes: "" if there is none.
 * @param ret_why What is wrong, a static text or one of strerror(); set only on failure.
 * @retval 0
 * @retval -EPERM  Other users may read or change the file, or it belongs to one.
 * @retval -EINVAL It is no regular file, its first line is empty or too long, or holds a control character.
 * @retval -errno  It cannot be read.
 */
__attribute__((warn_unused_result)) int pp_push_password(const char *file, char *ret, const char **ret_why);

/** Overwrite a text that must not stay in memory. */
void pp_push_forget(char *text, unsigned long size);

#endif
