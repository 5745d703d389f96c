/**
 * The facts of calls beside their counts. An emitter whose usage span is bare (its layout names a request span) has
 * them further up, and its response is the one that another observer saw within the same request.
 */
import {
  createReader,
  type ModelFacts,
  type Reader,
  type Recognised,
  readFirstTokenMs,
  readModelFacts,
  type UsageReading,
} from "@centspan/dialects";
import type { SpanLayout, SpanRecord } from "@centspan/model";
import type { SpanForest } from "./span-forest.ts";

export type Report = { span: SpanRecord; read: Reader; spoken: Recognised<SpanLayout> };
export type UsageReport = Report & { reading: UsageReading };
export type CallFacts = ModelFacts & { ttftMs: number | null };

/** Of several responses within one request that of the last report is taken. */
export function createFactsReader(forest: SpanForest, reports: readonly Report[]): (report: Report) => CallFacts {
  const anyBare = reports.some(({ spoken }) => spoken.layout.requestSpan !== undefined);
  const responseWithin = anyBare ? findResponses(forest, reports) : new Map<SpanRecord, string>();
  return ({ span, read, spoken }) => {
    const ttftMs = readFirstTokenMs(read, spoken, span.startedAtNs);
    if (spoken.layout.requestSpan === undefined) return { ...readModelFacts(read, spoken), ttftMs };
    const above = [...forest.ancestors(span)];
    const readUp = createReader(span.attributes, ...above.map(({ attributes }) => attributes));
    const request = above.find(({ name }) => name === spoken.layout.requestSpan);
    const responseId = request && responseWithin.get(request);
    return { ...readModelFacts(readUp, spoken), ttftMs, ...(responseId !== undefined && { responseId }) };
  };
}

function findResponses(forest: SpanForest, reports: readonly Report[]): Map<SpanRecord, string> {
  const found = new Map<SpanRecord, string>();
  for (const { span, read, spoken } of reports) {
    const { responseId } = readModelFacts(read, spoken);
    if (responseId !== "") for (const ancestor of forest.ancestors(span)) found.set(ancestor, responseId);
  }
  return found;
}
