-- What costs most on each GPU? The 10 most expensive passes of each GPU model.
--
--   frame_ns         the pass's GPU time in a frame: the median over sessions of each session's mean
--   share_percent    of the GPU time of all passes on this GPU, over all sessions
--   sessions_p99_ns  the median over sessions of the 99th percentile of one time that the pass ran
-- Without first frames; times less what an empty bracket measures. Ask: build, scene (several rows of each; none:
-- all).
WITH asked AS (
  SELECT session_id FROM sessions
  WHERE (build IN (SELECT value FROM ask WHERE key = 'build') OR NOT EXISTS (FROM ask WHERE key = 'build'))
  AND (scene IN (SELECT value FROM ask WHERE key = 'scene') OR NOT EXISTS (FROM ask WHERE key = 'scene'))
),
measured AS (
  SELECT session_id, count(*) AS frames FROM frames SEMI JOIN asked USING (session_id)
  WHERE counted = 1 AND level <> 'frame' GROUP BY session_id
),
of_each AS (
  SELECT gpu, pass_id, session_id, greatest(sum(t), 0) AS total, greatest(quantile_cont(t, 0.99), 0) AS p99
  FROM (
  SELECT gpu, pass_id, session_id, gpu_time_ns::DOUBLE - coalesce(bias_ns, 0) AS t
  FROM passes SEMI JOIN asked USING (session_id)
  WHERE counted = 1 AND gpu_time_ns IS NOT NULL
  )
  GROUP BY ALL
),
of_pass AS (
  SELECT gpu, pass_id, count(*) AS sessions, quantile_cont(total / frames, 0.5) AS frame_ns, sum(total) AS total,
  quantile_cont(p99, 0.5) AS sessions_p99_ns
  FROM of_each JOIN measured USING (session_id) GROUP BY ALL
),
named AS (SELECT pass_id, min(name) AS name, min(label) AS label FROM pass_names GROUP BY pass_id)
SELECT gpu, pass_id, label, name, sessions, frame_ns, 100 * total / sum(total) OVER (PARTITION BY gpu) AS share_percent,
  sessions_p99_ns
FROM of_pass LEFT JOIN named USING (pass_id)
QUALIFY row_number() OVER (PARTITION BY gpu ORDER BY frame_ns DESC, pass_id) <= 10
ORDER BY gpu, frame_ns DESC, pass_id
