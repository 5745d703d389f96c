/**
 * Spans → claims. A span with usage is a call if none below it has usage; what lies above repeats sums and is never
 * billed. A model span that got an answer but reported no usage is a call of unknown usage: quarantined as
 * `usage_missing`, never free.
 */

import {
  createReader,
  isAgentSpan,
  isModelSpan,
  readModelFacts,
  readUsage,
  recogniseSpan,
  type UsageReading,
} from "@centspan/dialects";
import type { CallSource, SpanRecord } from "@centspan/model";
import { type Claim, callIdOfResponse, callIdOfSpan, describeCall, knownIds } from "./claim.ts";
import { createFactsReader, type Report } from "./read-call-facts.ts";
import { readIdentity } from "./read-identity.ts";
import type { SpanForest } from "./span-forest.ts";

export type UsageReport = Report & { reading: UsageReading };
type SpanClaims = { claims: Claim[]; rollups: UsageReport[] };

const OUR_GATEWAYS: readonly string[] = ["centspan-gateway"];
/** Written by our importers of recorded runs. */
const IMPORT_SCOPE = "centspan.histories";

/** `recorded` are spans in whose context a log record tells of usage: a model span among them has it by that. */
export function claimSpans(
  forest: SpanForest,
  recorded: ReadonlySet<SpanRecord>,
  gatewayServices: readonly string[],
): SpanClaims {
  const gateways = [...OUR_GATEWAYS, ...gatewayServices];
  const reports = forest.spans.flatMap((span): Report[] => {
    const spoken = recogniseSpan(span);
    return spoken ? [{ span, spoken, read: createReader(span.attributes) }] : [];
  });
  const usages = reports.flatMap((report): UsageReport[] => {
    const reading = readUsage(report.read, report.spoken.layout);
    return reading ? [{ ...report, reading }] : [];
  });
  const told = new Set(reports.filter(({ span }) => recorded.has(span) && isModelSpan(span.attributes)));
  const above = forest.spansAbove([...usages, ...told].map(({ span }) => span));
  const leaves = usages.filter(({ span }) => !above.has(span));
  const answered = reports.filter((report) => told.has(report) || gotAnswer(report));
  const silent = findSilentCalls(forest, answered, leaves, above);

  const readFacts = createFactsReader(forest, [...silent, ...leaves]);
  const claim = (report: Report, reading: UsageReading | null): Claim => {
    const { span, spoken } = report;
    const facts = readFacts(report);
    const places = [span, ...forest.ancestors(span)].map(({ attributes }) => attributes);
    const flags: string[] = [...(reading?.flags ?? [])];
    if (reading && isAgentSpan(span.attributes)) flags.push("billed_from_rollup");
    return {
      call: {
        ...readIdentity([...places, span.resourceAttributes], facts),
        ...describeCall(facts, spoken, reading),
        callId: facts.responseId === "" ? callIdOfSpan(span) : callIdOfResponse(facts.responseId),
        traceId: span.traceId,
        spanId: span.spanId,
        atNs: span.startedAtNs,
        durationNs: durationOf(span),
        source: sourceOf(span, gateways),
      },
      ids: knownIds(facts),
      flags,
      alternative: reading?.alternativeBuckets ?? null,
      span,
    };
  };
  return {
    claims: [...leaves.map((usage) => claim(usage, usage.reading)), ...silent.map((report) => claim(report, null))],
    rollups: usages.filter(({ span }) => above.has(span)),
  };
}

/** Whether a span that is left out would have told of usage. */
export function hasUsage(span: SpanRecord): boolean {
  const spoken = recogniseSpan(span);
  return spoken !== null && readUsage(createReader(span.attributes), spoken.layout) !== null;
}

/**
 * Model spans that got an answer and say nothing about usage. Not those that a reporting span covers from above (its
 * count is theirs) nor those that contain a call; of two such spans in each other the inner one.
 */
function findSilentCalls(
  forest: SpanForest,
  answered: readonly Report[],
  leaves: readonly UsageReport[],
  rollups: ReadonlySet<SpanRecord>,
): Report[] {
  const reporting = new Set(leaves.map(({ span }) => span));
  const silent = answered.filter(({ span }) => {
    if (reporting.has(span) || rollups.has(span)) return false;
    for (const ancestor of forest.ancestors(span)) if (reporting.has(ancestor)) return false;
    return true;
  });
  const containing = forest.spansAbove(silent.map(({ span }) => span));
  return silent.filter(({ span }) => !containing.has(span));
}

/** A request that failed without a response was not served; one whose stream broke off was. */
function gotAnswer({ span, read, spoken }: Report): boolean {
  if (span.attributes["centspan.usage.missing"] === "true") return true;
  if (!isModelSpan(span.attributes)) return false;
  return span.status !== "error" || readModelFacts(read, spoken).responseId !== "";
}

/** An end before the start is a span that was never finished: its length is not known. */
const durationOf = ({ startedAtNs, endedAtNs }: SpanRecord): bigint =>
  endedAtNs > startedAtNs ? endedAtNs - startedAtNs : 0n;

function sourceOf(span: SpanRecord, gateways: readonly string[]): CallSource {
  if (gateways.includes(span.service)) return "gateway";
  return span.scopeName === IMPORT_SCOPE ? "import" : "client";
}
