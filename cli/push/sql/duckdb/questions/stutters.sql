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
WITH asked AS (
  SELECT session_id, gpu, driver, scene, build FROM sessions
  WHERE (build IN (SELECT value FROM ask WHERE key = 'build') OR NOT EXISTS (FROM ask WHERE key = 'build'))
    AND (gpu IN (SELECT value FROM ask WHERE key = 'gpu') OR NOT EXISTS (FROM ask WHERE key = 'gpu'))
    AND (scene IN (SELECT value FROM ask WHERE key = 'scene') OR NOT EXISTS (FROM ask WHERE key = 'scene'))
),
numbered AS (
  SELECT session_id, coalesce(surface, 0) AS surface, level, frame, coalesce(frame_time_ns, 0)::DOUBLE AS t,
    coalesce(pipeline_create_ns, 0)::DOUBLE AS pipeline, coalesce(gpu_busy_ns, gpu_time_ns, 0)::DOUBLE AS busy,
    coalesce(cpu_wait_ns, 0)::DOUBLE AS waited, coalesce(cpu_acquire_ns, 0)::DOUBLE AS acquire,
    coalesce(cpu_sync_ns, 0)::DOUBLE AS sync, coalesce(cpu_busy_ns, 0)::DOUBLE AS cpu,
    (row_number() OVER (PARTITION BY session_id, surface, level ORDER BY frame) - 1) // 30 AS block
  FROM frames SEMI JOIN asked USING (session_id) WHERE counted = 1
),
near AS (
  SELECT session_id, surface, level, block + o AS block, t, pipeline, busy, waited, acquire, sync, cpu
  FROM numbered, (VALUES (-2), (-1), (0), (1), (2)) AS places (o)
),
usual AS (
  SELECT session_id, surface, level, block, quantile_cont(t, 0.5) FILTER (t > 0) AS usual,
    quantile_cont(t, 0.9) FILTER (t > 0) AS p90, median(pipeline) AS u_pipeline, median(busy) AS u_busy,
    median(waited) AS u_wait, median(acquire) AS u_acquire, median(sync) AS u_sync, median(cpu) AS u_cpu
  FROM near GROUP BY ALL HAVING count(*) FILTER (t > 0) >= 10
),
spread AS (
  SELECT session_id, surface, level, block, quantile_cont(abs(ln(t) - ln(usual)), 0.5) AS distance
  FROM near JOIN usual USING (session_id, surface, level, block) WHERE t > 0 GROUP BY ALL
),
slow AS (
  SELECT *, t - usual AS excess_ns, greatest(pipeline - u_pipeline, 0) AS more_pipeline,
    greatest(busy - u_busy, 0) AS more_gpu, greatest(acquire - u_acquire, 0) AS more_acquire,
    greatest(sync - u_sync, 0) AS more_sync
  FROM numbered JOIN usual USING (session_id, surface, level, block)
    JOIN spread USING (session_id, surface, level, block)
  WHERE t > usual AND t >= greatest(usual * greatest(1.75, least(8, exp(4.5 * 1.4826 * distance))), 1.5 * p90,
    usual + 2000000)
),
parts AS (
  SELECT session_id, frame, t AS frame_time_ns, usual AS usual_ns, excess_ns,
    [more_pipeline, more_gpu, greatest(waited - u_wait - more_gpu, 0), greatest(more_acquire - more_gpu, 0),
      greatest(more_sync - more_gpu, 0), greatest(cpu - u_cpu - more_acquire - more_sync - more_pipeline, 0)] AS part
  FROM slow
)
SELECT gpu, driver, scene, build, session_id, frame, frame_time_ns, usual_ns, excess_ns,
  CASE WHEN list_max(part) < 0.2 * excess_ns THEN 'unknown'
    ELSE ['pipelines', 'gpu', 'present', 'acquire', 'sync', 'cpu'][list_position(part, list_max(part))] END AS cause,
  list_max(part) AS part_ns
FROM parts JOIN asked USING (session_id)
ORDER BY excess_ns DESC, session_id, frame LIMIT 100
