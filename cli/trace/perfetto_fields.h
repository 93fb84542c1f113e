/** @file
 * Numbers of the fields that passprobe writes, by message. Source: protos/perfetto/trace of
 * github.com/google/perfetto (Apache-2.0), 2026-08; the numbers are part of its published format. */
#ifndef PP_CLI_TRACE_PERFETTO_FIELDS_H
#define PP_CLI_TRACE_PERFETTO_FIELDS_H

enum { TRACE_PACKET = 1 };

enum trace_packet {
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_GPU_RENDER_STAGE = 53,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK_DESCRIPTOR = 60,
};

enum trace_packet_defaults { DEFAULTS_CLOCK_ID = 58 };

/** Bits of PACKET_SEQUENCE_FLAGS. */
enum sequence_flags { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };

enum clock_snapshot { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2 };
enum snapshot_clock { CLOCK_ID_FIELD = 1, CLOCK_TIME_FIELD = 2 };
enum builtin_clock { PERFETTO_REALTIME = 1, PERFETTO_MONOTONIC = 3, PERFETTO_BOOTTIME = 6 };

enum track_descriptor {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILD_ORDERING = 11,
    TRACK_RANK = 12,
};
enum { CHILDREN_BY_RANK = 3 };
enum process_descriptor { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6 };
enum counter_descriptor { COUNTER_UNIT = 3, COUNTER_UNIT_NAME = 6 };
enum counter_unit { UNIT_NS = 1, UNIT_COUNT = 2, UNIT_BYTES = 3 };

enum track_event {
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_DOUBLE_VALUE = 44,
    EVENT_FLOW = 47,
    EVENT_TERMINATING_FLOW = 48,
    EVENT_CALLSTACK_IID = 56,
};
enum track_event_type { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum debug_annotation {
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_TEXT = 6
};

enum interned_data {
    INTERNED_EVENT_NAME = 2,
    INTERNED_ANNOTATION_NAME = 3,
    INTERNED_FUNCTION_NAME = 5,
    INTERNED_FRAME = 6,
    INTERNED_CALLSTACK = 7,
    INTERNED_BUILD_ID = 16,
    INTERNED_MAPPING_PATH = 17,
    INTERNED_MAPPING = 19,
    INTERNED_GRAPHICS_CONTEXT = 23,
    INTERNED_GPU_SPECIFICATION = 24,
};
/** Of all messages in InternedData. */
enum interned { IID = 1 };
enum interned_text { INTERNED_TEXT = 2 };
enum graphics_context { CONTEXT_PID = 2 };
enum interned_frame { FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_REL_PC = 4 };
enum interned_mapping { MAPPING_BUILD_ID = 2, MAPPING_START = 4, MAPPING_END = 5, MAPPING_PATH = 7 };
enum interned_callstack { CALLSTACK_FRAME = 2 };

enum gpu_render_stage {
    STAGE_EVENT_ID = 1,
    STAGE_DURATION = 2,
    STAGE_CONTEXT = 5,
    STAGE_EXTRA = 6,
    STAGE_QUEUE_IID = 13,
    STAGE_STAGE_IID = 14,
    STAGE_NAME = 17,
};
enum extra_data { EXTRA_NAME = 1, EXTRA_VALUE = 2 };

#endif
