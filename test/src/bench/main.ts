/**
 * `npm run bench -- NAME [flags]`: one benchmark against real processes. Progress goes to stderr; the last line of stdout is
 * one JSON object.
 */
import { parseArgs } from "node:util";
import type { Bench } from "./bench.ts";
import budgets from "./budgets.ts";
import costQuery from "./cost-query.ts";
import gateway from "./gateway/gateway.ts";
import routing from "./gateway/routing.ts";
import safety from "./gateway/safety.ts";
import tokenize from "./gateway/tokenize.ts";
import harness from "./harness/harness.ts";
import importLocal from "./import-local/import-local.ts";
import ingest from "./ingest.ts";
import optimize from "./optimize/optimize.ts";
import outcomesQuery from "./outcomes-query.ts";
import policies from "./policies.ts";
import rating from "./rating.ts";
import simulate from "./simulate.ts";
import traceLookup from "./trace-lookup.ts";
import waste from "./waste/waste.ts";
import web from "./web/web.ts";

const BENCHES: readonly Bench[] = [
  budgets,
  costQuery,
  gateway,
  harness,
  importLocal,
  ingest,
  optimize,
  outcomesQuery,
  policies,
  rating,
  routing,
  safety,
  simulate,
  tokenize,
  traceLookup,
  waste,
  web,
];

function describeBenches(): string {
  const lines = BENCHES.flatMap(({ name, describe, flags }) => [
    `  ${name}: ${describe}`,
    ...Object.entries(flags).map(([flag, meaning]) => `    --${flag.padEnd(16)}${meaning}`),
  ]);
  return `npm run bench -- NAME [flags]\n\n${lines.join("\n")}`;
}

async function main(): Promise<number> {
  const [name, ...rest] = process.argv.slice(2);
  if (name === "--help" || name === undefined) {
    console.log(describeBenches());
    return name === undefined ? 1 : 0;
  }
  const bench = BENCHES.find((candidate) => candidate.name === name);
  if (bench === undefined) throw new Error(`no benchmark "${name}"\n\n${describeBenches()}`);
  const options = Object.fromEntries(Object.keys(bench.flags).map((flag) => [flag, { type: "string" as const }]));
  const { values } = parseArgs({ args: rest, options, strict: true });
  const result = await bench.run(values, (text) => process.stderr.write(`${name}: ${text}\n`));
  console.log(JSON.stringify(result));
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
