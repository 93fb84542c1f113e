/** @file
 * The password for a server: from a file or a variable, never from the command line. */
#ifndef PP_CLI_PUSH_PUSH_PASSWORD_H
#define PP_CLI_PUSH_PUSH_PASSWORD_H

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
