/** @file
 * A library to preload: getauxval() answers as in a set-user-ID process, without root. Source of __getauxval:
 * glibc's elf/getauxval.c, exported since 2.16. */
#include <sys/auxv.h>

unsigned long __getauxval(unsigned long type); /* NOLINT: glibc's name */

__attribute__((visibility("default"))) unsigned long
getauxval(unsigned long type)
{
    return type == AT_SECURE ? 1 : __getauxval(type);
}
