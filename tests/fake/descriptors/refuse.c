/** @file
 * refuse PROGRAM [ARGUMENT]...: run a program whose threads get no table of descriptors of their own. Exit
 * status 77: the kernel has no filters. */
#include <stdio.h>
#include <unistd.h>

#include "tests/fake/sandbox/filter.h"

int
main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (sandbox_refuse_tables()) {
        perror("refuse");
        return 77;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
