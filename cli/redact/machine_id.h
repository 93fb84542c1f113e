/** @file
 * The number under which a machine is known where its name is removed. Knows no session. */
#ifndef PP_CLI_REDACT_MACHINE_ID_H
#define PP_CLI_REDACT_MACHINE_ID_H

/** Bytes of a machine's number as text: 16 hexadecimal digits and a NUL. */
#define PP_MACHINE_ID_MAX 17

/**
 * Make the number of a machine from its name and the user's salt. The same user gets the same number for a
 * machine each time; without the salt, the name cannot be found by trying names.
 *
 * The salt is 256 random bits in passprobe/salt under $XDG_STATE_HOME (else ~/.local/state), a file of mode
 * 0600 that never leaves the machine and is made when it is first needed. A link, a file of another user, or
 * one that others may read is not used.
 *
 * @param name Of the machine. @param ret PP_MACHINE_ID_MAX bytes; unchanged on failure.
 * @retval 0
 * @retval -EPERM  The salt's file is not the user's alone.
 * @retval -ENOENT There is no home directory.
 * @retval -errno  The salt cannot be read or made.
 */
__attribute__((warn_unused_result)) int pp_machine_id(const char *name, char *ret);

#endif
