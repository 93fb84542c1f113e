/** @file
 * See missing.h. */
#include "cli/missing.h"

#include <string.h>

#include "cli/say.h"
#include "cli/text.h"

#define GROUPS_MOST 32U

void
pp_missing_print(FILE *out, const struct pp_recording *rec, const char *lead)
{
    struct pp_rec_missing missing[GROUPS_MOST];
    size_t count = pp_recording_missing(rec, PP_REC_ALL_DEVICES, missing, GROUPS_MOST);
    size_t indent = *lead ? strlen(lead) + 4 : 16;
    char event[200];
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s %s", i || *lead ? "" : "\n", *lead ? "# Not measured:" : "   not measured",
                pp_text_name(event, sizeof(event), missing[i].event, 50));
        if (missing[i].events > 1)
            fprintf(out, " and %zu more", missing[i].events - 1);
        fprintf(out, ":\n%s%*s", lead, (int)(indent - strlen(lead)), "");
        pp_text_wrap_behind(out, lead, indent, indent, missing[i].reason);
    }
}

void
pp_missing_say(const struct pp_recording *rec)
{
    struct pp_rec_missing missing[GROUPS_MOST];
    size_t count = pp_recording_missing(rec, PP_REC_ALL_DEVICES, missing, GROUPS_MOST);
    for (size_t i = 0; i < count; i++) {
        if (missing[i].events > 1)
            pp_say("not measured: %.100s and %zu more: %.1000s", missing[i].event, missing[i].events - 1,
                   missing[i].reason);
        else
            pp_say("not measured: %.100s: %.1000s", missing[i].event, missing[i].reason);
    }
}
