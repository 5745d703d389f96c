import { parseDecimal } from "@centspan/base";
import { expect, it } from "vitest";
import { type Provenance, resolveProvenance } from "./index.ts";

const cases: { why: string; sums: Partial<Record<Provenance, string>>; expected: Provenance | null }[] = [
  { why: "nothing", sums: {}, expected: null },
  { why: "one kind", sums: { derived: "1" }, expected: "derived" },
  { why: "a tenth is enough", sums: { measured: "9", simulated: "1" }, expected: "simulated" },
  { why: "less than a tenth is not", sums: { measured: "9.000001", simulated: "1" }, expected: "measured" },
  { why: "the weakest of several", sums: { measured: "5", derived: "3", estimated: "2" }, expected: "estimated" },
  { why: "allocated is weaker than derived", sums: { derived: "5", allocated: "5" }, expected: "allocated" },
  { why: "a kind with no money in it does not count", sums: { measured: "1", simulated: "0" }, expected: "measured" },
  { why: "zero in all", sums: { measured: "0", simulated: "0" }, expected: "simulated" },
];

it.each(cases)("$why", ({ sums, expected }) => {
  const amounts = Object.fromEntries(Object.entries(sums).map(([kind, text]) => [kind, parseDecimal(text)]));
  expect(resolveProvenance(amounts)).toBe(expected);
});
