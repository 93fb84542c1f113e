-- What limits the frames? The share of frames that the CPU, the GPU, present, a wait for the GPU or the
-- application's own sleep limits, for each GPU and driver.
--
-- Frames without a verdict are in none of the shares. Without first frames. Ask: build, scene (several rows of each;
-- none: all).
WITH asked AS (
  SELECT session_id, gpu, driver FROM sessions
  WHERE (build IN (SELECT value FROM ask WHERE key = 'build') OR NOT EXISTS (FROM ask WHERE key = 'build'))
  AND (scene IN (SELECT value FROM ask WHERE key = 'scene') OR NOT EXISTS (FROM ask WHERE key = 'scene'))
),
counts AS (
  SELECT s.gpu, s.driver, count(DISTINCT session_id) AS sessions, count(*) AS all_frames,
  count(*) FILTER (bound_by = 'cpu') AS cpu_frames, count(*) FILTER (bound_by = 'gpu') AS gpu_frames,
  count(*) FILTER (bound_by = 'present') AS present_frames, count(*) FILTER (bound_by = 'sync') AS sync_frames,
  count(*) FILTER (bound_by = 'sleep') AS sleep_frames
  FROM frames JOIN asked AS s USING (session_id) WHERE counted = 1 GROUP BY ALL
),
known AS (SELECT *, cpu_frames + gpu_frames + present_frames + sync_frames + sleep_frames AS known FROM counts)
SELECT *, 100 * cpu_frames / known AS cpu_percent, 100 * gpu_frames / known AS gpu_percent,
  100 * present_frames / known AS present_percent, 100 * sync_frames / known AS sync_percent,
  100 * sleep_frames / known AS sleep_percent
FROM known ORDER BY gpu, driver
