/** @file
 * What passprobe notes about measuring on a device, for session.json and the summary. This file knows no
 * graphics API. */
#ifndef PP_CORE_ENGINE_NOTES_H
#define PP_CORE_ENGINE_NOTES_H

#include "core/util/compiler.h"
#include "core/util/log.h"

struct pp_device;

/** Report why a selected event is not measured on this device. Repeats are ignored. Any thread. */
PP_API void pp_device_missing(struct pp_device *device, const char *event, const char *reason);

/** Report how measuring changes this device, for session.json and the summary: for example, a profiling
 * lock pins the clocks. Repeats are ignored. Any thread. */
PP_API void pp_device_note(struct pp_device *device, const char *text);

/** Maximum bytes of a note, including its NUL. */
#define PP_NOTE_BYTES 1024U

/** Like pp_device_note(), once for each device and id. Call it as pp_note_once(device, PP_MSG_x, ...). Any
 * thread; further calls cost one read. */
PP_API __attribute__((format(printf, 3, 4))) void pp_note_once(struct pp_device *device, enum pp_message id,
                                                               const char *format, ...);

/** pp_device_note() with the session's lock held. */
void pp_device_note_locked(struct pp_device *device, const char *text);

/** pp_device_missing() with the session's lock held. */
void pp_device_missing_locked(struct pp_device *device, const char *event, const char *reason);

#endif
