/** Holds what was found of runs against what they differ in. */
import { type Decimal, formatDecimal, parseDecimal, sumDecimals, ZERO } from "@centspan/base";
import { until } from "../../stack/processes.ts";
import { round } from "../bench.ts";
import type { Corpus } from "./corpus.ts";
import type { Clock, Truth } from "./plant.ts";
import type { WasteStack } from "./waste-stack.ts";

type Spend = { run_id: string; cost: string; calls: string };
type Found = { run_id: string; cause: string; cost: string; seconds: number; items: string };
/** Of a span: the first of its name in its run is that of the first call. */
type Timed = { run_id: string; name: string; first: number | boolean; from_s: number; to_s: number };
type Row = { planted: number; found: number; worstErrorPct: number };

/** What the two runs differ in, and what is said of it. */
type Held = { truth: Truth; is: string; said: string; errorPct: number };

const MOST_ERROR_PCT = 5;

export async function judge(stack: WasteStack, { pairs, clean }: Corpus, say: (text: string) => void) {
  const spend = await awaitSpend(stack, pairs.length * 2 + clean.length);
  const found = await awaitFound(stack);
  const timed = await readTimes(stack);
  const costOf = (runId: string): Decimal => parseDecimal(spend.get(runId)?.cost ?? "0");
  const foundIn = (runId: string): Found[] => found.filter(({ run_id }) => run_id === runId);
  const perCause: Record<string, Row> = {};
  const rows = { several: { planted: 0, found: 0, worstErrorPct: 0 } };
  let extra = 0;
  for (const { plant, spoilt, sound } of pairs) {
    const told = foundIn(spoilt);
    const missing = plant.causes.filter((cause) => told.every((one) => one.cause !== cause));
    const beside = told.filter(({ cause }) => !plant.causes.includes(cause));
    extra += beside.length;
    const held = plant.truths.map((truth): Held => (truth === "cost" ? holdCost() : holdSeconds()));
    const errorPct = Math.max(...held.map((each) => each.errorPct));
    const isAlone = plant.causes.length === 1;
    if (!isAlone) count(rows.several, missing.length === 0, errorPct);
    for (const cause of plant.causes) {
      const row = perCause[cause] ?? { planted: 0, found: 0, worstErrorPct: 0 };
      perCause[cause] = row;
      // How far each of several is off, nobody can tell.
      count(row, !missing.includes(cause), isAlone ? errorPct : 0);
    }
    if (errorPct > MOST_ERROR_PCT || missing.length + beside.length > 0)
      say(`${spoilt} (${plant.id}): ${held.map(describeHeld).join(", ")}: ${told.map(describeFound).join(", ")}`);

    function holdCost(): Held {
      // Of a run that failed all is lost, whatever it repeats.
      const base = plant.outcome === "failed" ? ZERO : costOf(sound);
      const is = costOf(spoilt).minus(base);
      const said = sumDecimals(told.map(({ cost }) => parseDecimal(cost)));
      const [a, b] = [formatDecimal(is), formatDecimal(said)];
      return { truth: "cost", is: a, said: b, errorPct: differ(Number(a), Number(b)) };
    }

    function holdSeconds(): Held {
      const is = timeOf(spoilt, plant.clock, timed) - timeOf(sound, plant.clock, timed);
      const said = told.reduce((sum, { seconds }) => sum + seconds, 0);
      return { truth: "seconds", is: is.toFixed(4), said: said.toFixed(4), errorPct: differ(is, said) };
    }
  }
  const alarms = [...clean, ...pairs.map(({ sound }) => sound)].flatMap(foundIn);
  for (const alarm of alarms) say(`false alarm in ${alarm.run_id}: ${describeFound(alarm)}`);
  for (const [name, row] of Object.entries({ ...perCause, "several at once": rows.several }))
    say(`${name}: ${row.found} of ${row.planted} found, within ${row.worstErrorPct}%`);
  const sumOf = (member: "planted" | "found"): number =>
    Object.values(perCause).reduce((sum, row) => sum + row[member], 0);
  return {
    pairs: pairs.length,
    cleanRuns: clean.length + pairs.length,
    recall: round(sumOf("found") / sumOf("planted"), 4),
    falseAlarms: alarms.length,
    alarmsBeside: extra,
    worstCostErrorPct: Math.max(...[...Object.values(perCause), rows.several].map((row) => row.worstErrorPct)),
    perCause,
    severalAtOnce: rows.several,
  };
}

function count(row: Row, isFound: boolean, errorPct: number): void {
  row.planted += 1;
  row.found += Number(isFound);
  row.worstErrorPct = Math.max(row.worstErrorPct, round(errorPct));
}

const differ = (is: number, said: number): number => Math.abs(said / is - 1) * 100;

const describeHeld = ({ truth, is, said }: Held): string => `${truth} ${is}, said ${said}`;
const describeFound = ({ cause, cost, seconds, items }: Found): string =>
  `${cause} ${cost} USD ${seconds.toFixed(4)} s (${items})`;

/** Spans that are open beside each other count once. */
function timeOf(runId: string, { spans, skipsFirst }: Clock, timed: readonly Timed[]): number {
  let seconds = 0;
  let toS = 0;
  for (const { run_id, name, first, from_s, to_s } of timed) {
    if (run_id !== runId || !spans.includes(name) || (skipsFirst === true && Boolean(first))) continue;
    seconds += Math.max(0, to_s - Math.max(from_s, toS));
    toS = Math.max(toS, to_s);
  }
  return seconds;
}

/** In order of time, from each run's first span on. */
async function readTimes(stack: WasteStack): Promise<Timed[]> {
  return stack.query<Timed>(
    `SELECT run_id, name, row_number() OVER (PARTITION BY run_id, name ORDER BY started_at) = 1 AS first,
       (toUnixTimestamp64Nano(started_at) - min(toUnixTimestamp64Nano(started_at)) OVER (PARTITION BY run_id)) / 1e9 AS from_s,
       from_s + (toUnixTimestamp64Nano(ended_at) - toUnixTimestamp64Nano(started_at)) / 1e9 AS to_s
     FROM (SELECT DISTINCT trace_id, span_id, name, started_at, ended_at FROM spans WHERE layer != '' AND NOT of_replica) AS spans
     INNER JOIN (SELECT DISTINCT run_id, trace_id FROM calls FINAL WHERE run_id NOT LIKE 'flood-%') AS runs USING (trace_id)
     ORDER BY run_id, from_s`,
  );
}

/** Every call rated, and nothing more of them to come. */
async function awaitSpend(stack: WasteStack, runs: number): Promise<Map<string, Spend>> {
  const rows = await settle("all calls are rated", async () => {
    const rated = await stack.query<Spend>(
      `SELECT run_id, toString(sum(cost_usd)) AS cost, count() AS calls FROM calls FINAL
       WHERE run_id NOT LIKE 'flood-%' GROUP BY run_id ORDER BY run_id`,
    );
    return rated.length >= runs ? rated : undefined;
  });
  return new Map(rows.map((row) => [row.run_id, row]));
}

/** Once the worker has looked at all that there was when nothing more came. */
async function awaitFound(stack: WasteStack): Promise<Found[]> {
  const atNs = BigInt(Date.now()) * 1_000_000n;
  await until(
    "waste is looked for",
    async () => ((await stack.wasteFoundToNs()) > atNs ? true : undefined),
    PATIENCE_MS,
  );
  return stack.query<Found>(
    `SELECT run_id, cause, toString(sum(cost_usd)) AS cost, sum(seconds) AS seconds, count() AS items
     FROM waste_items FINAL GROUP BY run_id, cause ORDER BY run_id, cause`,
  );
}

const PATIENCE_MS = 300_000;
const QUIET_MS = 10_000;

/** An answer that stays the same for a while: what comes late changes it. */
async function settle<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  let last = "";
  let sinceMs = Date.now();
  return until(
    what,
    async () => {
      const answer = await ask();
      const text = JSON.stringify(answer) ?? "";
      if (text !== last) sinceMs = Date.now();
      last = text;
      return answer !== undefined && Date.now() - sinceMs >= QUIET_MS ? answer : undefined;
    },
    PATIENCE_MS,
  );
}
