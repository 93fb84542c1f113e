-- How long does each pass take in each build?
--
-- Percentiles of type 7, as `passprobe report` has them, of the pass's GPU time less what an empty bracket measures:
--   frames_p50_ns, ...    over all frames of all sessions. Sessions with more frames weigh more.
--   sessions_p50_ns, ...  the median over sessions of the percentile of each session: what the usual session has.
-- Without first frames. Ask: build, gpu, scene (several rows of each; none: all). It takes 8 bytes of memory for each
-- row that counts; pass_percentiles_fast.sql takes next to none.
SELECT
  build, pass_id, label, name, sessions, n AS times,
  a[i50 + 1] + (h50 - i50) * (a[least(i50 + 2, n)] - a[i50 + 1]) AS frames_p50_ns,
  a[i95 + 1] + (h95 - i95) * (a[least(i95 + 2, n)] - a[i95 + 1]) AS frames_p95_ns,
  a[i99 + 1] + (h99 - i99) * (a[least(i99 + 2, n)] - a[i99 + 1]) AS frames_p99_ns,
  (m50[low] + m50[high]) / 2 AS sessions_p50_ns,
  (m95[low] + m95[high]) / 2 AS sessions_p95_ns,
  (m99[low] + m99[high]) / 2 AS sessions_p99_ns
FROM
(
  SELECT
    build, pass_id, count() AS sessions, arraySort(groupArrayArray(b)) AS a, length(a) AS n,
    0.50 * (n - 1) AS h50, toUInt32(floor(h50)) AS i50, 0.95 * (n - 1) AS h95, toUInt32(floor(h95)) AS i95,
    0.99 * (n - 1) AS h99, toUInt32(floor(h99)) AS i99,
    arraySort(groupArray(p50)) AS m50, arraySort(groupArray(p95)) AS m95, arraySort(groupArray(p99)) AS m99,
    intDiv(sessions + 1, 2) AS low, intDiv(sessions, 2) + 1 AS high
  FROM
  (
    SELECT
      build, pass_id, session_id, b,
      b[i50 + 1] + (h50 - i50) * (b[least(i50 + 2, n)] - b[i50 + 1]) AS p50,
      b[i95 + 1] + (h95 - i95) * (b[least(i95 + 2, n)] - b[i95 + 1]) AS p95,
      b[i99 + 1] + (h99 - i99) * (b[least(i99 + 2, n)] - b[i99 + 1]) AS p99
    FROM
    (
      SELECT
        build, pass_id, session_id, arraySort(groupArray(t)) AS b, length(b) AS n,
        0.50 * (n - 1) AS h50, toUInt32(floor(h50)) AS i50, 0.95 * (n - 1) AS h95, toUInt32(floor(h95)) AS i95,
        0.99 * (n - 1) AS h99, toUInt32(floor(h99)) AS i99
      FROM
      (
        SELECT build, pass_id, session_id,
          greatest(toFloat64(assumeNotNull(gpu_time_ns)) - ifNull(bias_ns, 0), 0) AS t
        FROM passes
        WHERE counted AND gpu_time_ns IS NOT NULL
          AND ((SELECT count() FROM ask WHERE key = 'build') = 0
            OR build IN (SELECT value FROM ask WHERE key = 'build'))
          AND ((SELECT count() FROM ask WHERE key = 'gpu') = 0
            OR gpu IN (SELECT value FROM ask WHERE key = 'gpu'))
      )
      GROUP BY build, pass_id, session_id
    ) AS left_rows
    ALL INNER JOIN
    (
      SELECT session_id FROM sessions
      WHERE (SELECT count() FROM ask WHERE key = 'scene') = 0
        OR scene IN (SELECT value FROM ask WHERE key = 'scene')
    ) AS right_rows USING (session_id)
  )
  GROUP BY build, pass_id
) AS left_rows
ANY LEFT JOIN
(
  SELECT pass_id, any(name) AS name, any(label) AS label FROM pass_names GROUP BY pass_id
) AS right_rows USING (pass_id)
ORDER BY build, sessions_p50_ns DESC, pass_id
