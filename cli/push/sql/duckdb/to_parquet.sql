-- Writes a lake of passprobe as Parquet files, which take less space and are read faster. In the folder of the lake:
--     mkdir parquet && duckdb -init duckdb.sql -f to_parquet.sql
-- Files of an earlier run are replaced, day by day.
COPY (FROM sessions) TO 'parquet/sessions' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE);
COPY (FROM frames) TO 'parquet/frames' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE);
COPY (FROM passes) TO 'parquet/passes' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE);
COPY (FROM pass_names) TO 'parquet/pass_names' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE);
COPY (FROM labels) TO 'parquet/labels' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE);
COPY (FROM marks) TO 'parquet/marks' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE);
COPY (FROM draws) TO 'parquet/draws' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE);
COPY (FROM counters_missing) TO 'parquet/counters_missing'
  (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day), OVERWRITE_OR_IGNORE);
