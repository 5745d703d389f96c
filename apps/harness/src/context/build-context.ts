/** The context of a turn, with what the span says of it: what was appended, and where the prefix broke if it did. */
import { type SpanAttributes, setAttributes } from "@centspan/telemetry";
import type { RunSpans } from "../loop/identity.ts";
import type { ContextLog, ContextPiece, ContextSnapshot } from "./context-log.ts";
import { comparePrefix } from "./prefix.ts";

type Parts = { log: ContextLog; tools: readonly string[]; note: string };

/** `before` are the pieces of the turn before. */
export function buildContext(
  spans: RunSpans,
  { log, tools, note }: Parts,
  before: readonly ContextPiece[],
): Promise<ContextSnapshot> {
  return spans("context.build", {}, (span) => {
    const snapshot = log.snapshot(tools, note);
    const prefix = comparePrefix(before, snapshot.pieces);
    setAttributes(span, {
      ...describeFingerprints(snapshot),
      "centspan.context.appended_items": prefix.appended,
      "centspan.prefix.kept": prefix.kept,
      ...(prefix.kept
        ? {}
        : { "centspan.prefix.diverged_section": prefix.section, "centspan.prefix.diverged_path": prefix.path }),
    });
    return snapshot;
  });
}

export const describeContext = (snapshot: ContextSnapshot): SpanAttributes => ({
  ...describeFingerprints(snapshot),
  "centspan.context.system_tokens": snapshot.tokens.system,
  "centspan.context.tools_tokens": snapshot.tokens.tools,
  "centspan.context.history_tokens": snapshot.tokens.history,
  "centspan.context.results_tokens": snapshot.tokens.results,
});

const describeFingerprints = ({ fingerprint, fingerprints }: ContextSnapshot): SpanAttributes => ({
  "centspan.prefix.fingerprint": fingerprint,
  "centspan.prefix.system_fingerprint": fingerprints.system,
  "centspan.prefix.tools_fingerprint": fingerprints.tools,
  "centspan.prefix.history_fingerprint": fingerprints.history,
  "centspan.prefix.results_fingerprint": fingerprints.results,
});
