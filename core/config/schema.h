/** @file
 * The version of the session's files. Their writer and their readers use it.
 *
 * How many first frames a surface may have. The engine, for --slower-than, and the command, for statistics,
 * leave the same frames out. See also cli/session/frame_window.h. */
#ifndef PP_CORE_CONFIG_SCHEMA_H
#define PP_CORE_CONFIG_SCHEMA_H

/** The member "schema" of session.json (docs/formats/session.md). It rises when a reader of the last version
 * would misunderstand the files; new columns at the right and new members do not raise it. */
#define PP_SESSION_SCHEMA 2

/** First frames are those up to and including the first one with a draw or a dispatch. If this many frames
 * have neither, only the first frame of all is one. */
#define PP_FIRST_FRAMES_MAX 64U

#endif
