-- How long does each pass take in each build?
--
-- Percentiles of type 7, as `passprobe report` has them, of the pass's GPU time less what an empty bracket measures:
--   frames_p50_ns, ...    over all frames of all sessions. Sessions with more frames weigh more.
--   sessions_p50_ns, ...  the median over sessions of the percentile of each session: what the usual session has.
-- Without first frames. Ask: build, gpu, scene (several rows of each; none: all).
WITH asked AS (
  SELECT session_id FROM sessions
  WHERE (build IN (SELECT value FROM ask WHERE key = 'build') OR NOT EXISTS (FROM ask WHERE key = 'build'))
  AND (gpu IN (SELECT value FROM ask WHERE key = 'gpu') OR NOT EXISTS (FROM ask WHERE key = 'gpu'))
  AND (scene IN (SELECT value FROM ask WHERE key = 'scene') OR NOT EXISTS (FROM ask WHERE key = 'scene'))
),
times AS (
  SELECT build, pass_id, session_id, greatest(gpu_time_ns::DOUBLE - coalesce(bias_ns, 0), 0) AS t
  FROM passes SEMI JOIN asked USING (session_id)
  WHERE counted = 1 AND gpu_time_ns IS NOT NULL
),
of_frames AS (
  SELECT build, pass_id, count(*) AS times, quantile_cont(t, [0.5, 0.95, 0.99]) AS q FROM times GROUP BY ALL
),
of_each AS (
  SELECT build, pass_id, session_id, quantile_cont(t, [0.5, 0.95, 0.99]) AS q FROM times GROUP BY ALL
),
of_sessions AS (
  SELECT build, pass_id, count(*) AS sessions, quantile_cont(q[1], 0.5) AS p50, quantile_cont(q[2], 0.5) AS p95,
  quantile_cont(q[3], 0.5) AS p99
  FROM of_each GROUP BY ALL
),
named AS (SELECT pass_id, min(name) AS name, min(label) AS label FROM pass_names GROUP BY pass_id)
SELECT build, pass_id, label, name, sessions, times,
  q[1] AS frames_p50_ns, q[2] AS frames_p95_ns, q[3] AS frames_p99_ns,
  p50 AS sessions_p50_ns, p95 AS sessions_p95_ns, p99 AS sessions_p99_ns
FROM of_frames JOIN of_sessions USING (build, pass_id) LEFT JOIN named USING (pass_id)
ORDER BY build, sessions_p50_ns DESC, pass_id
