-- Version 1 of the tables that `passprobe push` fills. For ClickHouse 18.16 and newer.
--
-- A push writes rows into the tables stored_*. Each row carries the id of its session and the number of the push that
-- wrote it. The row in stored_sessions is written last. A session that was pushed several times has several rows there:
-- the push with the smallest number counts. Read the views (frames, passes, ...), which have the rows of pushes that
-- count, and no others: nothing of a push that was cut off, and no session twice.
--
-- A statement ends with a semicolon at the end of a line. Every statement can be run again.

CREATE TABLE IF NOT EXISTS passprobe_schema (
    version UInt16,
    applied DateTime DEFAULT now()
) ENGINE = MergeTree PARTITION BY tuple() ORDER BY version;

-- One row for each push that has begun. What `passprobe push` removes after a push that was cut off is found here.
CREATE TABLE IF NOT EXISTS stored_pushes (
    push UInt64,
    session_id FixedString(32),
    begun DateTime DEFAULT now()
) ENGINE = MergeTree PARTITION BY tuple() ORDER BY push;

CREATE TABLE IF NOT EXISTS stored_sessions (
    push UInt64,
    session_id FixedString(32),
    day Date,
    start_realtime_ns Nullable(UInt64),
    program String,
    build String,
    scene String,
    machine String,
    gpu String,
    driver String,
    api String,
    os String,
    cpu String,
    level String,
    events String,
    passprobe String,
    session_schema Nullable(UInt64),
    ended String,
    frames UInt64,
    passes UInt64,
    pass_names UInt64,
    labels UInt64,
    marks UInt64,
    draws UInt64,
    counters_missing UInt64,
    dropped_frames Nullable(UInt64),
    own_cost_percent Nullable(Float64),
    pass_bias_ns Nullable(UInt64),
    redacted UInt8,
    content String,
    tags Nested(name String, value String),
    received DateTime DEFAULT now()
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (session_id, push);

CREATE TABLE IF NOT EXISTS stored_frames (
    push UInt64,
    session_id FixedString(32),
    day Date,
    build String,
    gpu String,
    frame UInt32,
    counted UInt8,
    surface Nullable(UInt32),
    api String,
    level String,
    cpu_start_ns Nullable(UInt64),
    frame_time_ns Nullable(UInt64),
    cpu_busy_ns Nullable(UInt64),
    cpu_wait_ns Nullable(UInt64),
    gpu_start_ns Nullable(UInt64),
    gpu_latency_ns Nullable(UInt64),
    gpu_time_ns Nullable(UInt64),
    gpu_busy_ns Nullable(UInt64),
    gpu_wait_ns Nullable(UInt64),
    bound_by Nullable(String),
    passes Nullable(UInt32),
    draws Nullable(UInt32),
    dispatches Nullable(UInt32),
    copies Nullable(UInt32),
    pipelines_created Nullable(UInt32),
    pipeline_create_ns Nullable(UInt64),
    cpu_sync_ns Nullable(UInt64),
    cpu_acquire_ns Nullable(UInt64),
    counters Nested(name String, value Float64)
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (session_id, frame);

CREATE TABLE IF NOT EXISTS stored_passes (
    push UInt64,
    session_id FixedString(32),
    day Date,
    build String,
    gpu String,
    pass_id FixedString(16),
    frame Nullable(UInt32),
    pass UInt32,
    counted UInt8,
    level String,
    kind String,
    width Nullable(UInt32),
    height Nullable(UInt32),
    layers Nullable(UInt32),
    samples Nullable(UInt32),
    draws Nullable(UInt32),
    dispatches Nullable(UInt32),
    copies Nullable(UInt32),
    gpu_start_ns Nullable(UInt64),
    gpu_time_ns Nullable(UInt64),
    bias_ns Nullable(UInt64),
    bound_by Nullable(String),
    by_place Nullable(UInt8),
    queue String,
    counters Nested(name String, value Float64)
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (pass_id, build, session_id);

CREATE TABLE IF NOT EXISTS stored_pass_names (
    push UInt64,
    session_id FixedString(32),
    day Date,
    pass_id FixedString(16),
    kind String,
    name String,
    label String,
    attachments String
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (pass_id, session_id);

CREATE TABLE IF NOT EXISTS stored_labels (
    push UInt64,
    session_id FixedString(32),
    day Date,
    build String,
    gpu String,
    frame UInt32,
    counted UInt8,
    depth Nullable(UInt32),
    label String,
    passes Nullable(UInt32),
    draws Nullable(UInt32),
    dispatches Nullable(UInt32),
    copies Nullable(UInt32),
    gpu_start_ns Nullable(UInt64),
    gpu_inclusive_ns Nullable(UInt64),
    gpu_exclusive_ns Nullable(UInt64),
    counters Nested(name String, value Float64)
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (label, build, session_id, frame);

CREATE TABLE IF NOT EXISTS stored_marks (
    push UInt64,
    session_id FixedString(32),
    day Date,
    at_ns Nullable(UInt64),
    frame Nullable(UInt32),
    label String
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY session_id;

CREATE TABLE IF NOT EXISTS stored_draws (
    push UInt64,
    session_id FixedString(32),
    day Date,
    build String,
    gpu String,
    draw_id FixedString(16),
    frame Nullable(UInt32),
    pass UInt32,
    draw UInt32,
    counted UInt8,
    call String,
    vertices Nullable(UInt64),
    instances Nullable(UInt64),
    groups Nullable(UInt64),
    gpu_start_ns Nullable(UInt64),
    gpu_time_ns Nullable(UInt64),
    bias_ns Nullable(UInt64),
    bound_by Nullable(String),
    by_place Nullable(UInt8),
    pipeline String,
    label String,
    counters Nested(name String, value Float64)
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (draw_id, build, session_id);

CREATE TABLE IF NOT EXISTS stored_counters_missing (
    push UInt64,
    session_id FixedString(32),
    day Date,
    build String,
    gpu String,
    place String,
    event String,
    reason String
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (event, session_id);

-- Roll-ups: one row for each session with its quantiles, sums and counts as states, which can be merged over sessions.
-- They stay when the rows of the frames and the passes are deleted. Of the times of passes the bias is subtracted, as
-- `passprobe report` does. Rows with counted = 0 are left out.
CREATE TABLE IF NOT EXISTS stored_pass_rollup (
    push UInt64,
    session_id FixedString(32),
    day Date,
    build String,
    gpu String,
    pass_id FixedString(16),
    passes AggregateFunction(count),
    gpu_time_ns_quantiles AggregateFunction(quantilesTDigest(0.5, 0.9, 0.95, 0.99), Float64),
    gpu_time_ns_sum AggregateFunction(sum, Float64),
    gpu_time_ns_squares AggregateFunction(sum, Float64)
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (pass_id, build, gpu, day, session_id, push);

CREATE TABLE IF NOT EXISTS stored_frame_rollup (
    push UInt64,
    session_id FixedString(32),
    day Date,
    build String,
    gpu String,
    level String,
    frames AggregateFunction(count),
    frame_time_ns_quantiles AggregateFunction(quantilesTDigest(0.5, 0.9, 0.95, 0.99), Float64),
    frame_time_ns_sum AggregateFunction(sum, Float64),
    frame_time_ns_squares AggregateFunction(sum, Float64)
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (build, gpu, day, level, session_id, push);

CREATE MATERIALIZED VIEW IF NOT EXISTS stored_pass_rollup_made TO stored_pass_rollup AS
WITH greatest(assumeNotNull(gpu_time_ns) * 1.0 - ifNull(bias_ns, 0), 0.0) AS ns
SELECT push, session_id, day, build, gpu, pass_id,
    countState() AS passes,
    quantilesTDigestState(0.5, 0.9, 0.95, 0.99)(ns) AS gpu_time_ns_quantiles,
    sumState(ns) AS gpu_time_ns_sum,
    sumState(ns * ns) AS gpu_time_ns_squares
FROM stored_passes
WHERE counted = 1 AND isNotNull(gpu_time_ns)
GROUP BY push, session_id, day, build, gpu, pass_id;

CREATE MATERIALIZED VIEW IF NOT EXISTS stored_frame_rollup_made TO stored_frame_rollup AS
WITH assumeNotNull(frame_time_ns) * 1.0 AS ns
SELECT push, session_id, day, build, gpu, level,
    countState() AS frames,
    quantilesTDigestState(0.5, 0.9, 0.95, 0.99)(ns) AS frame_time_ns_quantiles,
    sumState(ns) AS frame_time_ns_sum,
    sumState(ns * ns) AS frame_time_ns_squares
FROM stored_frames
WHERE counted = 1 AND isNotNull(frame_time_ns)
GROUP BY push, session_id, day, build, gpu, level;

-- What to read.
CREATE VIEW IF NOT EXISTS pushes AS
SELECT session_id, min(push) AS push FROM stored_sessions GROUP BY session_id;

CREATE VIEW IF NOT EXISTS sessions AS SELECT * FROM stored_sessions WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS frames AS SELECT * FROM stored_frames WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS passes AS SELECT * FROM stored_passes WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS pass_names AS SELECT * FROM stored_pass_names WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS labels AS SELECT * FROM stored_labels WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS marks AS SELECT * FROM stored_marks WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS draws AS SELECT * FROM stored_draws WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS counters_missing AS
SELECT * FROM stored_counters_missing WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS pass_rollup AS SELECT * FROM stored_pass_rollup WHERE push IN (SELECT push FROM pushes);
CREATE VIEW IF NOT EXISTS frame_rollup AS SELECT * FROM stored_frame_rollup WHERE push IN (SELECT push FROM pushes);
