/**
 * `npm run anchors -- --data DIR`: this code against numbers that others published. Prints a line per anchor and, as the last
 * line, one JSON object; exits 1 when one is missed.
 */
import { parseArgs } from "node:util";
import { checkAgentStudy } from "./agent-study.ts";
import type { Anchor, AnchorGroup } from "./anchor.ts";
import { checkClosedForms } from "./closed-forms.ts";
import { checkHitRates } from "./hit-rates.ts";
import { checkMeasuredRuns } from "./measured-runs.ts";
import { checkRecordedRuns } from "./recorded-runs.ts";
import { checkRouting } from "./routing.ts";

const GROUPS: AnchorGroup[] = [
  checkHitRates,
  checkAgentStudy,
  checkRecordedRuns,
  checkClosedForms,
  checkMeasuredRuns,
  checkRouting,
];

const { values } = parseArgs({ options: { data: { type: "string" } } });
if (values.data === undefined) {
  console.error("anchors: name the folder of the maintainers' data with --data DIR");
  process.exit(1);
}
const folder = values.data;
const groups: Anchor[][] = [];
for (const check of GROUPS) groups.push(await check(folder));
const anchors = groups.flat().map((anchor) => ({
  ...anchor,
  held: Math.abs(anchor.measured - anchor.expected) <= anchor.tolerance,
}));
for (const { name, expected, tolerance, measured, held, note } of anchors) {
  const beside = note === undefined ? "" : `; ${note}`;
  console.log(`${held ? "held  " : "MISSED"}  ${name}: ${measured} (expected ${expected} ± ${tolerance})${beside}`);
}
const passed = anchors.filter(({ held }) => held).length;
console.log(JSON.stringify({ passed, failed: anchors.length - passed, anchors }));
process.exit(passed === anchors.length ? 0 : 1);
