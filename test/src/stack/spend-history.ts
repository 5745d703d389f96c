/**
 * A workspace with weeks of spend, for pages that the demo's few minutes can't fill: three teams, two providers, a day
 * that costs far more than others, a model without a price, usage in quarantine. The same for the same day.
 */
import { createRandom } from "@centspan/base";
import type { Control } from "@centspan/control";
import { type Call, EMPTY_BUCKETS, EMPTY_CALL, type RatedCall } from "@centspan/model";
import { listPrices, rateCall } from "@centspan/pricing";
import type { Warehouse } from "@centspan/warehouse";

export const HISTORY_DAYS = 75;
/** So many days ago a loop ran wild. */
export const ODD_DAYS_BACK = 9;
const HOUR_NS = 3_600_000_000_000n;
const DAY_NS = 24n * HOUR_NS;

type Who = Pick<Call, "team" | "key" | "taskType" | "provider" | "model">;
const REVIEW: Who = { ...{ team: "payments", key: "payments-review" }, ...use("review", "openai", "gpt-5.6-sol") };
const REPAIR: Who = { ...{ team: "payments", key: "payments-ci" }, ...use("repair", "openai", "gpt-5.5") };
const SEARCH: Who = { ...{ team: "search", key: "search-agent" }, ...use("feature", "anthropic", "claude-sonnet-5-5") };
const NIGHTLY: Who = { team: "platform", key: "platform-nightly", ...use("upgrade", "anthropic", "claude-opus-5") };
const PLAYGROUND: Who = { team: "", key: "playground", ...use("", "openai", "gpt-5.6-terra") };

function use(taskType: string, provider: string, model: string) {
  return { taskType, provider, model };
}

/** Calls on a working day. */
const PER_DAY: readonly [Who, number][] = [
  [REVIEW, 22],
  [REPAIR, 9],
  [SEARCH, 26],
  [NIGHTLY, 7],
  [PLAYGROUND, 3],
];

export async function fillSpendHistory(
  { warehouse, control }: { warehouse: Warehouse; control: Control },
  workspace: string,
  name: string,
  todayNs: bigint,
): Promise<RatedCall[]> {
  await control.ensureWorkspace("local", { id: workspace, name });
  const calls = listCalls(todayNs - (todayNs % DAY_NS)).map((call) => rateCall(call, listPrices, "history"));
  await warehouse.insertCalls(workspace, calls);
  return calls;
}

function listCalls(todayNs: bigint): Call[] {
  const random = createRandom(7);
  const calls: Call[] = [];
  const add = (who: Who, atNs: bigint, change: Partial<Call> = {}): void => {
    const n = calls.length;
    const input = 20_000 + Math.floor(random.next() * 60_000);
    calls.push({
      ...EMPTY_CALL,
      ...who,
      callId: `history-${n}`,
      keyId: `key-${who.key}`,
      traceId: n.toString(16).padStart(32, "0"),
      spanId: n.toString(16).padStart(16, "0"),
      task: who.taskType === "" ? "" : `${who.taskType}-${n % 40}`,
      atNs,
      durationNs: 4_000_000_000n,
      source: "gateway",
      dialect: "semconv",
      provenance: n % 8 === 0 ? "estimated" : "measured",
      buckets: { ...EMPTY_BUCKETS, input, cacheRead: input * 4, outputText: Math.floor(input / 12) },
      ...change,
    });
  };
  for (let daysBack = HISTORY_DAYS; daysBack >= 1; daysBack -= 1) {
    const dayNs = todayNs - BigInt(daysBack) * DAY_NS;
    const isWeekend = [0, 6].includes(new Date(Number(dayNs / 1_000_000n)).getUTCDay());
    for (const [who, perDay] of PER_DAY) {
      const growth = who === SEARCH ? 1.6 - daysBack / HISTORY_DAYS : 1;
      const wildness = who === REPAIR && daysBack === ODD_DAYS_BACK ? 12 : 1;
      const count = Math.round(perDay * growth * wildness * (isWeekend ? 0.3 : 1) * (0.9 + random.next() * 0.2));
      for (let n = 1; n <= count; n += 1) add(who, dayNs + (DAY_NS / BigInt(count + 1)) * BigInt(n));
    }
    if (daysBack % 6 === 0) {
      add({ ...REVIEW, model: "sol-preview" }, dayNs + HOUR_NS);
      add(REVIEW, dayNs + 2n * HOUR_NS, { quarantineReason: "total_mismatch" });
    }
  }
  return calls;
}
