/** @file
 * A stand-in for the engine: the four entry points that libpassprobe.so looks for, noting what arrives. */
#include <stdio.h>
#include <string.h>

#include "tests/annotate/fake_core.h"

static char journal[4096];

static void
note(char what, const char *text)
{
    size_t len = strlen(journal);
    snprintf(journal + len, sizeof(journal) - len, "%c%s;", what, text);
}

void
pp_annotate_push(const char *name)
{
    note('+', name);
}

void
pp_annotate_pop(void)
{
    note('-', "");
}

void
pp_annotate_mark(const char *text)
{
    note('!', text);
}

void
pp_annotate_frame(void)
{
    note('f', "");
}

const char *
fake_core_journal(void)
{
    return journal;
}
