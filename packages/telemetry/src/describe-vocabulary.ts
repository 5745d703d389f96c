/** The vocabulary as Markdown: `docs/spans.md` is this text, and the gate compares them. */
import { ATTRIBUTES, METRICS, SPANS } from "./vocabulary.ts";

export function describeVocabulary(): string {
  const spans = Object.entries(SPANS).map(
    ([name, { layer, kind, says }]) => `| ${layer} | \`${name}\` | ${kind} | ${says} |`,
  );
  const attributes = Object.entries(ATTRIBUTES).map(
    ([name, definition]) =>
      `| \`${name}\` | ${definition.type} | ${"unit" in definition ? definition.unit : ""} | ${definition.doc} |`,
  );
  const metrics = Object.entries(METRICS).map(
    ([name, { kind, unit, by, doc }]) =>
      `| \`${name}\` | ${kind} | ${unit} | ${by.map((attribute) => `\`${attribute}\``).join(", ")} | ${doc} |`,
  );
  return [
    "# Spans, attributes and metrics",
    "",
    "Generated from `packages/telemetry/src/vocabulary.ts` by `npm run generate`; don't edit.",
    "",
    "| layer | span | kind | says |",
    "|---|---|---|---|",
    ...spans,
    "",
    "| attribute | type | unit | meaning |",
    "|---|---|---|---|",
    ...attributes,
    "",
    "Metrics of the services themselves:",
    "",
    "| metric | kind | unit | by | meaning |",
    "|---|---|---|---|---|",
    ...metrics,
    "",
  ].join("\n");
}
