/** @file
 * See report_html.h. */
#include "cli/commands/report_html.h"

#include <string.h>

#include "cli/commands/output_file.h"
#include "cli/html/html_data.h"
#include "cli/html/html_report.h"
#include "cli/print/message.h"
#include "pp_texts.h"

static int
write_page(FILE *out, const void *data)
{
    return pp_html_report_write(out, data);
}

int
pp_report_html(struct pp_saved_session *rec, const char *dir, const char *file)
{
    json_t *data = NULL;
    int rc = pp_html_data_make(rec, dir, &data);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, dir, strerror(-rc));
    int status = pp_output_file_write(file, write_page, data);
    json_decref(data);
    if (status == 0)
        pp_output_file_print(file, PP_TEXT_FILE_BROWSER);
    return status;
}
