/**
 * Spans → claims. A span with usage is a call if none below it has usage; what lies above repeats sums and is never
 * billed. A model span that got an answer but reported no usage is a call of unknown usage: quarantined as
 * `usage_missing`, never free, unless the gateway has counted itself. What a trusted span says of calls is found first, as
 * if there were no others: whatever those say above or below, they take nothing from it.
 */

import {
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
import { type Claim, callIdOf, createCall, knownIds } from "./claim.ts";
import { completeUsage, countingAttributes, USAGE_MISSING } from "./complete-usage.ts";
import { findDoubles } from "./find-doubles.ts";
import { createFactsReader, type Report, type UsageReport } from "./read-call-facts.ts";
import { createIdentityReader, identityAttributes } from "./read-identity.ts";
import { mapSliced, type Sliced, visitSliced } from "./slices.ts";
import type { SpanForest } from "./span-forest.ts";

type SpanClaims = { claims: Claim[]; rollups: UsageReport[] };

/** Written by our importers of recorded runs. */
const IMPORT_SCOPE = "centspan.histories";

/** Written while the call above it was under way, and meant for the case that the call's own span never comes. */
const PENDING = "centspan.call.pending";

/** All that is read of a span's attributes, here and for whose spend it is. */
export const callAttributes: readonly string[] = [
  ...new Set([...spanAttributeNames, ...identityAttributes, ...countingAttributes, PENDING]),
];

/** `recorded` are spans in whose context a log record tells of usage: a client's model span among them has it by that. */
export function* claimSpans(forest: SpanForest, recorded: ReadonlySet<SpanRecord>): Sliced<SpanClaims> {
  const usages: UsageReport[] = [];
  const told: Report[] = [];
  const answered: Report[] = [];
  yield* visitSliced(forest.spans, (span) => {
    const spoken = recogniseSpan(span);
    if (!spoken) return;
    const report = { span, spoken, read: createReader(span.attributes) };
    const reading = readUsage(report.read, spoken.layout);
    const isTold = !span.trusted && recorded.has(span) && isModelSpan(span.attributes);
    if (reading) usages.push({ ...report, reading });
    if (isTold) told.push(report);
    if (isTold || (gotAnswer(report) && !isSettled(forest, span))) answered.push(report);
  });
  const isTrusted = ({ span }: Report): boolean => span.trusted;
  const isOther = ({ span }: Report): boolean => !span.trusted;
  const trusted = yield* findCalls(forest, usages.filter(isTrusted), answered.filter(isTrusted), []);
  const around = [...trusted.leaves, ...trusted.silent];
  const others = yield* findCalls(forest, usages.filter(isOther), answered.filter(isOther), around, told);
  const found = new Set([...trusted.leaves, ...others.leaves]);
  const leaves = usages.filter((usage) => found.has(usage));
  const silent = [...trusted.silent, ...others.silent];
  const { headOf, sums } = findDoubles(forest, leaves, around, usages.filter(isTrusted));
  const called = [...leaves, ...sums];
  const claim = createClaimer(forest, [...silent, ...called], headOf);
  const ofUsages = yield* mapSliced(called, (usage) => claim(usage, usage.reading));
  const isCall = new Set(called);
  return {
    claims: [...ofUsages, ...silent.map((report) => claim(report, null))],
    rollups: usages.filter((usage) => !isCall.has(usage)),
  };
}

type Found = { leaves: UsageReport[]; silent: Report[] };

/** `around` are calls already: what lies above them is none, nor what says nothing below. `told` have their usage elsewhere. */
function* findCalls(
  forest: SpanForest,
  usages: readonly UsageReport[],
  answered: readonly Report[],
  around: readonly Report[],
  told: readonly Report[] = [],
): Sliced<Found> {
  const above = forest.spansAbove([...around, ...usages, ...told].map(({ span }) => span));
  const leaves = usages.filter(({ span }) => !above.has(span));
  const silent = yield* findSilentCalls(forest, answered, [...around, ...leaves], above);
  return { leaves, silent };
}

function createClaimer(
  forest: SpanForest,
  reports: readonly Report[],
  headOf: (span: SpanRecord) => Report | undefined,
): (report: Report, reported: UsageReading | null) => Claim {
  const readIdentity = createIdentityReader();
  const readFacts = createFactsReader(forest, reports);
  return (report, reported) => {
    const { span, spoken } = report;
    const facts = readFacts(report);
    const { reading, isCounted } = completeUsage(span.attributes, reported, spoken.layout);
    const around = [...forest.ancestors(span), { attributes: span.resourceAttributes, trusted: span.trusted }];
    const identity = readIdentity(span, around, facts);
    const head = headOf(span);
    const flags: string[] = [...(reading?.flags ?? [])];
    if (reading && isAgentSpan(span.attributes)) flags.push("billed_from_rollup");
    return {
      call: createCall(
        {
          callId: head ? callIdOf(head.span, readFacts(head)) : callIdOf(span, facts),
          traceId: span.traceId,
          spanId: span.spanId,
          atNs: span.startedAtNs,
          durationNs: durationOf(span),
          source: sourceOf(span),
        },
        isCounted && identity.provenance !== "simulated" ? { ...identity, provenance: "estimated" } : identity,
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
}

function sourceOf({ scopeName, trusted }: SpanRecord): CallSource {
  if (scopeName === IMPORT_SCOPE) return "import";
  return trusted ? "gateway" : "client";
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
  leaves: readonly Report[],
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
  if (span.attributes[PENDING] !== "true") return false;
  const own = forest.find(span.traceId, span.parentSpanId);
  return own !== undefined && (own.trusted || !span.trusted);
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
