-- Which counters are missing where, and why?
--
-- For each GPU, driver and reason: the events, in how many sessions they are missing, and what share of the sessions
-- of this GPU and driver these are. Columns of files in which some cells are empty are no counters, and left out. Ask:
-- build (several rows; none: all).
SELECT gpu, driver, place, event, reason, sessions, 100 * sessions / of_sessions AS percent, machines
FROM
(
  SELECT gpu, driver, place, event, reason, uniqExact(session_id) AS sessions, uniqExact(machine) AS machines
  FROM
  (
    SELECT session_id, place, event, reason FROM counters_missing WHERE place NOT LIKE '%.csv'
  ) AS left_rows
  ALL INNER JOIN
  (
    SELECT session_id, gpu, driver, machine FROM sessions
    WHERE (SELECT count() FROM ask WHERE key = 'build') = 0 OR build IN (SELECT value FROM ask WHERE key = 'build')
  ) AS right_rows USING (session_id)
  GROUP BY gpu, driver, place, event, reason
) AS left_rows
ALL INNER JOIN
(
  SELECT gpu, driver, count() AS of_sessions FROM sessions
  WHERE (SELECT count() FROM ask WHERE key = 'build') = 0 OR build IN (SELECT value FROM ask WHERE key = 'build')
  GROUP BY gpu, driver
) AS right_rows USING (gpu, driver)
ORDER BY gpu, driver, place, event, reason
