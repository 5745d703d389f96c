/**
 * Token counts of one span → disjoint buckets. Evidence in the numbers beats the dialect's default: more cached than
 * input tokens, or a total that only adds up that way, proves that the input count excludes the cached ones.
 * Never clamps: counts that contradict each other give a quarantine reason and no buckets.
 */
import { type Buckets, type Dialect, EMPTY_BUCKETS, type SpanRecord } from "@centspan/model";
import { readText } from "./read-facts.ts";

type QuarantineReason = "invalid_count" | "negative_count" | "reasoning_exceeds_output" | "total_mismatch";
type UsageFlag = "explicit_zero_usage" | "input_semantics_exclusive_inferred";

export type UsageReading = {
  /** Empty when quarantined. For an ambiguous reading: the inclusive one. */
  buckets: Buckets;
  inputSemantics: "inclusive" | "exclusive" | "ambiguous";
  /** The exclusive reading of an ambiguous span. */
  alternativeBuckets: Buckets | null;
  flags: UsageFlag[];
  quarantineReason: QuarantineReason | "";
};

const COUNTS = ["input", "output", "cacheRead", "cacheWrite", "reasoning", "total"] as const;
type Counts = Record<Exclude<(typeof COUNTS)[number], "total">, number> & { total: number | null };

/** Null when the span reports neither input nor output: breakdowns alone are no usage. */
export function readUsage(span: Pick<SpanRecord, "attributes">, dialect: Dialect): UsageReading | null {
  const texts = new Map(COUNTS.map((name) => [name, readText(span, dialect.fields[name])]));
  if (!texts.get("input") && !texts.get("output")) return null;
  const parsed = new Map([...texts].map(([name, text]) => [name, text === "" ? null : parseCount(text)]));
  const values = [...parsed.values()].filter((value) => value !== null);
  if (values.some((value) => Number.isNaN(value))) return quarantine(dialect, "invalid_count");
  if (values.some((value) => value < 0)) return quarantine(dialect, "negative_count");
  const count = (name: (typeof COUNTS)[number]): number => parsed.get(name) ?? 0;
  const counts: Counts = {
    input: count("input"),
    output: count("output"),
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
    reasoning: count("reasoning"),
    total: parsed.get("total") ?? null,
  };
  return splitCounts(counts, dialect, hasAmbiguousCached(span, dialect));
}

function splitCounts(counts: Counts, dialect: Dialect, ambiguousCached: boolean): UsageReading {
  if (dialect.outputIncludesReasoning && counts.reasoning > counts.output)
    return quarantine(dialect, "reasoning_exceeds_output");
  const cached = counts.cacheRead + counts.cacheWrite;
  const allOutput = counts.output + (dialect.outputIncludesReasoning ? 0 : counts.reasoning);
  const proven = dialect.inputIncludesCached && provesExclusive(counts, cached, allOutput);
  const exclusive = proven || !dialect.inputIncludesCached;
  const sums = [counts.input + allOutput, ...(exclusive || ambiguousCached ? [counts.input + cached + allOutput] : [])];
  if (counts.total !== null && !sums.includes(counts.total)) return quarantine(dialect, "total_mismatch");

  const output = {
    outputText: allOutput - counts.reasoning,
    outputReasoning: counts.reasoning,
    cacheRead: counts.cacheRead,
    cacheWrite5m: counts.cacheWrite,
    cacheWrite1h: 0,
  };
  const asExclusive: Buckets = { input: counts.input, ...output };
  const asInclusive: Buckets = { input: counts.input - cached, ...output };
  const ambiguous = !exclusive && ambiguousCached && cached > 0;
  const flags: UsageFlag[] = [];
  if (proven) flags.push("input_semantics_exclusive_inferred");
  if (counts.input + cached + allOutput === 0) flags.push("explicit_zero_usage");
  return {
    buckets: exclusive ? asExclusive : asInclusive,
    inputSemantics: exclusive ? "exclusive" : ambiguous ? "ambiguous" : "inclusive",
    alternativeBuckets: ambiguous ? asExclusive : null,
    flags,
    quarantineReason: "",
  };
}

const provesExclusive = (counts: Counts, cached: number, allOutput: number): boolean =>
  cached > counts.input || (cached > 0 && counts.total === counts.input + cached + allOutput);

/** Whether the attribute that a cached count was read from is one of those used both ways. */
function hasAmbiguousCached(span: Pick<SpanRecord, "attributes">, dialect: Dialect): boolean {
  return [dialect.fields.cacheRead, dialect.fields.cacheWrite].some((candidates) => {
    const used = candidates.find((name) => span.attributes[name]);
    return used !== undefined && dialect.ambiguousCached?.includes(used);
  });
}

const quarantine = (dialect: Dialect, quarantineReason: QuarantineReason): UsageReading => ({
  buckets: EMPTY_BUCKETS,
  inputSemantics: dialect.inputIncludesCached ? "inclusive" : "exclusive",
  alternativeBuckets: null,
  flags: [],
  quarantineReason,
});

/** Emitters send integers, doubles and strings; stored attributes are text. NaN for what is no whole number. */
function parseCount(text: string): number {
  if (!/^-?\d+(\.0*)?$/.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : Number.NaN;
}
