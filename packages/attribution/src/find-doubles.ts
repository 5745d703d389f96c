/**
 * Leaves that tell of a call which a span above them tells of as well. Below a call that a trusted span stands for, whatever
 * others say is about that call. And of two trusted spans the upper one often knows more (cached tokens, reasoning): it is
 * no sum where nothing else below it has usage, and it names the same response or the same counts.
 */
import { readModelFacts } from "@centspan/dialects";
import type { SpanRecord } from "@centspan/model";
import { outputTokens, promptTokens } from "./claim.ts";
import type { Report, UsageReport } from "./read-call-facts.ts";
import type { SpanForest } from "./span-forest.ts";

type Doubles = {
  /** Whose call a leaf's is, where it is not its own. */
  headOf(span: SpanRecord): Report | undefined;
  /** Those from above that are no sums. */
  sums: UsageReport[];
};

/** `standing` are the calls of trusted spans, `trusted` all of these that have usage. */
export function findDoubles(
  forest: SpanForest,
  leaves: readonly UsageReport[],
  standing: readonly Report[],
  trusted: readonly UsageReport[],
): Doubles {
  const heads = new Map<SpanRecord, Report>();
  const sums: UsageReport[] = [];
  const headOf = (span: SpanRecord): Report | undefined => {
    const head = heads.get(span);
    return head && (headOf(head.span) ?? head);
  };
  if (standing.length === 0) return { headOf, sums };
  const standingAt = new Map(standing.map((report) => [report.span, report]));
  const trustedAt = new Map(trusted.map((usage) => [usage.span, usage]));
  const below = new Map<UsageReport, UsageReport[]>();
  for (const leaf of leaves) {
    for (const ancestor of forest.ancestors(leaf.span)) {
      const head = leaf.span.trusted ? undefined : standingAt.get(ancestor);
      if (head) {
        heads.set(leaf.span, head);
        break;
      }
      const upper = leaf.span.trusted ? trustedAt.get(ancestor) : undefined;
      if (!upper) continue;
      const found = below.get(upper);
      if (found) found.push(leaf);
      else below.set(upper, [leaf]);
    }
  }
  // The uppermost of several comes last.
  const upperOf = new Map<UsageReport, UsageReport>();
  for (const [upper, [leaf, ...others]] of below) {
    if (leaf && others.length === 0 && isSameCall(leaf, upper)) upperOf.set(leaf, upper);
  }
  for (const [leaf, upper] of upperOf) {
    heads.set(leaf.span, upper);
    sums.push(upper);
  }
  return { headOf, sums };
}

function isSameCall(a: UsageReport, b: UsageReport): boolean {
  const idOf = ({ read, spoken }: UsageReport): string => readModelFacts(read, spoken).responseId;
  if (idOf(a) !== "" && idOf(a) === idOf(b)) return true;
  const [ofA, ofB] = [a.reading.buckets, b.reading.buckets];
  return promptTokens(ofA) === promptTokens(ofB) && outputTokens(ofA) === outputTokens(ofB);
}
