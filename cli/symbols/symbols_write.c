/** @file
 * See symbols_write.h. */
#include "cli/symbols/symbols_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/print/print.h"
#include "cli/session/csv_write.h"
#include "cli/symbols/symbols_file.h"

#define SPARE PP_SYMBOLS_FILE ".new"

static void
print_symbol(FILE *out, const struct pp_call_stacks *s, const struct pp_address *address,
             const struct pp_symbol *symbol)
{
    if (address->module != PP_SAVED_NO_MODULE)
        pp_print(out, "%" PRIu64, s->module[address->module].number);
    pp_print(out, ",0x%" PRIx64 ",", address->offset);
    pp_csv_write(out, symbol->function, strlen(symbol->function), true);
    pp_print_char(out, ',');
    pp_csv_write(out, symbol->file, strlen(symbol->file), true);
    pp_print_char(out, ',');
    if (symbol->line)
        pp_print(out, "%" PRIu32, symbol->line);
    pp_print_char(out, ',');
    if (symbol->column)
        pp_print(out, "%" PRIu32, symbol->column);
    pp_print(out, ",%d,", symbol->inlined);
    if (symbol->start)
        pp_print(out, "0x%" PRIx64, symbol->start);
    pp_print_char(out, '\n');
}

int
pp_symbols_write(int dir_fd, const struct pp_call_stacks *s)
{
    int fd = openat(dir_fd, SPARE, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        int rc = -errno;
        if (fd >= 0)
            close(fd);
        return rc;
    }
    pp_print(out, PP_SYMBOLS_HEADER "\n");
    for (size_t i = 0; i < s->addresses; i++)
        for (size_t k = 0; k < s->address[i].symbols; k++)
            print_symbol(out, s, &s->address[i], &s->symbol[s->address[i].symbol + k]);
    errno = 0;
    int rc = fflush(out) || ferror(out) ? errno ? -errno : -EIO : 0;
    if (fclose(out) && rc == 0)
        rc = errno ? -errno : -EIO;
    if (rc == 0 && renameat(dir_fd, SPARE, dir_fd, PP_SYMBOLS_FILE))
        rc = -errno;
    if (rc)
        (void)unlinkat(dir_fd, SPARE, 0);
    return rc;
}
