-- The tables of schema-1.sql over several servers. For ClickHouse 18.16 and newer.
--
-- Every server has two databases. `passprobe_shard` has the tables of schema-1.sql with this server's part of the
-- sessions. `passprobe` has the tables below, which have no rows of their own: what is written to them goes to the
-- server that the session's id selects, and what is read from them comes from all servers. So users and
-- `passprobe push` use the database `passprobe` of any server.
--
-- All rows of a session are on one server. So a session that is pushed twice, through whichever servers, meets itself
-- there, and counts once.
--
-- Before this file: `remote_servers` in the settings of each server has the cluster `fleet`, with
-- internal_replication = true; the databases exist; schema-1.sql was run in the first one. Then run this file in the
-- second one, on each server. `passprobe push` sends insert_distributed_sync = 1: its INSERT returns when the rows are
-- where they belong. Other programs that insert must do the same.
--
-- skip_unavailable_shards = 0 (the default) refuses a question while a server does not answer. 1 answers from the
-- others, and the answer does not say so.
--
-- A statement ends with a semicolon at the end of a line. Every statement can be run again.

CREATE TABLE IF NOT EXISTS passprobe_schema AS passprobe_shard.passprobe_schema
    ENGINE = Distributed(fleet, passprobe_shard, passprobe_schema, rand());

-- What is written.
CREATE TABLE IF NOT EXISTS stored_pushes AS passprobe_shard.stored_pushes
    ENGINE = Distributed(fleet, passprobe_shard, stored_pushes, sipHash64(session_id));
CREATE TABLE IF NOT EXISTS stored_sessions AS passprobe_shard.stored_sessions
    ENGINE = Distributed(fleet, passprobe_shard, stored_sessions, sipHash64(session_id));
CREATE TABLE IF NOT EXISTS stored_frames AS passprobe_shard.stored_frames
    ENGINE = Distributed(fleet, passprobe_shard, stored_frames, sipHash64(session_id));
CREATE TABLE IF NOT EXISTS stored_passes AS passprobe_shard.stored_passes
    ENGINE = Distributed(fleet, passprobe_shard, stored_passes, sipHash64(session_id));
CREATE TABLE IF NOT EXISTS stored_pass_names AS passprobe_shard.stored_pass_names
    ENGINE = Distributed(fleet, passprobe_shard, stored_pass_names, sipHash64(session_id));
CREATE TABLE IF NOT EXISTS stored_labels AS passprobe_shard.stored_labels
    ENGINE = Distributed(fleet, passprobe_shard, stored_labels, sipHash64(session_id));
CREATE TABLE IF NOT EXISTS stored_marks AS passprobe_shard.stored_marks
    ENGINE = Distributed(fleet, passprobe_shard, stored_marks, sipHash64(session_id));
CREATE TABLE IF NOT EXISTS stored_draws AS passprobe_shard.stored_draws
    ENGINE = Distributed(fleet, passprobe_shard, stored_draws, sipHash64(session_id));
CREATE TABLE IF NOT EXISTS stored_counters_missing AS passprobe_shard.stored_counters_missing
    ENGINE = Distributed(fleet, passprobe_shard, stored_counters_missing, sipHash64(session_id));

-- What is read: the views of each server.
CREATE TABLE IF NOT EXISTS pushes AS passprobe_shard.pushes
    ENGINE = Distributed(fleet, passprobe_shard, pushes);
CREATE TABLE IF NOT EXISTS sessions AS passprobe_shard.sessions
    ENGINE = Distributed(fleet, passprobe_shard, sessions);
CREATE TABLE IF NOT EXISTS frames AS passprobe_shard.frames
    ENGINE = Distributed(fleet, passprobe_shard, frames);
CREATE TABLE IF NOT EXISTS passes AS passprobe_shard.passes
    ENGINE = Distributed(fleet, passprobe_shard, passes);
CREATE TABLE IF NOT EXISTS pass_names AS passprobe_shard.pass_names
    ENGINE = Distributed(fleet, passprobe_shard, pass_names);
CREATE TABLE IF NOT EXISTS labels AS passprobe_shard.labels
    ENGINE = Distributed(fleet, passprobe_shard, labels);
CREATE TABLE IF NOT EXISTS marks AS passprobe_shard.marks
    ENGINE = Distributed(fleet, passprobe_shard, marks);
CREATE TABLE IF NOT EXISTS draws AS passprobe_shard.draws
    ENGINE = Distributed(fleet, passprobe_shard, draws);
CREATE TABLE IF NOT EXISTS counters_missing AS passprobe_shard.counters_missing
    ENGINE = Distributed(fleet, passprobe_shard, counters_missing);
CREATE TABLE IF NOT EXISTS pass_rollup AS passprobe_shard.pass_rollup
    ENGINE = Distributed(fleet, passprobe_shard, pass_rollup);
CREATE TABLE IF NOT EXISTS frame_rollup AS passprobe_shard.frame_rollup
    ENGINE = Distributed(fleet, passprobe_shard, frame_rollup);
