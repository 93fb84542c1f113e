// Reads the files of a session by DuckDB, and computes the sums and percentiles that `passprobe report` prints.
//
//     node report_speed.mjs SESSION
//
// It is in a folder with the npm package @duckdb/node-api. Two threads, as on the machine of docs/overhead.md.
import {DuckDBInstance} from "@duckdb/node-api";

const folder = process.argv[2].replaceAll("'", "''");
const instance = await DuckDBInstance.create(":memory:", {threads: "2"});
const connection = await instance.connect();
const percentiles = (column) =>
    `count(*), sum(${column}), avg(${column}), quantile_cont(${column}, [0.5, 0.95, 0.99]), max(${column})`;
const questions = [
    `SELECT ${["frame_time_ns", "gpu_busy_ns", "cpu_busy_ns"].map(percentiles)} FROM '${folder}/frames.csv'`,
    `SELECT pass_id, any_value(name), sum(draws), sum(COLUMNS('^(pipeline|khr):')), ${percentiles("gpu_time_ns")}
     FROM '${folder}/passes.csv' GROUP BY pass_id`,
    `SELECT draw_id, any_value(call), sum(vertices), sum("pipeline:fragment_shader_invocations"), ${percentiles("gpu_time_ns")}
     FROM '${folder}/draws.csv' GROUP BY draw_id`,
    `SELECT label, sum(passes), sum(draws), ${percentiles("gpu_inclusive_ns")} FROM '${folder}/labels.csv' GROUP BY label`,
];
for (const question of questions) {
    const answer = await connection.runAndReadAll(question);
    console.log(answer.currentRowCount);
}
