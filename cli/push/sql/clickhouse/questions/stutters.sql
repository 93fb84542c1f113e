-- Which frames stuttered most, and why? The 100 slow frames with the largest excess.
--
-- A frame is slow by the rule of `passprobe report` (its page statistics.md): it is longer than its neighbours, which
-- are the frames of its surface at its level, in its block of 30 frames and in two blocks before and behind.
--   usual_ns   the median of the neighbours; excess_ns: how much longer the frame was
--   cause      the largest part of the excess: pipelines (created), gpu (busy longer), present, acquire, sync
--     (waits), cpu (the application's own time); unknown if it explains less than a fifth of the excess
--   part_ns    how much longer the frame was because of it
-- `passprobe report` on the session names the pass, and looks for several causes. Ask: build, gpu, scene (several
-- rows of each; none: all).
SELECT
  gpu, driver, scene, build, session_id, frame, frame_time_ns, usual_ns, excess_ns,
  if(part_ns < 0.2 * excess_ns, 'unknown', cause) AS cause, part_ns
FROM
(
  SELECT
    session_id, frame, frame_time_ns, usual_ns, frame_time_ns - usual_ns AS excess_ns,
    arrayReduce('max', parts) AS part_ns,
    ['pipelines', 'gpu', 'present', 'acquire', 'sync', 'cpu'][indexOf(parts, part_ns)] AS cause
  FROM
  (
    SELECT
      session_id, frame, frame_time_ns, usual_ns,
      greatest(pipeline - u_pipeline, 0) AS more_pipeline, greatest(busy - u_busy, 0) AS more_gpu,
      greatest(wait - u_wait - more_gpu, 0) AS more_present, greatest(acquire - u_acquire, 0) AS more_acquire,
      greatest(sync - u_sync, 0) AS more_sync,
      greatest(cpu - u_cpu - more_acquire - more_sync - more_pipeline, 0) AS more_cpu,
      [more_pipeline, more_gpu, more_present, greatest(more_acquire - more_gpu, 0),
        greatest(more_sync - more_gpu, 0), more_cpu] AS parts
    FROM
    (
      SELECT
        session_id, row.1 AS frame, row.2 AS frame_time_ns, usual AS usual_ns, row.3 AS pipeline, row.4 AS busy,
        row.5 AS wait, row.6 AS acquire, row.7 AS sync, row.8 AS cpu,
        arrayReduce('quantileExact(0.5)', arrayMap(r -> r.3, others)) AS u_pipeline,
        arrayReduce('quantileExact(0.5)', arrayMap(r -> r.4, others)) AS u_busy,
        arrayReduce('quantileExact(0.5)', arrayMap(r -> r.5, others)) AS u_wait,
        arrayReduce('quantileExact(0.5)', arrayMap(r -> r.6, others)) AS u_acquire,
        arrayReduce('quantileExact(0.5)', arrayMap(r -> r.7, others)) AS u_sync,
        arrayReduce('quantileExact(0.5)', arrayMap(r -> r.8, others)) AS u_cpu
      FROM
      (
        -- a column that only a lambda uses is unknown in 18.16: limit_ns and usual stand outside, too
        SELECT session_id, usual, near AS others, arrayJoin(arrayFilter(r -> r.2 >= limit_ns AND r.2 > usual,
          if(limit_ns > usual, own, own))) AS row
        FROM
        (
          SELECT
            session_id, own, near, usual,
            greatest(greatest(usual * greatest(1.75, least(8, exp(4.5 * 1.4826
              * (distance[intDiv(n + 1, 2)] + distance[intDiv(n, 2) + 1]) / 2))),
              1.5 * (sorted[i90 + 1] + (0.9 * (n - 1) - i90) * (sorted[least(i90 + 2, n)] - sorted[i90 + 1]))),
              usual + 2000000) AS limit_ns
          FROM
          (
            SELECT
              session_id, own, near, sorted, n, usual, toUInt32(floor(0.9 * (n - 1))) AS i90,
              arraySort(arrayMap(x -> abs(log(x) - log(usual)), if(usual > 0, sorted, sorted))) AS distance
            FROM
            (
              SELECT session_id, own, near, sorted, n,
                (sorted[intDiv(n + 1, 2)] + sorted[intDiv(n, 2) + 1]) / 2 AS usual
              FROM
              (
                SELECT
                  session_id, target, groupArrayArray(arraySlice(part, 1, if(o = 0, 30, 0))) AS own,
                  groupArrayArray(part) AS near,
                  arraySort(arrayFilter(x -> x > 0, arrayMap(r -> r.2, near))) AS sorted,
                  length(sorted) AS n
                FROM
                (
                  SELECT session_id, surface, level, part, o, toInt64(block) + o AS target
                  FROM
                  (
                    SELECT session_id, surface, level, intDiv(k - 1, 30) AS block,
                      groupArray(row) AS part
                    FROM
                    (
                      SELECT
                        session_id, surface, level,
                        arraySort(r -> r.1, groupArray((frame, toFloat64(ifNull(frame_time_ns, 0)),
                          toFloat64(ifNull(pipeline_create_ns, 0)),
                          toFloat64(ifNull(gpu_busy_ns, ifNull(gpu_time_ns, 0))), toFloat64(ifNull(cpu_wait_ns, 0)),
                          toFloat64(ifNull(cpu_acquire_ns, 0)), toFloat64(ifNull(cpu_sync_ns, 0)),
                          toFloat64(ifNull(cpu_busy_ns, 0))))) AS rows
                      FROM frames
                      WHERE counted
                        AND ((SELECT count() FROM ask WHERE key = 'build') = 0
                          OR build IN (SELECT value FROM ask WHERE key = 'build'))
                        AND ((SELECT count() FROM ask WHERE key = 'gpu') = 0
                          OR gpu IN (SELECT value FROM ask WHERE key = 'gpu'))
                      GROUP BY session_id, surface, level
                    )
                    ARRAY JOIN rows AS row, arrayEnumerate(rows) AS k
                    GROUP BY session_id, surface, level, block
                  )
                  ARRAY JOIN [-2, -1, 0, 1, 2] AS o
                )
                GROUP BY session_id, surface, level, target
              )
              WHERE n >= 10 AND length(own) > 0
            )
          )
        )
      )
    )
  )
) AS left_rows
ALL INNER JOIN
(
  SELECT session_id, gpu, driver, scene, build FROM sessions
  WHERE (SELECT count() FROM ask WHERE key = 'scene') = 0 OR scene IN (SELECT value FROM ask WHERE key = 'scene')
) AS right_rows USING (session_id)
ORDER BY excess_ns DESC, session_id, frame
LIMIT 100
