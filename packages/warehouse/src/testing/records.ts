/** Records for tests: plain ones, of which a test states only what it is about. */
import { countToDecimal, parseDecimal, sumDecimals } from "@centspan/base";
import {
  type ChargeLine,
  EMPTY_BUCKETS,
  EMPTY_CALL,
  METERS,
  type Outcome,
  type RatedCall,
  type SpanRecord,
  type WasteItem,
} from "@centspan/model";

/** 2026-11-15 12:00 UTC and some nanoseconds. */
export const NOON_NS = 1_794_744_000_000_000_123n;
export const HOUR_NS = 3_600_000_000_000n;

export const traceId = (n: number): string => n.toString(16).padStart(32, "0");
export const spanId = (n: number): string => n.toString(16).padStart(16, "0");

export const makeSpan = (span: Partial<SpanRecord> = {}): SpanRecord => ({
  traceId: traceId(1),
  spanId: spanId(1),
  parentSpanId: "",
  name: "invoke_agent repair",
  kind: "internal",
  service: "harness",
  startedAtNs: NOON_NS,
  endedAtNs: NOON_NS + 5_000n,
  status: "ok",
  statusMessage: "",
  attributes: {},
  // The service is an attribute of the resource, and stays one.
  resourceAttributes: { "service.name": span.service ?? "harness" },
  scopeName: "",
  trusted: false,
  events: [],
  links: [],
  ...span,
});

export const makeLine = (line: Partial<ChargeLine> = {}): ChargeLine => {
  const { quantity = 10, unitPriceUsd = parseDecimal("0.000003") } = line;
  return {
    meter: "input",
    quantity,
    unitPriceUsd,
    listUnitPriceUsd: unitPriceUsd,
    costUsd: unitPriceUsd.times(countToDecimal(quantity)),
    priceEntryId: "entry",
    ratingRunId: "run",
    ...line,
  };
};

/** A call that costs `cost` by one line of input, unless the test says otherwise. */
export function makeCall(callId: string, call: Partial<RatedCall> = {}, cost = "0.5"): RatedCall {
  const lines = call.lines ?? [makeLine({ quantity: 1, unitPriceUsd: parseDecimal(cost) })];
  return {
    ...EMPTY_CALL,
    callId,
    traceId: traceId(1),
    spanId: spanId(1),
    atNs: NOON_NS,
    durationNs: 7n,
    provider: "centspan",
    model: "scripted-strong",
    responseId: `resp_${callId}`,
    source: "gateway",
    dialect: "semconv",
    buckets: { ...EMPTY_BUCKETS, input: 1 },
    costStatus: "rated",
    costUsd: sumDecimals(lines.map(({ costUsd }) => costUsd)),
    ...call,
    lines: [...lines].sort((a, b) => METERS.indexOf(a.meter) - METERS.indexOf(b.meter)),
  };
}

export const makeOutcome = (outcomeId: string, outcome: Partial<Outcome> = {}): Outcome => ({
  outcomeId,
  subject: { task: "task" },
  kind: "tests",
  status: "passed",
  weight: 1,
  source: "junit",
  evidence: {},
  atNs: NOON_NS,
  ...outcome,
});

/** At call `n`, in trace `n`. */
export const makeWasteItem = (n: number, item: Partial<WasteItem> = {}): WasteItem => ({
  itemId: `item_${n}`,
  cause: "prefix_system",
  layer: "harness",
  kind: "repeated",
  callId: `call_${n}`,
  runId: "r",
  traceId: traceId(n),
  spanId: spanId(n),
  atNs: NOON_NS,
  keyId: "key_1",
  key: "agents",
  team: "search",
  task: `task ${n}`,
  taskType: "",
  repository: "",
  provider: "centspan",
  model: "scripted-strong",
  costUsd: parseDecimal("0.25"),
  seconds: 1,
  confidence: "certain",
  provenance: "simulated",
  evidence: { section: "system", change: "clock", path: "instructions", spanIds: ["a"] },
  ...item,
});
