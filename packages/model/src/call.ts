/**
 * A call: one billable inference request, counted once, and its charge lines.
 * Token buckets are disjoint: every token is in exactly one of them.
 */
import type { Decimal } from "@centspan/base";

/** Disjoint counts of one call, whole numbers: tokens, and uses of what is charged by use. */
export type Buckets = {
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  outputText: number;
  outputReasoning: number;
  webSearches: number;
};

export const METERS = [
  "input",
  "cache_read",
  "cache_write_5m",
  "cache_write_1h",
  "output_text",
  "output_reasoning",
  "web_search",
] as const;
export type Meter = (typeof METERS)[number];

export const BUCKET_OF_METER = {
  input: "input",
  cache_read: "cacheRead",
  cache_write_5m: "cacheWrite5m",
  cache_write_1h: "cacheWrite1h",
  output_text: "outputText",
  output_reasoning: "outputReasoning",
  web_search: "webSearches",
} as const satisfies Record<Meter, keyof Buckets>;

export const EMPTY_BUCKETS: Buckets = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  outputText: 0,
  outputReasoning: 0,
  webSearches: 0,
};

/** How a figure came to be, strongest first. */
export const PROVENANCES = ["measured", "derived", "allocated", "estimated", "simulated"] as const;
export type Provenance = (typeof PROVENANCES)[number];

export const COST_STATUSES = ["rated", "estimated", "unpriced", "quarantined"] as const;
export type CostStatus = (typeof COST_STATUSES)[number];

/** Who reported a call, strongest first: where several saw the same call, the strongest is billed. */
export const CALL_SOURCES = ["provider", "gateway", "client", "import"] as const;
export type CallSource = (typeof CALL_SOURCES)[number];

/** Whose spend a call is. Empty strings mean "not known", never "none". */
export type CallIdentity = {
  keyId: string;
  key: string;
  team: string;
  task: string;
  taskType: string;
  runId: string;
  sessionId: string;
  role: string;
  repository: string;
  harnessVersion: string;
};

export const EMPTY_IDENTITY: CallIdentity = {
  keyId: "",
  key: "",
  team: "",
  task: "",
  taskType: "",
  runId: "",
  sessionId: "",
  role: "",
  repository: "",
  harnessVersion: "",
};

export type Call = CallIdentity & {
  callId: string;
  traceId: string;
  spanId: string;
  atNs: bigint;
  durationNs: bigint;
  provider: string;
  model: string;
  effort: string;
  /** As served: what was asked for decides nothing. A call of a batch is served at `batch`. */
  serviceTier: string;
  /** Where it was inferred, as far as that has a price; "" where it is not known. */
  region: string;
  responseId: string;
  source: CallSource;
  dialect: string;
  /** Whether the emitter's input count contained the cached tokens; the buckets are disjoint in any case. */
  inputSemantics: "inclusive" | "exclusive" | "ambiguous";
  /** How many requests this record stands for: 1, or n for an imported aggregate. */
  requests: number;
  buckets: Buckets;
  /** Time to the first token; null where no observer says it. */
  ttftMs: number | null;
  /** The provider's own figure, kept beside ours. */
  providedCostUsd: Decimal | null;
  provenance: Provenance;
  /** Set when the usage contradicts itself: such a call is shown, and not priced. */
  quarantineReason: string;
};

/** A call of which nothing is known, for those who fill in what they know. */
export const EMPTY_CALL: Call = {
  ...EMPTY_IDENTITY,
  callId: "",
  traceId: "",
  spanId: "",
  atNs: 0n,
  durationNs: 0n,
  provider: "",
  model: "",
  effort: "",
  serviceTier: "",
  region: "",
  responseId: "",
  source: "client",
  dialect: "",
  inputSemantics: "inclusive",
  requests: 1,
  buckets: EMPTY_BUCKETS,
  ttftMs: null,
  providedCostUsd: null,
  provenance: "measured",
  quarantineReason: "",
};

/**
 * One line of a charge: what was counted, at which price, by which entry. costUsd = quantity × unitPriceUsd exactly.
 * `listUnitPriceUsd` is what the provider's list says where a contract set the price; null where the list says nothing.
 */
export type ChargeLine = {
  meter: Meter;
  quantity: number;
  unitPriceUsd: Decimal;
  listUnitPriceUsd: Decimal | null;
  costUsd: Decimal;
  priceEntryId: string;
  ratingRunId: string;
};

/**
 * A call after rating. `costUsd` is null where no price or no trustworthy usage exists: never zero instead. A cost is as
 * good as the weaker of its usage and its price: `priceProvenance` is there where that is the price.
 */
export type RatedCall = Call & {
  costStatus: CostStatus;
  costUsd: Decimal | null;
  lines: ChargeLine[];
  priceProvenance?: "simulated";
};

export const costProvenance = ({ priceProvenance, provenance }: RatedCall): Provenance => priceProvenance ?? provenance;
