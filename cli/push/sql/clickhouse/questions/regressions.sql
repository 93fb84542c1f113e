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
SELECT
 gpu, scene, pass_id, label, name, stat, old_n AS old_sessions, new_n AS new_sessions, old_ns, new_ns,
 change_percent, low_percent, high_percent, p, q,
 multiIf(old_n = 0, 'new', new_n = 0, 'gone', least(old_n, new_n) < 3, 'few sessions',
  is_small, 'small', low_percent > 0 AND change_percent > 3 AND q <= 0.05, 'slower',
  high_percent < 0 AND change_percent < -3 AND q <= 0.05, 'faster',
  within_low > -2 AND within_high < 2, 'same', 'unclear') AS verdict
FROM
(
 SELECT
  r.1 AS gpu, r.2 AS scene, r.3 AS pass_id, r.4 AS old_n, r.5 AS new_n, r.6 AS old_ns, r.7 AS new_ns,
  r.8 AS change_percent, r.9 AS low_percent, r.10 AS high_percent, r.11 AS within_low, r.12 AS within_high,
  r.13 AS p, r.14 AS stat, r.15 AS is_small,
  if(isNaN(p), nan, smallest[indexOf(ps, p)]) AS q
 FROM
 (
  SELECT rows, ps,
   arrayMap((x, k) -> least(arrayReduce('min', arraySlice(adjusted, k)), 1), adjusted, arrayEnumerate(ps))
    AS smallest
  FROM
  (
   SELECT rows, ps, arrayMap((x, k) -> x * length(ps) / k, ps, arrayEnumerate(ps)) AS adjusted
   FROM
   (
    SELECT
     groupArray((gpu, scene, pass_id, old_n, new_n, old_ns, new_ns, change_percent, low_percent,
      high_percent, within_low, within_high, p, stat, is_small)) AS rows,
     arraySort(groupArrayIf(p, NOT isNaN(p))) AS ps
    FROM
    (
     SELECT
      gpu, scene, pass_id, stat, is_small, old_n, new_n, old_ns, new_ns, 100 * (exp(d) - 1) AS change_percent,
      100 * (exp(d - t05 * error) - 1) AS low_percent, 100 * (exp(d + t05 * error) - 1) AS high_percent,
      100 * (exp(d - t10 * error) - 1) AS within_low, 100 * (exp(d + t10 * error) - 1) AS within_high,
      if(v > 0 AND least(old_n, new_n) >= 3, greatest(1 - 2 * exp(lgamma((vp + 1) / 2) - lgamma(vp / 2)) / sqrt(pi())
       * theta / 1536
       * arraySum(arrayMap(k -> multiIf(k = 0, 1, k = 512, 1, k % 2 = 1, 4, 2)
        * pow(cos(theta * k / 512), vp - 1), range(513))), 0), nan) AS p
     FROM
     (
      SELECT
       gpu, scene, pass_id, stat, is_small, old_n, new_n, old_ns, new_ns, d, error, v,
       least(v, 10000) AS vp, atan(least(abs(d) / error, 300) / sqrt(least(v, 10000))) AS theta,
       sqrt(v * if(y05 > 0.05 + a, exp(a * pow((((((0.4 * 3.841458820694124 + 6.3) * 3.841458820694124
        + 36) * 3.841458820694124 + 94.5) / c05 - 3.841458820694124 - 3) / b + 1)
        * 1.959963984540054, 2)) - 1,
        ((1 / (((v + 6) / (v * y05) - 0.089 * e - 0.822) * (v + 2) * 3) + 0.5 / (v + 4)) * y05 - 1)
        * (v + 1) / (v + 2) + 1 / y05)) AS t05,
       sqrt(v * if(y10 > 0.05 + a, exp(a * pow((((((0.4 * 2.705543454095414 + 6.3) * 2.705543454095414
        + 36) * 2.705543454095414 + 94.5) / c10 - 2.705543454095414 - 3) / b + 1)
        * 1.6448536269514722, 2)) - 1,
        ((1 / (((v + 6) / (v * y10) - 0.089 * e - 0.822) * (v + 2) * 3) + 0.5 / (v + 4)) * y10 - 1)
        * (v + 1) / (v + 2) + 1 / y10)) AS t10
      FROM
      (
       SELECT
        gpu, scene, pass_id, stat, is_small, old_n, new_n, old_ns, new_ns, d, error, v, a, b, e,
        pow(e * 0.05, 2 / v) AS y05, pow(e * 0.10, 2 / v) AS y10,
        (((0.05 * e * -1.959963984540054 - 5) * -1.959963984540054 - 7) * -1.959963984540054 - 2)
         * -1.959963984540054 + b + c
         + if(v < 5, 0.3 * (v - 4.5) * (-1.959963984540054 + 0.6), 0) AS c05,
        (((0.05 * e * -1.6448536269514722 - 5) * -1.6448536269514722 - 7) * -1.6448536269514722 - 2)
         * -1.6448536269514722 + b + c
         + if(v < 5, 0.3 * (v - 4.5) * (-1.6448536269514722 + 0.6), 0) AS c10
       FROM
       (
        SELECT
         gpu, scene, pass_id, stat, is_small, old_n, new_n, old_ns, new_ns, d, error, v,
         1 / (v - 0.5) AS a, 48 / (a * a) AS b,
         ((20700 * a / b - 98) * a - 16) * a + 96.36 AS c,
         ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi() / 2) * v AS e
        FROM
        (
         SELECT
          gpu, scene, m.1 AS pass_id, m.2 AS stat, m.3 AS old_n, m.4 AS new_n, m.5 AS old_ns, m.6 AS new_ns,
          m.7 AS d, m.8 AS own_error, m.9 AS own_v,
          if(isNaN(old_ns), new_ns, if(isNaN(new_ns), old_ns, greatest(old_ns, new_ns)))
           < least(50000, 0.005 * all_ns) AS is_small,
          least(old_n, new_n) >= 3 AND own_error > 0 AND many >= 5
           AND ((1 - 2 / (9 * prior_v)) * cbrt(own_error * own_error / prior_square) - (1 - 2 / (9 * own_v)))
            / sqrt(2 / (9 * prior_v) * pow(own_error * own_error / prior_square, 2 / 3) + 2 / (9 * own_v))
            <= 2.3263478740408408 AS shares,
          least(0.5 * prior_v, 3 * own_v) AS borrowed, if(shares, borrowed + own_v, own_v) AS v,
          if(shares, sqrt((borrowed * prior_square + own_v * own_error * own_error) / v), own_error) AS error
         FROM
         (
          SELECT
           gpu, scene, members, many, all_ns, 2 * half AS prior_v,
           exp(mean + log(half + 6) - 0.5 / (half + 6) - 1 / (12 * (half + 6) * (half + 6))
            + 1 / (120 * pow(half + 6, 4)) - 1 / half - 1 / (half + 1) - 1 / (half + 2) - 1 / (half + 3)
            - 1 / (half + 4) - 1 / (half + 5) - log(half)) AS prior_square
          FROM
          (
           SELECT
            gpu, scene, members, many, mean, all_ns,
            arrayMap(k -> 0.001 * exp(0.02 * k), range(1037)) AS xs,
            arrayMap(x -> 1 / (x * x) + 1 / ((x + 1) * (x + 1)) + 1 / ((x + 2) * (x + 2))
             + 1 / ((x + 3) * (x + 3)) + 1 / ((x + 4) * (x + 4)) + 1 / ((x + 5) * (x + 5)) + 1 / (x + 6)
             + 1 / (2 * (x + 6) * (x + 6)) + 1 / (6 * pow(x + 6, 3)) - 1 / (30 * pow(x + 6, 5)), xs) AS ys,
            greatest(arrayCount(y -> y > excess, ys), 1) AS at,
            if(excess > ys[1037], xs[at] * exp(0.02 * log(ys[at] / excess)
             / log(ys[at] / ys[at + 1])), 500000) AS half
           FROM
           (
            SELECT
             gpu, scene,
             groupArray((pass_id, stat, old_n, new_n, old_ns, new_ns, d, error, v)) AS members,
             countIf(takes) AS many, avgIf(ev, takes) AS mean,
             varSampIf(ev, takes) - avgIf(tg, takes) AS excess,
             greatest(sumIf(old_ns, old_n > 0), sumIf(new_ns, new_n > 0)) AS all_ns
            FROM
            (
             SELECT
              gpu, scene, pass_id, stat, old_n, new_n, old_ns, new_ns, d, error, v, h,
              least(old_n, new_n) >= 3 AND error > 0 AS takes,
              1 / (h * h) + 1 / ((h + 1) * (h + 1)) + 1 / ((h + 2) * (h + 2)) + 1 / ((h + 3) * (h + 3))
               + 1 / ((h + 4) * (h + 4)) + 1 / ((h + 5) * (h + 5)) + 1 / (h + 6)
               + 1 / (2 * (h + 6) * (h + 6)) + 1 / (6 * pow(h + 6, 3)) - 1 / (30 * pow(h + 6, 5)) AS tg,
              2 * log(error) + log(h) + 1 / h + 1 / (h + 1) + 1 / (h + 2) + 1 / (h + 3) + 1 / (h + 4)
               + 1 / (h + 5) - log(h + 6) + 0.5 / (h + 6) + 1 / (12 * (h + 6) * (h + 6))
               - 1 / (120 * pow(h + 6, 4)) AS ev
             FROM
             (
              SELECT
               gpu, scene, pass_id, if(least_p5, 'p5', if(once, 'p50', 'mean')) AS stat, old_n, new_n,
               old_ns, new_ns, new_mean - old_mean AS d, sqrt(eo + en) AS error,
               (eo + en) * (eo + en) / (eo * eo / (old_n - 1) + en * en / (new_n - 1)) AS v, v / 2 AS h
              FROM
              (
               SELECT
                gpu, scene, pass_id, once, least_p5, old_n, new_n,
                arraySum(lo) / old_n AS old_mean, arraySum(ln) / new_n AS new_mean,
                exp(old_mean) AS old_ns, exp(new_mean) AS new_ns,
                arrayReduce('varSamp', lo) / old_n AS eo, arrayReduce('varSamp', ln) / new_n AS en
               FROM
               (
                SELECT
                 gpu, scene, pass_id, once, least_p5, if(least_p5, lo5, lo50) AS lo, if(least_p5, ln5, ln50) AS ln,
                 length(lo) AS old_n, length(ln) AS new_n
                FROM
                (
                 SELECT
                  gpu, scene, pass_id, once, kept[1] AS lo50, kept[2] AS ln50, kept[3] AS lo5, kept[4] AS ln5,
                  sqrt((arrayReduce('varSamp', lo50) * (length(lo50) - 1) + arrayReduce('varSamp', ln50)
                   * (length(ln50) - 1)) / (length(lo50) + length(ln50) - 2)) AS spread50,
                  sqrt((arrayReduce('varSamp', lo5) * (length(lo5) - 1) + arrayReduce('varSamp', ln5)
                   * (length(ln5) - 1)) / (length(lo5) + length(ln5) - 2)) AS spread5,
                  once AND software AND least(length(every[1]), length(every[2])) >= 3
                   AND length(every[3]) = length(every[1]) AND length(every[4]) = length(every[2])
                   AND spread50 > 0.01 AND spread5 < 0.75 * spread50 AS least_p5
                 FROM
                 (
                 SELECT
                  gpu, scene, pass_id, once, software, every,
                  arrayMap(s -> arrayMap(x -> log(x), multiIf(length(s) < 5, s,
                   s[length(s)] - s[length(s) - 1] > greatest(0.02 * s[1], 5 * (s[length(s) - 1] - s[1])),
                    arraySlice(s, 1, length(s) - 1),
                   s[2] - s[1] > greatest(0.02 * s[2], 5 * (s[length(s)] - s[2])), arraySlice(s, 2), s)), every) AS kept
                 FROM
                 (
                  SELECT
                   gpu, scene, pass_id, min(once) AS once, min(software) AS software,
                   [arraySort(groupArrayIf(x, is_old)), arraySort(groupArrayIf(x, NOT is_old)),
                    arraySort(groupArrayIf(x5, is_old AND x5 > 0)),
                    arraySort(groupArrayIf(x5, NOT is_old AND x5 > 0))] AS every
                  FROM
                  (
                   SELECT gpu, scene, pass_id, is_old, once, software, if(once, p50, frame_ns) AS x, p5 AS x5
                   FROM
                   (
                    SELECT gpu, scene, pass_id, is_old, software, p50, p5, time / frames AS frame_ns
                    FROM
                    (
                     SELECT
                      gpu, pass_id, session_id, is_old,
                      arraySort(groupArray(greatest(t, 0))) AS s, length(s) AS n, greatest(sum(t), 0) AS time,
                      (s[intDiv(n + 1, 2)] + s[intDiv(n, 2) + 1]) / 2 AS p50,
                      toUInt32(floor(0.05 * (n - 1))) AS i5,
                      s[i5 + 1] + (0.05 * (n - 1) - i5) * (s[least(i5 + 2, n)] - s[i5 + 1]) AS p5
                     FROM
                     (
                      SELECT
                       gpu, pass_id, session_id,
                       build IN (SELECT value FROM ask WHERE key = 'old')
                        AS is_old,
                       toFloat64(assumeNotNull(gpu_time_ns)) - ifNull(bias_ns, 0) AS t
                      FROM passes
                      WHERE counted AND gpu_time_ns IS NOT NULL
                       AND build IN
                        (SELECT value FROM ask WHERE key IN ('old', 'new'))
                       AND ((SELECT count() FROM ask WHERE key = 'gpu') = 0
                        OR gpu IN (SELECT value FROM ask WHERE key = 'gpu'))
                     )
                     GROUP BY gpu, pass_id, session_id, is_old
                    ) AS left_rows
                    ALL INNER JOIN
                    (
                     SELECT session_id, scene, software, frames
                     FROM
                     (
                      SELECT session_id, count() AS frames FROM frames
                      WHERE counted AND level != 'frame' AND build IN
                       (SELECT value FROM ask WHERE key IN ('old', 'new'))
                      GROUP BY session_id
                     ) AS left_rows
                     ALL INNER JOIN
                     (
                      SELECT session_id, scene, match(lower(concat(gpu, ' ', driver)),
                       'llvmpipe|softpipe|lavapipe|swrast|swiftshader|software rasterizer') AS software
                      FROM sessions
                      WHERE (SELECT count() FROM ask WHERE key = 'scene') = 0
                       OR scene IN (SELECT value FROM ask WHERE key = 'scene')
                     ) AS right_rows USING (session_id)
                    ) AS right_rows USING (session_id)
                   ) AS left_rows
                   ALL INNER JOIN
                   (
                    SELECT pass_id, min(n = frames) AS once
                    FROM
                    (
                     SELECT pass_id, session_id, count() AS n FROM passes
                     WHERE counted AND build IN
                      (SELECT value FROM ask WHERE key IN ('old', 'new'))
                     GROUP BY pass_id, session_id
                    ) AS left_rows
                    ALL INNER JOIN
                    (
                     SELECT session_id, count() AS frames FROM frames
                     WHERE counted AND level != 'frame' AND build IN
                      (SELECT value FROM ask WHERE key IN ('old', 'new'))
                     GROUP BY session_id
                    ) AS right_rows USING (session_id)
                    GROUP BY pass_id
                   ) AS right_rows USING (pass_id)
                  )
                  WHERE x > 0
                  GROUP BY gpu, scene, pass_id
                 )
                 )
                )
               )
              )
             )
            )
            GROUP BY gpu, scene
           )
          )
         )
         ARRAY JOIN members AS m
        )
       )
      )
     )
    )
   )
  )
 )
 ARRAY JOIN rows AS r
) AS left_rows
ANY LEFT JOIN
(
 SELECT pass_id, any(name) AS name, any(label) AS label FROM pass_names GROUP BY pass_id
) AS right_rows USING (pass_id)
ORDER BY verdict = 'slower' DESC, verdict = 'faster' DESC, p, gpu, scene, pass_id
