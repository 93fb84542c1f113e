/** @file
 * See shown_texts.h. */
#include "cli/redact/shown_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/print.h"
#include "pp_texts.h"

int
pp_shown_texts_add(struct pp_shown_texts *texts, const char *text, size_t len)
{
    if (texts->more || pp_name_table_find(&texts->seen, text, len))
        return 0;
    texts->more = texts->texts == PP_SHOWN_TEXTS_MOST;
    if (texts->more)
        return 0;
    char *copy = strndup(text, len);
    if (!copy)
        return -ENOMEM;
    texts->text[texts->texts++] = copy;
    return pp_name_table_add(&texts->seen, copy, strlen(copy), 0, 0) == -ENOMEM ? -ENOMEM : 0;
}

void
pp_shown_texts_print(FILE *out, const struct pp_shown_texts *texts, const char *table, const char *column)
{
    if (texts->texts)
        pp_print(out, PP_FORMAT_REDACT_COLUMN "\n", table, column);
    for (size_t i = 0; i < texts->texts; i++)
        pp_print(out, "    %s\n", texts->text[i]);
    if (texts->more)
        pp_print(out, "    %s\n", "(and others)");
}

void
pp_shown_texts_finish(struct pp_shown_texts *texts)
{
    for (size_t i = 0; i < texts->texts; i++)
        free(texts->text[i]);
    pp_name_table_finish(&texts->seen);
    *texts = (struct pp_shown_texts){.texts = 0};
}
