/** @file
 * See symbol_table.h. */
#include "cli/symbols/symbol_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/grow_array.h"
#include "counters/util/printable.h"

#define MAX_PER_ADDRESS 256U

int
pp_symbols_add(struct pp_call_stacks *s, size_t address, const struct pp_symbol *symbol)
{
    struct pp_address *a = &s->address[address];
    char text[2][PP_SYMBOL_TEXT + 1];
    const char *from[2] = {symbol->function, symbol->file};
    const char *pooled[2];
    if (a->symbols == MAX_PER_ADDRESS)
        return 0;
    for (size_t i = 0; i < 2; i++) {
        snprintf(text[i], sizeof(text[i]), "%.*s", PP_SYMBOL_TEXT, from[i]); /* reads no more than it takes */
        pp_printable_clean(text[i], '?');
        pooled[i] = pp_text_pool_add(&s->texts, text[i], strlen(text[i]));
    }
    if (!pooled[0] || !pooled[1] ||
        pp_grow_array(&s->symbol, &s->symbol_cap, s->symbols + 1, sizeof(*s->symbol)))
        return -ENOMEM;
    s->symbol[s->symbols] = *symbol;
    s->symbol[s->symbols].function = pooled[0];
    s->symbol[s->symbols].file = pooled[1];
    if (!a->symbols)
        a->symbol = s->symbols;
    a->symbols++;
    s->symbols++;
    return 0;
}
