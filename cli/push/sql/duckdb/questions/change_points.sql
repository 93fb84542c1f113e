-- Since which build has a pass another cost? For each GPU, scene and pass, a series with one number for each build: the
-- median over sessions of the median GPU time of each session.
--
-- At each build, Student's t compares the 10 builds before it with the 10 builds from it on (as many as there are, at
-- least 3 on each side), of logarithms, with pooled variance. A build is in the answer if the change is at least 3 %,
-- if p <= 0.1 %, and if no other build within 10 of it has a larger t. Builds are in the order of their first session.
-- `passprobe diff --trend` has a better method (E-divisive), which SQL has no words for.
-- Ask: gpu, scene (several rows; none: all).
WITH asked AS (
  SELECT session_id, scene, start_realtime_ns FROM sessions
  WHERE (gpu IN (SELECT value FROM ask WHERE key = 'gpu') OR NOT EXISTS (FROM ask WHERE key = 'gpu'))
    AND (scene IN (SELECT value FROM ask WHERE key = 'scene') OR NOT EXISTS (FROM ask WHERE key = 'scene'))
),
of_each AS (
  SELECT gpu, pass_id, build, session_id, quantile_cont(t, 0.5) AS p50
  FROM (
    SELECT gpu, pass_id, build, session_id, greatest(gpu_time_ns::DOUBLE - coalesce(bias_ns, 0), 0) AS t
    FROM passes SEMI JOIN asked USING (session_id) WHERE counted = 1 AND gpu_time_ns IS NOT NULL
  )
  GROUP BY ALL
),
points AS (
  SELECT gpu, scene, pass_id, build, min(start_realtime_ns) AS since, ln(quantile_cont(p50, 0.5)) AS x
  FROM of_each JOIN asked USING (session_id) WHERE p50 > 0 GROUP BY gpu, scene, pass_id, build
),
numbered AS (
  SELECT *, row_number() OVER (PARTITION BY gpu, scene, pass_id ORDER BY since, build) AS i FROM points
),
windows AS (
  SELECT gpu, scene, pass_id, build, i,
    count(x) OVER olds AS o, avg(x) OVER olds AS om, var_pop(x) OVER olds AS ov,
    count(x) OVER news AS w, avg(x) OVER news AS wm, var_pop(x) OVER news AS wv
  FROM numbered
  WINDOW olds AS (PARTITION BY gpu, scene, pass_id ORDER BY i ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING),
    news AS (PARTITION BY gpu, scene, pass_id ORDER BY i ROWS BETWEEN CURRENT ROW AND 9 FOLLOWING)
),
tests AS (
  SELECT *, CASE WHEN o < 3 OR w < 3 THEN 0
    ELSE abs(wm - om) / sqrt((ov * o + wv * w) / (o + w - 2) * (1.0 / o + 1.0 / w)) END AS t
  FROM windows
),
peaks AS (
  SELECT *, max(t) OVER (PARTITION BY gpu, scene, pass_id ORDER BY i ROWS BETWEEN 10 PRECEDING AND 10 FOLLOWING) AS most
  FROM tests
),
angles AS (
  SELECT *, (o + w - 2)::DOUBLE AS v, atan(least(t, 300) / sqrt(o + w - 2)) AS theta
  FROM peaks WHERE t >= most AND t > 3
),
probabilities AS (
  SELECT gpu, scene, pass_id, build, om, wm,
    greatest(1 - 2 * exp(lgamma((v + 1) / 2) - lgamma(v / 2)) / sqrt(pi()) * theta / 1536
      * sum(CASE WHEN k IN (0, 512) THEN 1 WHEN k % 2 = 1 THEN 4 ELSE 2 END * pow(cos(theta * k / 512), v - 1)), 0) AS p
  FROM angles, range(513) AS steps (k)
  GROUP BY gpu, scene, pass_id, build, om, wm, v, theta
),
named AS (SELECT pass_id, min(name) AS name, min(label) AS label FROM pass_names GROUP BY pass_id)
SELECT gpu, scene, pass_id, label, name, build, exp(om) AS before_ns, exp(wm) AS after_ns,
  100 * (exp(wm - om) - 1) AS change_percent, p
FROM probabilities LEFT JOIN named USING (pass_id)
WHERE p <= 0.001 AND abs(exp(wm - om) - 1) >= 0.03
ORDER BY abs(change_percent) DESC, gpu, scene, pass_id, build
