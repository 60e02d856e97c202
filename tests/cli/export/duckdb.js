// SPDX-License-Identifier: GPL-2.0-or-later
// Runs queries with DuckDB: node duckdb.js QUERY.. prints a JSON array of rows a line.
const { DuckDBInstance } = require("@duckdb/node-api");

(async () => {
	const connection = await (await DuckDBInstance.create(":memory:")).connect();
	await connection.run("SET TimeZone = 'UTC'");
	for (const query of process.argv.slice(2)) {
		const reader = await connection.runAndReadAll(query);
		console.log(JSON.stringify(reader.getRowsJson()));
	}
})();
