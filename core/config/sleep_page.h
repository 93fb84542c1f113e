/** @file
 * The page by which a process that is asleep is waked: one page of memory that the process and the command
 * share, and a small file in the folder of the control sockets that says which page it is. See
 * docs/internals/process.md, "Asleep".
 *
 * The page is no file, because everybody of the same user may cut a file, and a load from a page of a file
 * that was cut ends the process by SIGBUS. It is a segment of System V, which has one size for its life,
 * needs no descriptor, and ends with the last process that has it: it is marked for removal as soon as it is
 * attached, and Linux lets it be attached by its number until then (shmctl(2), IPC_RMID). */
#ifndef PP_CORE_CONFIG_SLEEP_PAGE_H
#define PP_CORE_CONFIG_SLEEP_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/config/control_place.h"

#define PP_SLEEP_PAGE_BYTES 4096U

/** What the command orders. */
enum pp_sleep_order {
    PP_SLEEP_ON,    /**< nothing */
    PP_SLEEP_WAKE,  /**< begin the thread and the socket, and stay paused */
    PP_SLEEP_START, /**< the same, and record frames */
};

/** What the process has done. */
enum pp_sleep_state { PP_SLEEP_ASLEEP, PP_SLEEP_AWAKE, PP_SLEEP_REFUSED };

/** The page. The process reads nothing of it but the order. */
struct pp_sleep_page {
    atomic_uint order; /**< enum pp_sleep_order; written by the command */
    atomic_uint state; /**< enum pp_sleep_state; written by the process, like all that follows */
    uint64_t number;   /**< drawn at random; the file has it, too */
    int64_t pid;       /**< as the process sees it */
    char application[256];
    char level[8]; /**< "frame", "pass", "draw" */
};

/** A file and its page, as the process that made it keeps it, or the command that has opened it. */
struct pp_sleep_file {
    struct pp_sleep_page *page;
    int segment; /**< number of the page's segment */
    ino_t inode; /**< of the file */
};

/**
 * Make a page and its file. The file of a process that has ended is replaced. May write 4 kB of a file
 * system.
 *
 * @param page What the page says; copied.
 * @return 0; the page stays attached. -EADDRINUSE: a process of the same number, in another container, has
 * the file. -EEXIST: something else has its name. -errno: there is no memory, no space, or no System V.
 */
__attribute__((warn_unused_result)) int pp_sleep_make(int folder_fd, const struct pp_sleep_page *page,
                                                      struct pp_sleep_file *ret);

/** Remove the file, if it is still the one that was made. The page stays attached. */
void pp_sleep_remove(int folder_fd, pid_t pid, const struct pp_sleep_file *file);

/**
 * Open the page of a process. To be closed by pp_sleep_close().
 *
 * @retval 0
 * @retval -ENOENT There is no file.
 * @retval -ESRCH The process has ended: its file is still there. *ret can be given to pp_sleep_remove()
 * only.
 * @retval -EXDEV The process is in another container (IPC namespace); it may have ended.
 * @retval -EPERM The file or the page belongs to another user, or other users may use it.
 * @retval -EBADMSG The file is not what passprobe writes, or the page is another one.
 * @retval -errno
 */
__attribute__((warn_unused_result)) int pp_sleep_open(int folder_fd, pid_t pid, struct pp_sleep_file *ret);

/** Has another process than the caller the page? If not, its process has ended. */
bool pp_sleep_is_shared(const struct pp_sleep_file *file);

/** Detach the page. @p file may have none. */
void pp_sleep_close(struct pp_sleep_file *file);

#endif
