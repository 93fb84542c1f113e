-- Which counters are missing where, and why?
--
-- For each GPU, driver and reason: the events, in how many sessions they are missing, and what share of the sessions
-- of this GPU and driver these are. Columns of files in which some cells are empty are no counters, and left out. Ask:
-- build (several rows; none: all).
WITH asked AS (
  SELECT session_id, gpu, driver, machine FROM sessions
  WHERE build IN (SELECT value FROM ask WHERE key = 'build') OR NOT EXISTS (FROM ask WHERE key = 'build')
),
all_of AS (SELECT gpu, driver, count(*) AS of_sessions FROM asked GROUP BY ALL),
missing AS (
  SELECT s.gpu, s.driver, place, event, reason, count(DISTINCT session_id) AS sessions,
    count(DISTINCT machine) AS machines
  FROM counters_missing JOIN asked AS s USING (session_id) WHERE place NOT LIKE '%.csv' GROUP BY ALL
)
SELECT gpu, driver, place, event, reason, sessions, 100 * sessions / of_sessions AS percent, machines
FROM missing JOIN all_of USING (gpu, driver) ORDER BY gpu, driver, place, event, reason
