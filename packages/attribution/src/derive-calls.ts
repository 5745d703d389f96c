/**
 * Spans → calls, each counted once. A span with usage is a call if none below it has usage; what lies above repeats
 * sums and is never billed. A model span that got an answer but reported no usage is a call of unknown usage:
 * quarantined as `usage_missing`, never free. The rules and their reasons: shared vectors' README, "Which spans are calls".
 */
import { deriveId } from "@centspan/base";
import { type ModelFacts, readModelFacts, readUsage, recogniseDialect, type UsageReading } from "@centspan/dialects";
import {
  type Buckets,
  type Call,
  type CallSource,
  type Dialect,
  EMPTY_BUCKETS,
  type SpanRecord,
} from "@centspan/model";
import { mergeByResponse } from "./merge-calls.ts";
import { createFactsReader, type Report } from "./read-call-facts.ts";
import { readIdentity } from "./read-identity.ts";
import { buildForest, type SpanForest } from "./span-forest.ts";

export type DeriveOptions = {
  /** `service.name` of the operator's own gateways: their word on a response is stronger than a client's. */
  gatewayServices?: readonly string[];
};

/** Why a span was not billed, or what is remarkable about the call that was. */
type CallNote =
  | { kind: "not_billed"; traceId: string; spanId: string; reason: "rollup" | "duplicate_export" | "same_response" }
  | { kind: "flag"; callId: string; flag: string }
  | { kind: "alternative"; callId: string; buckets: Buckets };

type DerivedCalls = { calls: Call[]; notes: CallNote[] };

const OUR_GATEWAYS: readonly string[] = ["centspan-gateway"];
/** Written by our importers of recorded runs. */
const IMPORT_SCOPE = "centspan.histories";
const MODEL_OPERATIONS: readonly string[] = ["chat", "text_completion", "generate_content", "embeddings"];

/** In order of their start. Spans may belong to several traces; the order of delivery does not matter. */
export const deriveCalls = (spans: readonly SpanRecord[], options: DeriveOptions = {}): Call[] =>
  deriveCallsWithNotes(spans, options).calls;

type Usage = Report & { reading: UsageReading };

export function deriveCallsWithNotes(spans: readonly SpanRecord[], options: DeriveOptions = {}): DerivedCalls {
  const forest = buildForest(spans);
  const usages = forest.spans.flatMap((span): Usage[] => {
    const dialect = recogniseDialect(span);
    const reading = dialect && readUsage(span, dialect);
    return dialect && reading ? [{ span, dialect, reading }] : [];
  });
  const rollups = forest.spansAbove(usages.map(({ span }) => span));
  const leaves = usages.filter(({ span }) => !rollups.has(span));
  const silent = findSilentCalls(forest, leaves, rollups);

  const readFacts = createFactsReader(forest, [...silent, ...leaves]);
  const makeCall = createCallFactory(forest, readFacts, [...OUR_GATEWAYS, ...(options.gatewayServices ?? [])]);
  const candidates = [
    ...leaves.map((usage) => makeCall(usage, usage.reading)),
    ...silent.map((report) => makeCall(report, null)),
  ].sort((a, b) => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0));
  const merged = mergeByResponse(candidates);
  const calls = merged.map(({ call }) => call).sort((a, b) => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0));
  const billed = new Set(calls.map(({ traceId, spanId }) => `${traceId}/${spanId}`));
  const notes: CallNote[] = [
    ...usages.filter(({ span }) => rollups.has(span)).map(({ span }) => notBilled(span, "rollup")),
    ...forest.duplicates.filter(hasUsage).map((span) => notBilled(span, "duplicate_export")),
    ...merged.flatMap(({ losers }) => losers.map((call) => notBilled(call, "same_response"))),
    ...leaves
      .filter(({ span }) => billed.has(`${span.traceId}/${span.spanId}`))
      .flatMap((usage) => noteReading(usage, callIdOf(usage.span, readFacts(usage)))),
  ];
  return { calls, notes };
}

/**
 * Model spans that got an answer and say nothing about usage. Not those that a reporting span covers from above (its
 * count is theirs) nor those that contain a call; of two such spans in each other the inner one.
 */
function findSilentCalls(forest: SpanForest, leaves: readonly Usage[], rollups: ReadonlySet<SpanRecord>): Report[] {
  const reporting = new Set(leaves.map(({ span }) => span));
  const silent = forest.spans.flatMap((span) => {
    const dialect = recogniseDialect(span);
    if (!dialect || reporting.has(span) || rollups.has(span) || !gotAnswer(span, dialect)) return [];
    for (const ancestor of forest.ancestors(span)) if (reporting.has(ancestor)) return [];
    return [{ span, dialect }];
  });
  const containing = forest.spansAbove(silent.map(({ span }) => span));
  return silent.filter(({ span }) => !containing.has(span));
}

/** A request that failed without a response was not served; one whose stream broke off was. */
function gotAnswer(span: SpanRecord, dialect: Dialect): boolean {
  const { attributes } = span;
  if (attributes["centspan.usage.missing"] === "true") return true;
  const isModelSpan =
    MODEL_OPERATIONS.includes(attributes["gen_ai.operation.name"] ?? "") ||
    attributes["openinference.span.kind"] === "LLM";
  return isModelSpan && (span.status !== "error" || readModelFacts(span, dialect).responseId !== "");
}

function createCallFactory(
  forest: SpanForest,
  readFacts: (report: Report) => ModelFacts,
  gatewayServices: readonly string[],
) {
  return ({ span, dialect }: Report, reading: UsageReading | null): Call => {
    const facts = readFacts({ span, dialect });
    const ended = span.endedAtNs > span.startedAtNs;
    return {
      ...readIdentity(span, [...forest.ancestors(span)], facts.sessionId),
      callId: callIdOf(span, facts),
      traceId: span.traceId,
      spanId: span.spanId,
      atNs: span.startedAtNs,
      // An end before the start is a span that was never finished: its length is not known.
      durationNs: ended ? span.endedAtNs - span.startedAtNs : 0n,
      provider: facts.provider,
      model: facts.model,
      effort: facts.effort,
      serviceTier: facts.serviceTier,
      responseId: facts.responseId,
      source: sourceOf(span, gatewayServices),
      dialect: dialect.id,
      inputSemantics: reading?.inputSemantics ?? (dialect.inputIncludesCached ? "inclusive" : "exclusive"),
      requests: 1,
      buckets: reading?.buckets ?? EMPTY_BUCKETS,
      providedCostUsd: facts.providedCostUsd,
      quarantineReason: reading ? reading.quarantineReason : "usage_missing",
    };
  };
}

/** The same response has the same id whoever reports it, so that a later and better report replaces an earlier one. */
function callIdOf(span: SpanRecord, { responseId }: ModelFacts): string {
  return responseId === ""
    ? deriveId("call", "span", span.traceId, span.spanId)
    : deriveId("call", "response", responseId);
}

function sourceOf(span: SpanRecord, gatewayServices: readonly string[]): CallSource {
  if (gatewayServices.includes(span.service)) return "gateway";
  return span.scopeName === IMPORT_SCOPE ? "import" : "client";
}

function hasUsage(span: SpanRecord): boolean {
  const dialect = recogniseDialect(span);
  return dialect !== null && readUsage(span, dialect) !== null;
}

const notBilled = (
  { traceId, spanId }: Pick<SpanRecord, "traceId" | "spanId">,
  reason: "rollup" | "duplicate_export" | "same_response",
): CallNote => ({ kind: "not_billed", traceId, spanId, reason });

function noteReading({ span, reading }: Usage, callId: string): CallNote[] {
  const flags: string[] = [...reading.flags];
  if (span.attributes["gen_ai.operation.name"] === "invoke_agent") flags.push("billed_from_rollup");
  const notes = flags.map((flag): CallNote => ({ kind: "flag", callId, flag }));
  if (reading.alternativeBuckets) notes.push({ kind: "alternative", callId, buckets: reading.alternativeBuckets });
  return notes;
}
