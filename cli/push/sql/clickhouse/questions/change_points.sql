-- Since which build has a pass another cost? For each GPU, scene and pass, a series with one number for each build:
-- the median over sessions of the median GPU time of each session.
--
-- At each build, Student's t compares the 10 builds before it with the 10 builds from it on (as many as there are, at
-- least 3 on each side), of logarithms, with pooled variance. A build is in the answer if the change is at least 3 %,
-- if p <= 0.1 %, and if no other build within 10 of it has a larger t. Builds are in the order of their first
-- session. `passprobe diff --trend` has a better method (E-divisive), which SQL has no words for. Ask: gpu, scene
-- (several rows; none: all).
SELECT
  gpu, scene, pass_id, label, name, build, before_ns, after_ns, 100 * (after_ns / before_ns - 1) AS change_percent, p
FROM
(
  SELECT
    gpu, scene, pass_id, build, exp(old_mean) AS before_ns, exp(new_mean) AS after_ns,
    greatest(1 - 2 * exp(lgamma((v + 1) / 2) - lgamma(v / 2)) / sqrt(pi()) * theta / 1536
      * arraySum(arrayMap(k -> multiIf(k = 0, 1, k = 512, 1, k % 2 = 1, 4, 2) * pow(cos(theta * k / 512), v - 1),
        range(513))), 0) AS p
  FROM
  (
    SELECT
      gpu, scene, pass_id, builds[i + 1] AS build, arraySum(o) / length(o) AS old_mean,
      arraySum(w) / length(w) AS new_mean, toFloat64(length(o) + length(w)) - 2 AS v,
      atan(least(t, 300) / sqrt(v)) AS theta
    FROM
    (
      SELECT gpu, scene, pass_id, builds, splits, olds, news, ts,
        arrayMap(i -> arrayReduce('max', arraySlice(ts, greatest(i - 10, 1), 10 + least(i, 11))), splits) AS near
      FROM
      (
        SELECT gpu, scene, pass_id, builds, splits, olds, news,
          arrayMap((o, w) -> if(length(o) < 3 OR length(w) < 3, 0,
            abs(arraySum(w) / length(w) - arraySum(o) / length(o)) / sqrt((arrayReduce('varPop', o) * length(o)
              + arrayReduce('varPop', w) * length(w)) / (length(o) + length(w) - 2)
              * (1 / length(o) + 1 / length(w)))), olds, news) AS ts
        FROM
        (
          SELECT gpu, scene, pass_id, builds, splits,
            arrayMap(i -> arraySlice(xs, greatest(i - 9, 1), least(i, 10)), splits) AS olds,
            arrayMap(i -> arraySlice(xs, i + 1, 10), splits) AS news
          FROM
          (
            SELECT
              gpu, scene, pass_id, arraySort(x -> x.1, groupArray((since, build, log(value)))) AS series,
              arrayMap(x -> x.2, series) AS builds, arrayMap(x -> x.3, series) AS xs,
              -- split i lies behind the i-th build
              arraySlice(arrayEnumerate(xs), 1, length(xs) - 1) AS splits
            FROM
            (
              SELECT gpu, scene, pass_id, build, min(start) AS since,
                arraySort(groupArray(p50)) AS s, length(s) AS k,
                (s[intDiv(k + 1, 2)] + s[intDiv(k, 2) + 1]) / 2 AS value
              FROM
              (
                SELECT gpu, pass_id, build, session_id, arraySort(groupArray(t)) AS a, length(a) AS m,
                  (a[intDiv(m + 1, 2)] + a[intDiv(m, 2) + 1]) / 2 AS p50
                FROM
                (
                  SELECT gpu, pass_id, build, session_id,
                    greatest(toFloat64(assumeNotNull(gpu_time_ns)) - ifNull(bias_ns, 0), 0) AS t
                  FROM passes
                  WHERE counted AND gpu_time_ns IS NOT NULL
                    AND ((SELECT count() FROM ask WHERE key = 'gpu') = 0
                      OR gpu IN (SELECT value FROM ask WHERE key = 'gpu'))
                )
                GROUP BY gpu, pass_id, build, session_id
              ) AS left_rows
              ALL INNER JOIN
              (
                SELECT session_id, scene, ifNull(start_realtime_ns, 0) AS start FROM sessions
                WHERE (SELECT count() FROM ask WHERE key = 'scene') = 0
                  OR scene IN (SELECT value FROM ask WHERE key = 'scene')
              ) AS right_rows USING (session_id)
              WHERE p50 > 0
              GROUP BY gpu, scene, pass_id, build
            )
            GROUP BY gpu, scene, pass_id
          )
          WHERE length(xs) >= 6
        )
      )
    )
    ARRAY JOIN splits AS i, olds AS o, news AS w, ts AS t, near AS most
    WHERE t >= most AND t > 3
  )
) AS left_rows
ANY LEFT JOIN
(
  SELECT pass_id, any(name) AS name, any(label) AS label FROM pass_names GROUP BY pass_id
) AS right_rows USING (pass_id)
WHERE p <= 0.001 AND abs(change_percent) >= 3
ORDER BY abs(change_percent) DESC, gpu, scene, pass_id, build
