/** @file
 * See perfetto_names.h. */
#include "cli/trace/perfetto_names.h"

#include <string.h>

#include "cli/trace/perfetto_fields.h"

uint64_t
pp_perfetto_name(struct pp_text_pool *names, const char *name, bool *ret_new)
{
    const char *text = *name ? name : "(no name)";
    const struct pp_name *known = pp_name_table_find(&names->names, text, strlen(text));
    *ret_new = false;
    if (!known && names->len >= PP_PERFETTO_NAMES) {
        text = "(other)";
        known = pp_name_table_find(&names->names, text, strlen(text));
    }
    if (known)
        return (uint64_t)known->index + 1;
    *ret_new = true;
    return pp_text_pool_add(names, text, strlen(text)) ? names->len : 0;
}

void
pp_perfetto_name_write(struct pp_protobuf *out, unsigned field, const struct pp_text_pool *names,
                       uint64_t iid)
{
    const char *text = names->text[iid - 1];
    pp_protobuf_open(out, field);
    pp_protobuf_u64(out, IID, iid);
    pp_protobuf_text(out, INTERNED_TEXT, text, strlen(text));
    pp_protobuf_close(out);
}
