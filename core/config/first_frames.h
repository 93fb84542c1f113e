/** @file
 * How many first frames a surface may have. The engine, for --slower-than, and the command, for statistics,
 * leave the same frames out. See also cli/session/first_frames.h. */
#ifndef PP_CORE_CONFIG_FIRST_FRAMES_H
#define PP_CORE_CONFIG_FIRST_FRAMES_H

/** First frames are those up to and including the first one with a draw or a dispatch. If this many frames
 * have neither, only the first frame of all is one. */
#define PP_FIRST_FRAMES_MAX 64U

#endif
