/** Which dialect a span speaks. Precedence is declared by the dialects; the order of the registry only breaks ties. */
import type { Dialect, SpanRecord } from "@centspan/model";
import { dialects } from "./registry.gen.ts";

const byPrecedence: readonly Dialect[] = dialects.toSorted(
  (a, b) => (b.recognise.precedence ?? 0) - (a.recognise.precedence ?? 0),
);

/** Null for a span that no known emitter of model calls wrote. */
export function recogniseDialect(span: Pick<SpanRecord, "attributes" | "scopeName">): Dialect | null {
  return (
    byPrecedence.find(
      ({ recognise }) =>
        recognise.scopes?.includes(span.scopeName) ||
        recognise.attributes?.some((name) => span.attributes[name] !== undefined),
    ) ?? null
  );
}
