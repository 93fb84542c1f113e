/** @file
 * A fake engine: the entry points that the public header looks for. They note each call. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/annotate/fake_core.h"

static char journal[4096];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned frames;

static void
note(char what, const char *text)
{
    pthread_mutex_lock(&lock);
    size_t len = strlen(journal);
    snprintf(journal + len, sizeof(journal) - len, "%c%s;", what, text);
    frames += what == 'f';
    pthread_mutex_unlock(&lock);
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

void
pp_annotate_set(const char *name, double value)
{
    char text[128];
    snprintf(text, sizeof(text), "%s %.17g", name, value);
    note('=', text);
}

void
pp_annotate_add(const char *name, double delta)
{
    char text[128];
    snprintf(text, sizeof(text), "%s %.17g", name, delta);
    note('a', text);
}

unsigned
fake_core_frames(void)
{
    return frames;
}

const char *
fake_core_journal(void)
{
    return journal;
}
