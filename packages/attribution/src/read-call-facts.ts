/**
 * The facts of calls beside their counts. An emitter whose usage span is bare (its dialect names a request span) has
 * them further up, and its response is the one that another observer saw within the same request.
 */
import { type ModelFacts, readModelFacts } from "@centspan/dialects";
import type { Dialect, SpanRecord } from "@centspan/model";
import type { SpanForest } from "./span-forest.ts";

export type Report = { span: SpanRecord; dialect: Dialect };

/** Of several responses within one request that of the last report is taken. */
export function createFactsReader(forest: SpanForest, reports: readonly Report[]): (report: Report) => ModelFacts {
  const anyBare = reports.some(({ dialect }) => dialect.requestSpan !== undefined);
  const responseWithin = anyBare ? findResponses(forest, reports) : new Map<SpanRecord, string>();
  return ({ span, dialect }) => {
    if (dialect.requestSpan === undefined) return readModelFacts(span, dialect);
    const above = [...forest.ancestors(span)];
    const attributes: Record<string, string> = {};
    for (const place of [...above.toReversed(), span]) Object.assign(attributes, place.attributes);
    const request = above.find(({ name }) => name === dialect.requestSpan);
    const responseId = request && responseWithin.get(request);
    return { ...readModelFacts({ attributes }, dialect), ...(responseId !== undefined && { responseId }) };
  };
}

function findResponses(forest: SpanForest, reports: readonly Report[]): Map<SpanRecord, string> {
  const found = new Map<SpanRecord, string>();
  for (const { span, dialect } of reports) {
    const { responseId } = readModelFacts(span, dialect);
    if (responseId !== "") for (const ancestor of forest.ancestors(span)) found.set(ancestor, responseId);
  }
  return found;
}
