/** @file
 * Foreign texts inside XML and Markdown: a name must stay a name there, whatever it holds. */
#ifndef PP_CLI_PRINT_ESCAPE_H
#define PP_CLI_PRINT_ESCAPE_H

/** A text for an attribute or the content of an XML element. Characters that XML does not allow, or that are
 * not printable, become '?'. @return Owned by the caller; NULL: no memory. */
char *pp_escape_xml(const char *text);

/** A text as code in a cell of a Markdown table (GitHub, GitLab). In code there are no links, mentions,
 * pictures or HTML. Characters that are not printable become '?'; an empty text is "-". @return Owned by the
 * caller; NULL: no memory. */
char *pp_escape_markdown(const char *text);

#endif
