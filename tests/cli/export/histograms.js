// SPDX-License-Identifier: GPL-2.0-or-later
// Reads an HdrHistogram log with hdr-histogram-js: prints the samples of each tag and, of all
// intervals tagged OPERATION.total together, the percentiles as its own .hgrm.
const fs = require("fs");
const hdr = require("hdr-histogram-js");

const log = new hdr.HistogramLogReader(fs.readFileSync(process.argv[2], "utf8"));
const sum = hdr.build({
	highestTrackableValue: 3600000000000,
	numberOfSignificantValueDigits: 3,
	lowestDiscernibleValue: 1,
});
const tags = {};
for (let one; (one = log.nextIntervalHistogram()) != null;) {
	tags[one.tag] = (tags[one.tag] || 0) + one.totalCount;
	if (one.tag.endsWith(".total"))
		sum.add(one);
}
for (const tag of Object.keys(tags).sort())
	console.log(`# ${tag} ${tags[tag]}`);
console.log(`# start ${log.startTimeSec}`);
process.stdout.write(sum.outputPercentileDistribution(5, 1e6));
