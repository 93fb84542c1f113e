-- What newer versions of ClickHouse add to the tables of schema-1.sql: rows that are deleted by age (TTL, from 19.6 on)
-- and codecs for columns (from 19.11 on). Optional; 18.16 refuses these statements with a syntax error.
--
-- It was run once, by version 26.7. No test runs it: try it on a copy first.
--
-- Roll-ups and rows of sessions stay when the rows of frames and passes go: pass_percentiles_fast.sql still answers.
ALTER TABLE stored_draws MODIFY TTL day + INTERVAL 7 DAY;
ALTER TABLE stored_frames MODIFY TTL day + INTERVAL 30 DAY;
ALTER TABLE stored_passes MODIFY TTL day + INTERVAL 30 DAY;
ALTER TABLE stored_labels MODIFY TTL day + INTERVAL 30 DAY;
ALTER TABLE stored_pass_rollup MODIFY TTL day + INTERVAL 2 YEAR;
ALTER TABLE stored_frame_rollup MODIFY TTL day + INTERVAL 2 YEAR;

-- Times that grow from row to row, and times of similar size.
ALTER TABLE stored_passes MODIFY COLUMN gpu_start_ns Nullable(UInt64) CODEC(DoubleDelta, ZSTD(1));
ALTER TABLE stored_passes MODIFY COLUMN gpu_time_ns Nullable(UInt64) CODEC(T64, ZSTD(1));
ALTER TABLE stored_frames MODIFY COLUMN cpu_start_ns Nullable(UInt64) CODEC(DoubleDelta, ZSTD(1));
ALTER TABLE stored_frames MODIFY COLUMN gpu_start_ns Nullable(UInt64) CODEC(DoubleDelta, ZSTD(1));
