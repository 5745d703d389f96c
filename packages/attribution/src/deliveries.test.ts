/** Retries and replays: what is delivered again changes nothing. */
import type { SpanRecord } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveCalls, deriveCallsWithNotes } from "./index.ts";
import { chat, hex, span } from "./testing/records.ts";

describe("deliveries", () => {
  const tree = fc.array(fc.record({ parent: fc.nat(9), tokens: fc.nat(500) }), { minLength: 1, maxLength: 10 });
  const usageOf = (spans: SpanRecord[]) =>
    deriveCalls({ spans }).map(({ callId, spanId, buckets }) => [callId, spanId, buckets.input]);

  it("sent again in any order change nothing", () => {
    fc.assert(
      fc.property(tree, fc.array(fc.nat(99)), (nodes, resent) => {
        const spans = nodes.map(({ parent, tokens }, n) =>
          span(n + 1, { parentSpanId: n === 0 ? "" : hex((parent % n) + 1), attributes: tokens ? chat(tokens) : {} }),
        );
        const again = resent.flatMap((n) => spans[n % spans.length] ?? []);
        expect(usageOf([...again, ...spans, ...again.toReversed()])).toEqual(usageOf(spans));
      }),
    );
  });

  it("of other content under the same ids are kept out: what came first counts, and is said", () => {
    fc.assert(
      fc.property(tree, fc.array(fc.nat(99), { minLength: 1 }), (nodes, changed) => {
        const spans = nodes.map(({ tokens }, n) => span(n + 1, { attributes: chat(tokens) }));
        const others = changed.flatMap((n) => {
          const before = spans[n % spans.length];
          return before ? [{ ...before, spanId: before.spanId.toUpperCase(), attributes: chat(1000 + n) }] : [];
        });
        expect(usageOf([...spans, ...others])).toEqual(usageOf(spans));
        const { notes } = deriveCallsWithNotes({ spans: [...spans, ...others] });
        const duplicates = notes.filter((note) => note.kind === "not_billed" && note.reason === "duplicate_export");
        expect(duplicates).toHaveLength(others.length);
      }),
    );
  });
});
