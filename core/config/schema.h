/** @file
 * The version of the session's files. Their writer and their readers use it. */
#ifndef PP_CORE_CONFIG_SCHEMA_H
#define PP_CORE_CONFIG_SCHEMA_H

/** The member "schema" of session.json (docs/formats/session.md). It rises when a reader of the last version
 * would misunderstand the files; new columns at the right and new members do not raise it. */
#define PP_SESSION_SCHEMA 2

#endif
