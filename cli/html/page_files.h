/** @file
 * The pages without a session, as tools/gen_page.py makes them from page.html, compare.html, page.css and
 * script/. */
#ifndef PP_CLI_HTML_PAGE_FILES_H
#define PP_CLI_HTML_PAGE_FILES_H

/** The page of a session, and that of a comparison. Places for the sessions are comments: `<!--verdict-->`.
 */
extern const char pp_html_page[];
extern const char pp_html_compare_page[];

#endif
