/**
 * Spans → claims. A span with usage is a call if none below it has usage; what lies above repeats sums and is never
 * billed. A model span that got an answer but reported no usage is a call of unknown usage: quarantined as
 * `usage_missing`, never free.
 */

import {
  type Attributes,
  createReader,
  isAgentSpan,
  isModelSpan,
  readModelFacts,
  readUsage,
  recogniseSpan,
  spanAttributeNames,
  type UsageReading,
} from "@centspan/dialects";
import type { CallSource, SpanRecord } from "@centspan/model";
import { type Claim, callIdOfResponse, callIdOfSpan, createCall, knownIds } from "./claim.ts";
import { createFactsReader, type Report } from "./read-call-facts.ts";
import { createIdentityReader, identityAttributes } from "./read-identity.ts";
import { mapSliced, type Sliced, visitSliced } from "./slices.ts";
import type { SpanForest } from "./span-forest.ts";

export type UsageReport = Report & { reading: UsageReading };
type SpanClaims = { claims: Claim[]; rollups: UsageReport[] };

const OUR_GATEWAYS: readonly string[] = ["centspan-gateway"];
/** Written by our importers of recorded runs. */
const IMPORT_SCOPE = "centspan.histories";

const USAGE_MISSING = "centspan.usage.missing";
/** Written while the call above it was under way, and meant for the case that the call's own span never comes. */
const PENDING = "centspan.call.pending";

/** All that is read of a span's attributes, here and for whose spend it is. */
export const callAttributes: readonly string[] = [
  ...new Set([...spanAttributeNames, ...identityAttributes, USAGE_MISSING, PENDING]),
];

/** `recorded` are spans in whose context a log record tells of usage: a model span among them has it by that. */
export function* claimSpans(
  forest: SpanForest,
  recorded: ReadonlySet<SpanRecord>,
  gatewayServices: readonly string[],
): Sliced<SpanClaims> {
  const gateways = [...OUR_GATEWAYS, ...gatewayServices];
  const usages: UsageReport[] = [];
  const told: Report[] = [];
  const answered: Report[] = [];
  yield* visitSliced(forest.spans, (span) => {
    const spoken = recogniseSpan(span);
    if (!spoken) return;
    const report = { span, spoken, read: createReader(span.attributes) };
    const reading = readUsage(report.read, spoken.layout);
    const isTold = recorded.has(span) && isModelSpan(span.attributes);
    if (reading) usages.push({ ...report, reading });
    if (isTold) told.push(report);
    if (isTold || (gotAnswer(report) && !isSettled(forest, span))) answered.push(report);
  });
  const above = forest.spansAbove([...usages, ...told].map(({ span }) => span));
  const leaves = usages.filter(({ span }) => !above.has(span));
  const silent = yield* findSilentCalls(forest, answered, leaves, above);

  const readIdentity = createIdentityReader();
  const readFacts = createFactsReader(forest, [...silent, ...leaves]);
  const claim = (report: Report, reading: UsageReading | null): Claim => {
    const { span, spoken } = report;
    const facts = readFacts(report);
    const around: Attributes[] = [];
    for (const ancestor of forest.ancestors(span)) around.push(ancestor.attributes);
    around.push(span.resourceAttributes);
    const flags: string[] = [...(reading?.flags ?? [])];
    if (reading && isAgentSpan(span.attributes)) flags.push("billed_from_rollup");
    return {
      call: createCall(
        {
          callId: facts.responseId === "" ? callIdOfSpan(span) : callIdOfResponse(facts.responseId),
          traceId: span.traceId,
          spanId: span.spanId,
          atNs: span.startedAtNs,
          durationNs: durationOf(span),
          source: sourceOf(span, gateways),
        },
        readIdentity(span.attributes, around, facts),
        facts,
        spoken,
        reading,
      ),
      ids: knownIds(facts),
      flags,
      alternative: reading?.alternativeBuckets ?? null,
      span,
    };
  };
  const ofLeaves = yield* mapSliced(leaves, (usage) => claim(usage, usage.reading));
  return {
    claims: [...ofLeaves, ...silent.map((report) => claim(report, null))],
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
function* findSilentCalls(
  forest: SpanForest,
  answered: readonly Report[],
  leaves: readonly UsageReport[],
  rollups: ReadonlySet<SpanRecord>,
): Sliced<Report[]> {
  const reporting = new Set(leaves.map(({ span }) => span));
  const silent = yield* mapSliced(answered, (report) => {
    if (reporting.has(report.span) || rollups.has(report.span)) return null;
    for (const ancestor of forest.ancestors(report.span)) if (reporting.has(ancestor)) return null;
    return report;
  });
  const containing = forest.spansAbove(silent.map(({ span }) => span));
  return silent.filter(({ span }) => !containing.has(span));
}

function isSettled(forest: SpanForest, span: SpanRecord): boolean {
  return span.attributes[PENDING] === "true" && forest.find(span.traceId, span.parentSpanId) !== undefined;
}

/** A request that failed without a response was not served; one whose stream broke off was. */
function gotAnswer({ span, read, spoken }: Report): boolean {
  if (span.attributes[USAGE_MISSING] === "true") return true;
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
