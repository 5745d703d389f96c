/**
 * Whether an attribute of that name carries token usage: one that a dialect reads a count from, or one that looks like
 * it. Wider than what is billed, which the rules decide; what it misses is never looked at.
 */
import { COUNT_FIELDS } from "@centspan/model";
import { attributeOf } from "./reader.ts";
import { dialects } from "./registry.gen.ts";

/** Emitters that no dialect is written for yet: their records can be read again once there is one. */
const LOOKS_LIKE_USAGE =
  /(^|[._])usage([._]|$)|(^|[._])token_?counts?([._]|$)|(^|[._])(input|output|prompt|completion)_tokens$/;

const named: ReadonlySet<string> = new Set(
  dialects
    .flatMap(({ spans = [], logs = [] }) => [...spans, ...logs])
    .flatMap(({ fields }) => COUNT_FIELDS.flatMap((field) => fields[field] ?? []))
    .map(attributeOf),
);

export const isUsageAttribute = (name: string): boolean => named.has(name) || LOOKS_LIKE_USAGE.test(name);
