/**
 * `bench rating`: how long a rating run takes for many calls that have no price yet, from the question which prices there
 * are to the last line written, and that a second run changes nothing. Some calls are compared with `rateCall`.
 */
import { formatDecimal, parseInstant } from "@centspan/base";
import type { RatedCall, TimeRange } from "@centspan/model";
import { findScopes, listPrices, rateCall, tabulatePrices } from "@centspan/pricing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { type IngestStack, startIngestStack, WORKSPACE } from "../stack/ingest-stack.ts";
import { awaitMerges } from "./await-merges.ts";
import { defineBench, readNumber, round } from "./bench.ts";
import { fillCalls } from "./fill-calls.ts";

const COMPARED = 500;
const DAYS = 30;
const range: TimeRange = { fromNs: parseInstant("2026-10-01") ?? 0n, toNs: parseInstant("2026-11-01") ?? 0n };

export default defineBench({
  name: "rating",
  describe: "seconds to rate a month of calls by sets, and how many a second run changes",
  flags: { calls: "calls of the month (10000000)" },
  async run(flags, say) {
    const calls = readNumber("calls", flags.calls, 10_000_000);
    const stack = await startIngestStack();
    const warehouse = openWarehouse({ url: stack.clickhouseUrl });
    try {
      await fillCalls(stack, { calls, fromNs: range.fromNs, days: DAYS }, say);
      await awaitMerges(stack);
      say("rating");
      const startedAtMs = performance.now();
      const rated = await rate(warehouse);
      const seconds = (performance.now() - startedAtMs) / 1000;
      if (rated !== calls) throw new Error(`rated ${rated} calls of ${calls}`);
      await compare(stack, warehouse);
      say("rating again");
      return { calls, seconds: round(seconds), rerunChanged: await rate(warehouse) };
    } finally {
      await warehouse.close();
      await stack.end();
    }
  },
});

async function rate(warehouse: Warehouse): Promise<number> {
  const classes = await warehouse.listCallClasses(WORKSPACE, { range, scopes: findScopes(listPrices) });
  const { changedCalls } = await warehouse.rateCalls(WORKSPACE, {
    table: tabulatePrices(listPrices, classes, range),
    range,
    ratingRunId: "bench",
  });
  return changedCalls;
}

async function compare(stack: IngestStack, warehouse: Warehouse): Promise<void> {
  const rows = await stack.query<{ call_id: string }>(
    `SELECT call_id FROM calls LIMIT 1 BY call_id LIMIT ${COMPARED} FORMAT JSONEachRow`,
  );
  const stored = await warehouse.readCalls(
    WORKSPACE,
    rows.map(({ call_id }) => call_id),
  );
  const show = ({ costUsd, lines }: RatedCall): string =>
    [costUsd, ...lines.map((line) => line.costUsd)].map((amount) => amount && formatDecimal(amount)).join();
  for (const call of stored) {
    const expected = show(rateCall(call, listPrices, "bench"));
    if (show(call) !== expected) throw new Error(`call ${call.callId} is ${show(call)}, by itself ${expected}`);
  }
}
