-- How long does each pass take in each build? As pass_percentiles.sql, from the roll-ups: fast, and also where the
-- rows of the passes were deleted.
--
-- The percentiles come from t-digests, which are not exact: 0.2 % at p99 is usual, and with few rows it may be more.
-- Ask: build, gpu (several rows of each; none: all).
SELECT
  build, pass_id, label, name, sessions, times,
  q[1] AS frames_p50_ns, q[3] AS frames_p95_ns, q[4] AS frames_p99_ns,
  (m50[low] + m50[high]) / 2 AS sessions_p50_ns,
  (m95[low] + m95[high]) / 2 AS sessions_p95_ns,
  (m99[low] + m99[high]) / 2 AS sessions_p99_ns
FROM
(
  SELECT
    build, pass_id, count() AS sessions, sum(n) AS times,
    quantilesTDigestMerge(0.5, 0.9, 0.95, 0.99)(state) AS q,
    arraySort(groupArray(s[1])) AS m50, arraySort(groupArray(s[3])) AS m95, arraySort(groupArray(s[4])) AS m99,
    intDiv(sessions + 1, 2) AS low, intDiv(sessions, 2) + 1 AS high
  FROM
  (
    SELECT
      build, pass_id, session_id, countMerge(passes) AS n,
      quantilesTDigestMergeState(0.5, 0.9, 0.95, 0.99)(gpu_time_ns_quantiles) AS state,
      quantilesTDigestMerge(0.5, 0.9, 0.95, 0.99)(gpu_time_ns_quantiles) AS s
    FROM pass_rollup
    WHERE ((SELECT count() FROM ask WHERE key = 'build') = 0
        OR build IN (SELECT value FROM ask WHERE key = 'build'))
      AND ((SELECT count() FROM ask WHERE key = 'gpu') = 0 OR gpu IN (SELECT value FROM ask WHERE key = 'gpu'))
    GROUP BY build, pass_id, session_id
  )
  GROUP BY build, pass_id
) AS left_rows
ANY LEFT JOIN
(
  SELECT pass_id, any(name) AS name, any(label) AS label FROM pass_names GROUP BY pass_id
) AS right_rows USING (pass_id)
ORDER BY build, sessions_p50_ns DESC, pass_id
