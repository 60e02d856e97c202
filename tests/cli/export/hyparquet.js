// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a Parquet file with hyparquet: prints its rows as JSON lines, columns in their order.
// Packages that are only modules are not found by NODE_PATH.
const path = require("path");

(async () => {
	const from = (name, file) => import(path.join(process.env.NODE_PATH, name, file));
	const { asyncBufferFromFile, parquetReadObjects } = await from("hyparquet", "src/node.js");
	const { compressors } = await from("hyparquet-compressors", "src/index.js");
	const file = await asyncBufferFromFile(process.argv[2]);
	for (const row of await parquetReadObjects({ file, compressors }))
		console.log(JSON.stringify(row, (key, value) =>
			typeof value === "bigint" ? value.toString() : value));
})();
