/** @file
 * Notes about devices; see notes.h. */
#include "core/engine/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"

/* Append to a list unless it is there: the same event, and with @p all the same reason. */
static void
append_locked(struct pp_missing **list, const char *event, const char *reason, bool all)
{
    struct pp_missing **at = list;
    while (*at && (strcmp((*at)->event, event) != 0 || (all && strcmp((*at)->reason, reason) != 0)))
        at = &(*at)->next;
    struct pp_missing *missing = *at ? NULL : calloc(1, sizeof(*missing));
    if (!missing)
        return;
    missing->event = strdup(event);
    missing->reason = strdup(reason);
    if (missing->event && missing->reason) {
        *at = missing;
        return;
    }
    free(missing->event);
    free(missing->reason);
    free(missing);
}

void
pp_device_missing_locked(struct pp_device *device, const char *event, const char *reason)
{
    append_locked(&device->missing, event, reason, false);
}

void
pp_device_note_locked(struct pp_device *device, const char *text)
{
    append_locked(&device->notes, "note", text, true);
}

void
pp_device_note(struct pp_device *device, const char *text)
{
    struct pp_session *session = device->session;
    pthread_mutex_lock(&session->lock);
    pp_device_note_locked(device, text);
    pthread_mutex_unlock(&session->lock);
}

void
pp_note_once(struct pp_device *device, enum pp_message id, const char *format, ...)
{
    char text[PP_NOTE_BYTES];
    va_list args;
    if (!pp_once(&device->noted, id))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    pp_device_note(device, text);
}

void
pp_device_missing(struct pp_device *device, const char *event, const char *reason)
{
    struct pp_session *session = device->session;
    pthread_mutex_lock(&session->lock);
    pp_device_missing_locked(device, event, reason);
    pthread_mutex_unlock(&session->lock);
}
