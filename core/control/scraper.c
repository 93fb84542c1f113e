/** @file
 * See scraper.h. */
#include "core/control/scraper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/control/open_metrics.h"

/* Send the page, or why not, and let the connection be closed. */
static void
send_page(struct pp_control *control, struct pp_scraper *scraper, uint64_t now_ns)
{
    struct pp_control_facts facts = {.ended = NULL};
    char head[256];
    size_t len = 0;
    unsigned status = scraper->request.status;
    char *page = NULL;
    if (status == 200) {
        control->ops->facts(control->self, &facts);
        page = pp_open_metrics_page(control->session, &facts, &control->recent, &len);
        if (!page) {
            pp_connection_close(&scraper->connection);
            return;
        }
    }
    int head_len =
        snprintf(head, sizeof(head),
                 "HTTP/1.0 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                 status, status == 200 ? "OK" : "", PP_OPEN_METRICS_TYPE, len);
    pp_connection_send(&scraper->connection, strndup(head, (size_t)head_len), (size_t)head_len, now_ns);
    if (page && !scraper->request.head && pp_connection_is_open(&scraper->connection))
        pp_connection_send(&scraper->connection, page, len, now_ns);
    else
        free(page);
    scraper->connection.closing = true;
}

void
pp_scraper_serve(struct pp_control *control, struct pp_scraper *scraper, uint64_t now_ns)
{
    struct pp_connection *connection = &scraper->connection;
    char line[PP_LINE_BYTES];
    bool sent = pp_connection_write(connection, now_ns);
    while (sent && !connection->closing && pp_connection_is_open(connection)) {
        enum pp_line kind = pp_line_reader_take(&connection->lines, line);
        if (kind == PP_LINE_NONE && !pp_connection_read(connection, now_ns))
            break;
        if (kind != PP_LINE_NONE && pp_http_request_take(&scraper->request, kind, line))
            send_page(control, scraper, now_ns);
        if (pp_connection_round_is_over(control->round_ns))
            break;
    }
    pp_connection_close_if_done(connection, false, now_ns);
}
