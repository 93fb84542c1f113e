-- What costs most on each GPU? The 10 most expensive passes of each GPU model.
--
--   frame_ns         the pass's GPU time in a frame: the median over sessions of each session's mean
--   share_percent    of the GPU time of all passes on this GPU, over all sessions
--   sessions_p99_ns  the median over sessions of the 99th percentile of one time that the pass ran
-- Without first frames; times less what an empty bracket measures. Ask: build, scene (several rows of each; none:
-- all).
SELECT gpu, pass_id, label, name, sessions, frame_ns, share_percent, sessions_p99_ns
FROM
(
  SELECT
    gpu, row.1 AS pass_id, row.2 AS sessions, row.3 AS frame_ns, 100 * row.4 / gpu_total AS share_percent,
    row.5 AS sessions_p99_ns
  FROM
  (
    SELECT gpu, sum(total) AS gpu_total, groupArray((pass_id, sessions, frame_ns, total, p99)) AS rows
    FROM
    (
      SELECT
        gpu, pass_id, sessions, total, (m[low] + m[high]) / 2 AS frame_ns, (m99[low] + m99[high]) / 2 AS p99
      FROM
      (
        SELECT
          gpu, pass_id, count() AS sessions, sum(time) AS total, arraySort(groupArray(time / frames)) AS m,
          arraySort(groupArray(p99)) AS m99, intDiv(sessions + 1, 2) AS low, intDiv(sessions, 2) + 1 AS high
        FROM
        (
          SELECT
            gpu, pass_id, session_id, arraySort(groupArray(greatest(t, 0))) AS b, length(b) AS n,
            greatest(sum(t), 0) AS time,
            0.99 * (n - 1) AS h, toUInt32(floor(h)) AS i,
            b[i + 1] + (h - i) * (b[least(i + 2, n)] - b[i + 1]) AS p99
          FROM
          (
            SELECT gpu, pass_id, session_id,
              toFloat64(assumeNotNull(gpu_time_ns)) - ifNull(bias_ns, 0) AS t
            FROM passes
            WHERE counted AND gpu_time_ns IS NOT NULL
              AND ((SELECT count() FROM ask WHERE key = 'build') = 0
                OR build IN (SELECT value FROM ask WHERE key = 'build'))
          )
          GROUP BY gpu, pass_id, session_id
        ) AS left_rows
        ALL INNER JOIN
        (
          SELECT session_id, frames
          FROM
          (
            SELECT session_id, count() AS frames FROM frames WHERE counted AND level != 'frame'
            GROUP BY session_id
          ) AS left_rows
          ALL INNER JOIN
          (
            SELECT session_id FROM sessions
            WHERE (SELECT count() FROM ask WHERE key = 'scene') = 0
              OR scene IN (SELECT value FROM ask WHERE key = 'scene')
          ) AS right_rows USING (session_id)
        ) AS right_rows USING (session_id)
        GROUP BY gpu, pass_id
      )
    )
    GROUP BY gpu
  )
  ARRAY JOIN rows AS row
) AS left_rows
ANY LEFT JOIN
(
  SELECT pass_id, any(name) AS name, any(label) AS label FROM pass_names GROUP BY pass_id
) AS right_rows USING (pass_id)
ORDER BY gpu, frame_ns DESC, pass_id
LIMIT 10 BY gpu
