-- Which passes became slower or faster from one build to another? For each GPU and scene by itself.
--
-- The method of `passprobe diff` (its page statistics.md has the definitions): a session gives one number, the median
-- of the pass's GPU time or, where the pass does not run once in each frame, its mean time in a frame. On a software
-- driver, if the medians of a side's sessions differ by more than 1 %, and their 5 % quantiles by less than three
-- quarters of that, the number is the 5 % quantile (column stat). Of five or more sessions, one is left out whose
-- number is away from the nearest other one by more than 2 % and by more than five times the range of the others.
--   old_ns, new_ns  the geometric means over sessions
--   change_percent  from one to the other; low_percent, high_percent: its 95 % interval by Welch's t of the logarithms
--     The passes of a GPU and scene, from 5 on, share what spread is usual (Smyth's empirical Bayes estimate)
--   p, q            Welch's p value; the same after Benjamini's and Hochberg's adjustment over all rows of the answer
--   verdict         slower, faster: the interval leaves 0, the change exceeds 3 %, q <= 5 %. same: the 90 % interval
--     lies within +-2 %. unclear. few sessions: less than 3 on a side. new, gone: only one side has the pass. small:
--     below 50 us and 0.5 % of all passes on both sides, where `passprobe diff` decides nothing
-- `passprobe diff` also aligns passes whose ids changed, and compares each pass with the other passes of its run; this
-- file does not. A side's sessions that lack the pass are left out. Ask: old, new: builds (several rows of each); gpu,
-- scene (none: all).
--
-- The quantiles of Student's t are G. W. Hill's (CACM algorithm 396; within 0.04 %), p is Simpson's sum over 512
-- steps. Whether the shared spread explains a pass's own is asked of Paulson's approximation of the F distribution.
WITH asked AS (
  SELECT session_id, scene, build IN (SELECT value FROM ask WHERE key = 'old') AS is_old,
  regexp_matches(lower(gpu || ' ' || driver), 'llvmpipe|softpipe|lavapipe|swrast|swiftshader|software rasterizer')
    AS software
  FROM sessions
  WHERE build IN (SELECT value FROM ask WHERE key IN ('old', 'new'))
  AND (gpu IN (SELECT value FROM ask WHERE key = 'gpu') OR NOT EXISTS (FROM ask WHERE key = 'gpu'))
  AND (scene IN (SELECT value FROM ask WHERE key = 'scene') OR NOT EXISTS (FROM ask WHERE key = 'scene'))
),
measured AS (
  SELECT session_id, count(*) AS frames FROM frames SEMI JOIN asked USING (session_id)
  WHERE counted = 1 AND level <> 'frame' GROUP BY session_id
),
of_each AS (
  SELECT gpu, pass_id, session_id, count(*) AS n, count(t) AS timed, greatest(quantile_cont(t, 0.5), 0) AS p50,
  greatest(quantile_cont(t, 0.05), 0) AS p5, greatest(sum(t), 0) AS total
  FROM (
  SELECT gpu, pass_id, session_id, gpu_time_ns::DOUBLE - coalesce(bias_ns, 0) AS t
  FROM passes SEMI JOIN asked USING (session_id) WHERE counted = 1
  )
  GROUP BY ALL
),
once AS (SELECT pass_id, bool_and(n = frames) AS once FROM of_each JOIN measured USING (session_id) GROUP BY pass_id),
numbers AS (
  SELECT gpu, scene, pass_id, is_old, software, once, CASE WHEN once THEN p50 ELSE total / frames END AS x,
  CASE WHEN p5 > 0 THEN p5 END AS x5
  FROM of_each JOIN measured USING (session_id) JOIN asked USING (session_id) JOIN once USING (pass_id)
  WHERE timed > 0 AND p50 > 0
),
every AS (
  SELECT gpu, scene, pass_id, bool_and(once) AS once, bool_and(software) AS software,
  [coalesce(list(x ORDER BY x) FILTER (is_old), []), coalesce(list(x ORDER BY x) FILTER (NOT is_old), []),
    coalesce(list(x5 ORDER BY x5) FILTER (is_old AND x5 > 0), []),
    coalesce(list(x5 ORDER BY x5) FILTER (NOT is_old AND x5 > 0), [])] AS sorted
  FROM numbers GROUP BY gpu, scene, pass_id
),
sided AS (
  SELECT *, list_transform(sorted, s -> list_transform(CASE WHEN len(s) < 5 THEN s
    WHEN s[len(s)] - s[len(s) - 1] > greatest(0.02 * s[1], 5 * (s[len(s) - 1] - s[1])) THEN s[1:len(s) - 1]
    WHEN s[2] - s[1] > greatest(0.02 * s[2], 5 * (s[len(s)] - s[2])) THEN s[2:len(s)] ELSE s END, x -> ln(x))) AS kept,
  list_transform(kept, s -> len(s)) AS n, list_transform(kept, s -> list_var_samp(s)) AS square
  FROM every
),
choice AS (
  SELECT *, sqrt((square[1] * (n[1] - 1) + square[2] * (n[2] - 1)) / (n[1] + n[2] - 2)) AS spread50,
  sqrt((square[3] * (n[3] - 1) + square[4] * (n[4] - 1)) / (n[3] + n[4] - 2)) AS spread5,
  coalesce(once AND software AND least(len(sorted[1]), len(sorted[2])) >= 3 AND len(sorted[3]) = len(sorted[1])
    AND len(sorted[4]) = len(sorted[2]) AND spread50 > 0.01 AND spread5 < 0.75 * spread50, false) AS least_p5,
  CASE WHEN least_p5 THEN 3 ELSE 1 END AS i
  FROM sided
),
sides AS (
  SELECT gpu, scene, pass_id, CASE WHEN least_p5 THEN 'p5' WHEN once THEN 'p50' ELSE 'mean' END AS stat,
  n[i] AS old_n, n[i + 1] AS new_n, exp(list_avg(kept[i])) AS old_ns, exp(list_avg(kept[i + 1])) AS new_ns,
  list_avg(kept[i + 1]) - list_avg(kept[i]) AS d, square[i] / n[i] AS eo, square[i + 1] / n[i + 1] AS en
  FROM choice
),
own AS (
  SELECT *, sqrt(eo + en) AS own_error,
  pow(eo + en, 2) / (eo * eo / (old_n - 1) + en * en / (new_n - 1)) AS own_v, own_v / 2 AS h,
  coalesce(least(old_n, new_n) >= 3 AND own_error > 0, false) AS takes
  FROM sides
),
moments AS (
  SELECT *, 1 / (h * h) + 1 / ((h + 1) * (h + 1)) + 1 / ((h + 2) * (h + 2)) + 1 / ((h + 3) * (h + 3))
    + 1 / ((h + 4) * (h + 4)) + 1 / ((h + 5) * (h + 5)) + 1 / (h + 6) + 1 / (2 * (h + 6) * (h + 6))
    + 1 / (6 * pow(h + 6, 3)) - 1 / (30 * pow(h + 6, 5)) AS tg,
  2 * ln(own_error) + ln(h) + 1 / h + 1 / (h + 1) + 1 / (h + 2) + 1 / (h + 3) + 1 / (h + 4) + 1 / (h + 5)
    - ln(h + 6) + 0.5 / (h + 6) + 1 / (12 * (h + 6) * (h + 6)) - 1 / (120 * pow(h + 6, 4)) AS ev
  FROM own WHERE takes
),
priors AS (
  SELECT gpu, scene, count(*) AS many, avg(ev) AS mean, var_samp(ev) - avg(tg) AS excess
  FROM moments GROUP BY gpu, scene
),
grid AS (
  SELECT x, y, lead(x) OVER (ORDER BY x) AS next_x, lead(y) OVER (ORDER BY x) AS next_y
  FROM (SELECT x, 1 / (x * x) + 1 / ((x + 1) * (x + 1)) + 1 / ((x + 2) * (x + 2)) + 1 / ((x + 3) * (x + 3))
      + 1 / ((x + 4) * (x + 4)) + 1 / ((x + 5) * (x + 5)) + 1 / (x + 6) + 1 / (2 * (x + 6) * (x + 6))
      + 1 / (6 * pow(x + 6, 3)) - 1 / (30 * pow(x + 6, 5)) AS y FROM (
    SELECT 0.001 * exp(0.02 * k) AS x FROM range(1037) AS steps (k)))
),
halves AS (
  SELECT p.*, coalesce(least(x, 500000) * exp(0.02 * ln(y / excess) / ln(y / next_y)), 500000) AS half
  FROM priors AS p LEFT JOIN grid ON y > excess AND next_y <= excess AND excess > 0
),
shared AS (
  SELECT gpu, scene, many, 2 * half AS prior_v,
  exp(mean + ln(half + 6) - 0.5 / (half + 6) - 1 / (12 * (half + 6) * (half + 6)) + 1 / (120 * pow(half + 6, 4))
    - 1 / half - 1 / (half + 1) - 1 / (half + 2) - 1 / (half + 3) - 1 / (half + 4) - 1 / (half + 5) - ln(half))
    AS prior_square
  FROM halves
),
together AS (
  SELECT gpu, scene, greatest(coalesce(sum(old_ns), 0), coalesce(sum(new_ns), 0)) AS all_ns FROM sides
  GROUP BY gpu, scene
),
welch AS (
  SELECT o.*, coalesce(takes AND many >= 5
    AND ((1 - 2 / (9 * prior_v)) * cbrt(own_error * own_error / prior_square) - (1 - 2 / (9 * own_v)))
    / sqrt(2 / (9 * prior_v) * pow(own_error * own_error / prior_square, 2e0 / 3) + 2 / (9 * own_v))
    <= 2.3263478740408408, false) AS shares,
  least(0.5 * prior_v, 3 * own_v) AS borrowed, CASE WHEN shares THEN borrowed + own_v ELSE own_v END AS v,
  CASE WHEN shares THEN sqrt((borrowed * prior_square + own_v * own_error * own_error) / v) ELSE own_error END AS error,
  greatest(coalesce(old_ns, 0), coalesce(new_ns, 0)) < least(50000, 0.005 * all_ns) AS is_small
  FROM own AS o LEFT JOIN shared USING (gpu, scene) LEFT JOIN together USING (gpu, scene)
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
  FROM welch WHERE v > 0 AND NOT isnan(v) AND least(old_n, new_n) >= 3
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
  SELECT gpu, scene, pass_id, stat, is_small, old_n AS old_sessions, new_n AS new_sessions, old_ns, new_ns,
  100 * (exp(d) - 1) AS change_percent,
  100 * (exp(d - t05 * error) - 1) AS low_percent, 100 * (exp(d + t05 * error) - 1) AS high_percent,
  100 * (exp(d - t10 * error) - 1) AS within_low, 100 * (exp(d + t10 * error) - 1) AS within_high, p, q
  FROM welch LEFT JOIN quantiles USING (gpu, scene, pass_id) LEFT JOIN shares USING (gpu, scene, pass_id)
),
named AS (SELECT pass_id, min(name) AS name, min(label) AS label FROM pass_names GROUP BY pass_id)
SELECT gpu, scene, pass_id, label, name, stat, old_sessions, new_sessions, old_ns, new_ns, change_percent, low_percent,
  high_percent, p, q,
  CASE WHEN old_sessions = 0 THEN 'new' WHEN new_sessions = 0 THEN 'gone'
  WHEN least(old_sessions, new_sessions) < 3 THEN 'few sessions' WHEN is_small THEN 'small'
  WHEN low_percent > 0 AND change_percent > 3 AND q <= 0.05 THEN 'slower'
  WHEN high_percent < 0 AND change_percent < -3 AND q <= 0.05 THEN 'faster'
  WHEN within_low > -2 AND within_high < 2 THEN 'same' ELSE 'unclear' END AS verdict
FROM rows LEFT JOIN named USING (pass_id)
ORDER BY verdict = 'slower' DESC, verdict = 'faster' DESC, p, gpu, scene, pass_id
