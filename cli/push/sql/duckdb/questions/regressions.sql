-- Which passes became slower or faster from one build to another? For each GPU and scene by itself.
--
-- The method of `passprobe diff` (its page statistics.md has the definitions): a session gives one number, the median
-- of the pass's GPU time or, where the pass does not run once in each frame, its mean time in a frame.
--   old_ns, new_ns  the geometric means over sessions
--   change_percent  from one to the other; low_percent, high_percent: its 95 % interval by Welch's t of the logarithms
--   p, q            Welch's p value; the same after Benjamini's and Hochberg's adjustment over all rows of the answer
--   verdict         slower, faster: the interval leaves 0, the change exceeds 3 %, q <= 5 %. same: the 90 % interval
--     lies within +-2 %. unclear. few sessions: less than 3 on a side. new, gone: only one side has the pass
-- `passprobe diff` also shares the spread of all passes, and aligns passes whose ids changed; this file does neither.
-- A side's sessions that lack the pass are left out. Ask: old, new: builds (several rows of each); gpu, scene (none:
-- all).
--
-- The quantiles of Student's t are G. W. Hill's (CACM algorithm 396; within 0.04 %), p is Simpson's sum over 512
-- steps.
WITH asked AS (
  SELECT session_id, scene, build IN (SELECT value FROM ask WHERE key = 'old') AS is_old FROM sessions
  WHERE build IN (SELECT value FROM ask WHERE key IN ('old', 'new'))
  AND (gpu IN (SELECT value FROM ask WHERE key = 'gpu') OR NOT EXISTS (FROM ask WHERE key = 'gpu'))
  AND (scene IN (SELECT value FROM ask WHERE key = 'scene') OR NOT EXISTS (FROM ask WHERE key = 'scene'))
),
measured AS (
  SELECT session_id, count(*) AS frames FROM frames SEMI JOIN asked USING (session_id)
  WHERE counted = 1 AND level <> 'frame' GROUP BY session_id
),
of_each AS (
  SELECT gpu, pass_id, session_id, count(*) AS n, count(t) AS timed, quantile_cont(t, 0.5) AS p50, sum(t) AS total
  FROM (
  SELECT gpu, pass_id, session_id, greatest(gpu_time_ns::DOUBLE - coalesce(bias_ns, 0), 0) AS t
  FROM passes SEMI JOIN asked USING (session_id) WHERE counted = 1
  )
  GROUP BY ALL
),
once AS (SELECT pass_id, bool_and(n = frames) AS once FROM of_each JOIN measured USING (session_id) GROUP BY pass_id),
numbers AS (
  SELECT gpu, scene, pass_id, is_old, CASE WHEN once THEN p50 ELSE total / frames END AS x
  FROM of_each JOIN measured USING (session_id) JOIN asked USING (session_id) JOIN once USING (pass_id)
  WHERE timed > 0 AND p50 > 0
),
sides AS (
  SELECT gpu, scene, pass_id,
  count(x) FILTER (is_old) AS old_n, count(x) FILTER (NOT is_old) AS new_n,
  exp(avg(ln(x)) FILTER (is_old)) AS old_ns, exp(avg(ln(x)) FILTER (NOT is_old)) AS new_ns,
  avg(ln(x)) FILTER (NOT is_old) - avg(ln(x)) FILTER (is_old) AS d,
  var_samp(ln(x)) FILTER (is_old) / old_n AS eo, var_samp(ln(x)) FILTER (NOT is_old) / new_n AS en
  FROM numbers GROUP BY gpu, scene, pass_id
),
welch AS (
  SELECT *, sqrt(eo + en) AS error, pow(eo + en, 2) / (eo * eo / (old_n - 1) + en * en / (new_n - 1)) AS v
  FROM sides
),
hill AS (
  SELECT *, 1 / (v - 0.5) AS a, 48 / (a * a) AS b, ((20700 * a / b - 98) * a - 16) * a + 96.36 AS c,
  ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi() / 2) * v AS e
  FROM welch
),
quantiles AS (
  SELECT h.gpu, h.scene, h.pass_id, max(t) FILTER (share = 0.05) AS t05, max(t) FILTER (share = 0.1) AS t10
  FROM (
  SELECT gpu, scene, pass_id, share,
      sqrt(v * CASE WHEN y > 0.05 + a THEN exp(a * pow((((((0.4 * z * z + 6.3) * z * z + 36) * z * z + 94.5)
    / ((((0.05 * e * z - 5) * z - 7) * z - 2) * z + b + c + CASE WHEN v < 5 THEN 0.3 * (v - 4.5) * (z + 0.6)
    ELSE 0 END) - z * z - 3) / b + 1) * z, 2)) - 1
    ELSE ((1 / (((v + 6) / (v * y) - 0.089 * e - 0.822) * (v + 2) * 3) + 0.5 / (v + 4)) * y - 1)
    * (v + 1) / (v + 2) + 1 / y END) AS t
  FROM (
      SELECT *, pow(e * share, 2 / v) AS y
      FROM hill, (VALUES (0.05e0, -1.959963984540054e0), (0.1e0, -1.6448536269514722e0)) AS wanted (share, z)
      WHERE v > 0 AND NOT isnan(v)
  )
  ) AS h
  GROUP BY ALL
),
angles AS (
  SELECT *, least(v, 10000) AS vp, atan(least(abs(d) / error, 300) / sqrt(vp)) AS theta
  FROM welch WHERE v > 0 AND NOT isnan(v)
),
probabilities AS (
  SELECT gpu, scene, pass_id,
  greatest(1 - 2 * exp(lgamma((vp + 1) / 2) - lgamma(vp / 2)) / sqrt(pi()) * theta / 1536
      * sum(CASE WHEN k IN (0, 512) THEN 1 WHEN k % 2 = 1 THEN 4 ELSE 2 END
    * pow(cos(theta * k / 512), vp - 1)), 0) AS p
  FROM angles, range(513) AS steps (k)
  GROUP BY gpu, scene, pass_id, vp, theta
),
ranked AS (
  SELECT *, p * count(*) OVER () / row_number() OVER (ORDER BY p) AS adjusted, row_number() OVER (ORDER BY p) AS rank
  FROM probabilities
),
shares AS (
  SELECT gpu, scene, pass_id, p, least(min(adjusted) OVER (ORDER BY rank DESC), 1) AS q FROM ranked
),
rows AS (
  SELECT gpu, scene, pass_id, old_n AS old_sessions, new_n AS new_sessions, old_ns, new_ns,
  100 * (exp(d) - 1) AS change_percent,
  100 * (exp(d - t05 * error) - 1) AS low_percent, 100 * (exp(d + t05 * error) - 1) AS high_percent,
  100 * (exp(d - t10 * error) - 1) AS within_low, 100 * (exp(d + t10 * error) - 1) AS within_high, p, q
  FROM welch LEFT JOIN quantiles USING (gpu, scene, pass_id) LEFT JOIN shares USING (gpu, scene, pass_id)
),
named AS (SELECT pass_id, min(name) AS name, min(label) AS label FROM pass_names GROUP BY pass_id)
SELECT gpu, scene, pass_id, label, name, old_sessions, new_sessions, old_ns, new_ns, change_percent, low_percent,
  high_percent, p, q,
  CASE WHEN old_sessions = 0 THEN 'new' WHEN new_sessions = 0 THEN 'gone'
  WHEN least(old_sessions, new_sessions) < 3 THEN 'few sessions'
  WHEN low_percent > 0 AND change_percent > 3 AND q <= 0.05 THEN 'slower'
  WHEN high_percent < 0 AND change_percent < -3 AND q <= 0.05 THEN 'faster'
  WHEN within_low > -2 AND within_high < 2 THEN 'same' ELSE 'unclear' END AS verdict
FROM rows LEFT JOIN named USING (pass_id)
ORDER BY verdict = 'slower' DESC, verdict = 'faster' DESC, p, gpu, scene, pass_id
