-- What limits the frames? The share of frames that the CPU, the GPU, present, a wait for the GPU or the
-- application's own sleep limits, for each GPU and driver.
--
-- Frames without a verdict are in none of the shares. Without first frames. Ask: build, scene (several rows of each;
-- none: all).
SELECT
  gpu, driver, uniqExact(session_id) AS sessions, sum(frames) AS all_frames, sum(cpu) AS cpu_frames,
  sum(gpu_bound) AS gpu_frames, sum(present) AS present_frames, sum(sync) AS sync_frames,
  sum(sleep) AS sleep_frames, cpu_frames + gpu_frames + present_frames + sync_frames + sleep_frames AS known,
  100 * cpu_frames / known AS cpu_percent, 100 * gpu_frames / known AS gpu_percent,
  100 * present_frames / known AS present_percent, 100 * sync_frames / known AS sync_percent,
  100 * sleep_frames / known AS sleep_percent
FROM
(
  SELECT
    session_id, count() AS frames, countIf(bound_by = 'cpu') AS cpu, countIf(bound_by = 'gpu') AS gpu_bound,
    countIf(bound_by = 'present') AS present, countIf(bound_by = 'sync') AS sync,
    countIf(bound_by = 'sleep') AS sleep
  FROM frames
  WHERE counted
  GROUP BY session_id
) AS left_rows
ALL INNER JOIN
(
  SELECT session_id, gpu, driver FROM sessions
  WHERE ((SELECT count() FROM ask WHERE key = 'build') = 0 OR build IN (SELECT value FROM ask WHERE key = 'build'))
    AND ((SELECT count() FROM ask WHERE key = 'scene') = 0 OR scene IN (SELECT value FROM ask WHERE key = 'scene'))
) AS right_rows USING (session_id)
GROUP BY gpu, driver
ORDER BY gpu, driver
