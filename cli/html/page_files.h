/** @file
 * The page without a session, as tools/gen_page.py makes it from page.html, page.css and script/. */
#ifndef PP_CLI_HTML_PAGE_FILES_H
#define PP_CLI_HTML_PAGE_FILES_H

/** The page. Places for the session are comments: `<!--verdict-->`. */
extern const char pp_html_page[];

#endif
