// Runs statements of SQL in DuckDB: a JSON list of texts on stdin, a JSON list of rows for each on stdout.
// Arguments: the folder where npm installed @duckdb/node-api.
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';

const require = createRequire(process.argv[2] + '/');
const {DuckDBInstance} = require('@duckdb/node-api');
const instance = await DuckDBInstance.create(':memory:', {threads: '2'});
const connection = await instance.connect();
for (const statement of JSON.parse(readFileSync(0, 'utf8'))) {
  const result = await connection.runAndReadAll(statement);
  console.log(JSON.stringify(result.getRowObjectsJson()));
}
connection.closeSync();
