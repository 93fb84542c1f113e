-- What `passprobe diff` needs of each session: one row with the figures of `passprobe report --json`. The command asks
-- this question itself.
--
-- Of the window with the most frames; without first frames; times of passes less what an empty bracket measures.
-- Kinds of times: 0 to 5 of all frames, 6 to 11 of those that created no pipelines, 12 what the others took for it.
-- Sessions at level frame, and those with --keep-slower-than, are left out.
-- Ask: build, gpu, driver, scene (several rows of each; none: all).
SELECT
  session_id, build, scene, program, cpu, gpu, driver, api, level, events,
  toFloat64(ifNull(start_realtime_ns, 0)) AS start_ns, times, pass_ids, pass_kinds, pass_names, pass_labels,
  pass_attachments, pass_figures
FROM
(
  SELECT session_id, times, pass_ids, pass_kinds, pass_names, pass_labels, pass_attachments, pass_figures
  FROM
  (
    SELECT
      session_id, groupArray(pass_id) AS pass_ids, groupArray(kind) AS pass_kinds, groupArray(name) AS pass_names,
      groupArray(label) AS pass_labels, groupArray(attachments) AS pass_attachments,
      groupArray([place, width, height, layers, samples, toFloat64(n), draws, dispatches, copies, sum_ns,
        p5, p50, p95, p99, max_ns]) AS pass_figures
    FROM
    (
      SELECT
        session_id, pass_id, length(b) AS n, place, width, height, layers, samples, draws, dispatches, copies, sum_ns,
        b[i05 + 1] + (0.05 * (n - 1) - i05) * (b[least(i05 + 2, n)] - b[i05 + 1]) AS p5,
        b[i50 + 1] + (0.50 * (n - 1) - i50) * (b[least(i50 + 2, n)] - b[i50 + 1]) AS p50,
        b[i95 + 1] + (0.95 * (n - 1) - i95) * (b[least(i95 + 2, n)] - b[i95 + 1]) AS p95,
        b[i99 + 1] + (0.99 * (n - 1) - i99) * (b[least(i99 + 2, n)] - b[i99 + 1]) AS p99, b[n] AS max_ns
      FROM
      (
        SELECT
          session_id, pass_id, arraySort(groupArray(greatest(t, 0))) AS b, length(b) AS n, toFloat64(any(pass)) AS place,
          toFloat64(any(w)) AS width, toFloat64(any(h)) AS height, toFloat64(any(l)) AS layers,
          toFloat64(any(s)) AS samples, toFloat64(sum(d)) AS draws, toFloat64(sum(p)) AS dispatches,
          toFloat64(sum(c)) AS copies, greatest(sum(t), 0) AS sum_ns,
          toUInt32(floor(0.05 * (n - 1))) AS i05, toUInt32(floor(0.50 * (n - 1))) AS i50,
          toUInt32(floor(0.95 * (n - 1))) AS i95, toUInt32(floor(0.99 * (n - 1))) AS i99
        FROM
        (
          SELECT
            session_id, frame, pass_id, pass, ifNull(width, 0) AS w, ifNull(height, 0) AS h, ifNull(layers, 0) AS l,
            ifNull(samples, 0) AS s, ifNull(draws, 0) AS d, ifNull(dispatches, 0) AS p, ifNull(copies, 0) AS c,
            toFloat64(assumeNotNull(gpu_time_ns)) - ifNull(bias_ns, 0) AS t
          FROM
          (
            SELECT
              session_id, assumeNotNull(frame) AS frame, pass_id, pass, width, height, layers, samples, draws,
              dispatches, copies, gpu_time_ns, bias_ns
            FROM passes
            WHERE counted AND gpu_time_ns IS NOT NULL AND frame IS NOT NULL
              AND ((SELECT count() FROM ask WHERE key = 'build') = 0
                OR build IN (SELECT value FROM ask WHERE key = 'build'))
              AND ((SELECT count() FROM ask WHERE key = 'gpu') = 0 OR gpu IN (SELECT value FROM ask WHERE key = 'gpu'))
          ) AS left_rows
          ALL INNER JOIN
          (
            SELECT DISTINCT session_id, frame
            FROM
            (
              SELECT session_id, frame, ifNull(surface, 0) AS surface FROM frames WHERE counted
            ) AS left_rows
            ALL INNER JOIN
            (
              SELECT session_id, argMax(surface, n) AS surface
              FROM
              (
                SELECT session_id, ifNull(surface, 0) AS surface, count() AS n FROM frames WHERE counted
                GROUP BY session_id, surface
              )
              GROUP BY session_id
            ) AS right_rows USING (session_id, surface)
          ) AS right_rows USING (session_id, frame)
        )
        GROUP BY session_id, pass_id
      )
    ) AS left_rows
    ALL INNER JOIN
    (
      SELECT session_id, pass_id, any(kind) AS kind, any(name) AS name, any(label) AS label,
        any(attachments) AS attachments
      FROM pass_names GROUP BY session_id, pass_id
    ) AS right_rows USING (session_id, pass_id)
    GROUP BY session_id
  ) AS left_rows
  ALL INNER JOIN
  (
    SELECT session_id, groupArray([toFloat64(kind), toFloat64(n), mean, p5, p50, p95, p99, most]) AS times
    FROM
    (
      SELECT
        session_id, kind, length(b) AS n, arraySum(b) / n AS mean, b[n] AS most,
        b[i05 + 1] + (0.05 * (n - 1) - i05) * (b[least(i05 + 2, n)] - b[i05 + 1]) AS p5,
        b[i50 + 1] + (0.50 * (n - 1) - i50) * (b[least(i50 + 2, n)] - b[i50 + 1]) AS p50,
        b[i95 + 1] + (0.95 * (n - 1) - i95) * (b[least(i95 + 2, n)] - b[i95 + 1]) AS p95,
        b[i99 + 1] + (0.99 * (n - 1) - i99) * (b[least(i99 + 2, n)] - b[i99 + 1]) AS p99
      FROM
      (
        SELECT
          session_id, kind, arraySort(groupArray(toFloat64(assumeNotNull(value)))) AS b, length(b) AS n,
          toUInt32(floor(0.05 * (n - 1))) AS i05, toUInt32(floor(0.50 * (n - 1))) AS i50,
          toUInt32(floor(0.95 * (n - 1))) AS i95,
          toUInt32(floor(0.99 * (n - 1))) AS i99
        FROM
        (
          SELECT session_id, kind, value, creates
          FROM
          (
            SELECT session_id, ifNull(surface, 0) AS surface, ifNull(pipelines_created, 0) > 0 AS creates,
              [frame_time_ns, cpu_busy_ns, cpu_wait_ns, gpu_time_ns, gpu_busy_ns, gpu_wait_ns] AS six,
              arrayConcat(six, six, [ifNull(pipeline_create_ns, 0)]) AS list
            FROM frames
            WHERE counted AND level != 'frame'
              AND ((SELECT count() FROM ask WHERE key = 'build') = 0
                OR build IN (SELECT value FROM ask WHERE key = 'build'))
              AND ((SELECT count() FROM ask WHERE key = 'gpu') = 0 OR gpu IN (SELECT value FROM ask WHERE key = 'gpu'))
          ) AS left_rows
          ALL INNER JOIN
          (
            SELECT session_id, argMax(surface, n) AS surface
            FROM
            (
              SELECT session_id, ifNull(surface, 0) AS surface, count() AS n FROM frames WHERE counted
              GROUP BY session_id, surface
            )
            GROUP BY session_id
          ) AS right_rows USING (session_id, surface)
          ARRAY JOIN list AS value, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] AS kind
        )
        WHERE value IS NOT NULL AND (kind < 6 OR creates = (kind = 12))
        GROUP BY session_id, kind
      )
    )
    GROUP BY session_id
  ) AS right_rows USING (session_id)
) AS left_rows
ALL INNER JOIN
(
  SELECT session_id, build, scene, program, cpu, gpu, driver, api, level, events, start_realtime_ns FROM sessions
  WHERE ((SELECT count() FROM ask WHERE key = 'scene') = 0 OR scene IN (SELECT value FROM ask WHERE key = 'scene'))
    AND ((SELECT count() FROM ask WHERE key = 'driver') = 0 OR driver IN (SELECT value FROM ask WHERE key = 'driver'))
) AS right_rows USING (session_id)
ORDER BY start_ns, session_id
FORMAT JSONEachRow
