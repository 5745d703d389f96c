/** The engine that served a workspace, by its spans: step times, KV size, limits and what was observed. */
import { CentspanError, parseInstant } from "@centspan/base";
import { describeEngine, type EngineAnswer } from "@centspan/optimizer";
import { locateStores } from "../connection.ts";
import type { CallsQuery } from "../read-recorded-calls.ts";
import { openStores, requireWorkspace } from "../stores.ts";

/** Enough for five coefficients, and read in a second. */
const MOST_STEPS = 20_000;
const LAST_NS = 2n ** 63n - 1n;

export async function readEngine(service: string, { data, workspace, from, to }: CallsQuery): Promise<EngineAnswer> {
  const range = { fromNs: readInstant("from", from, 0n), toNs: readInstant("to", to, LAST_NS) };
  const stores = openStores(locateStores(data));
  try {
    await requireWorkspace(stores, workspace);
    const [steps, facts] = await Promise.all([
      stores.warehouse.listEngineSteps(workspace, range, MOST_STEPS),
      stores.warehouse.listEngineFacts(workspace, range),
    ]);
    const of = <T extends { service: string }>(rows: readonly T[]): T[] =>
      rows.filter((row) => row.service === service);
    return describeEngine(service, of(steps), of(facts));
  } finally {
    await stores.close();
  }
}

function readInstant(option: string, text: string | undefined, fallback: bigint): bigint {
  if (text === undefined) return fallback;
  const ns = parseInstant(text);
  if (ns === null)
    throw new CentspanError("invalid_request", `--${option}: ${JSON.stringify(text)} is no time`, { field: option });
  return ns;
}
