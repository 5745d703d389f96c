import type { ContractPrice } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { getCatalogue } from "#i18n";
import { describeCalls, describeCommitment, describeSelectors, describeTerms } from "./describe-terms.ts";

const t = getCatalogue("en");
const contract = (terms: ContractPrice["terms"], given: Partial<ContractPrice> = {}): ContractPrice => ({
  ...{ id: "c", scope: "org", scopeId: "", provider: "openai", model: "*", from: "2026-10-01", source: "4711" },
  terms,
  ...given,
});
const absolute = { kind: "absolute", currency: "EUR", perMillion: { input: "1.70", output_text: "8.50" } } as const;

describe("prices in words", () => {
  it.each([
    [null, "standard"],
    [{ serviceTier: "batch", region: "us" }, "tier batch, us"],
    [{ context: { comparator: ">", tokens: 272_000 } }, "context > 272,000 tokens"],
    [{ hours: { from: "16:30", to: "00:30" }, weekdays: [5, 1, 2, 3, 4] }, "16:30–00:30 UTC, Mon–Fri"],
    [{ weekdays: [1, 3, 6] }, "Mon, Wed, Sat"],
  ] as const)("say when they hold: %j", (when, said) => expect(describeSelectors(when, t)).toBe(said));

  it("say which calls a contract is for: a percentage all of them, a price those of the standard tier", () => {
    expect(describeCalls(contract({ kind: "percent_off", percent: "5" }), t)).toBe("every call");
    expect(describeCalls(contract(absolute), t)).toBe("standard");
    expect(describeCalls(contract(absolute, { when: { serviceTier: "flex" } }), t)).toBe("tier flex");
  });

  it.each([
    [{ kind: "percent_off", percent: "12.5" }, "12.5% off the list"],
    [{ kind: "markup", percent: "3" }, "3% above the list"],
    [absolute, "New input 1.70, Output 8.50 EUR per million"],
    [
      { kind: "gpu_hours", perGpuHour: "2.5", gpus: 8, basis: "simulated", secondsPerMillion: { input: "36" } },
      "8 GPUs at 2.50 USD an hour, simulated",
    ],
  ] as const)("say what was agreed on: %j", (terms, said) => expect(describeTerms(contract(terms), t)).toBe(said));

  it.each([
    [{ kind: "seats", plan: "Pro", seats: 84, perSeatMonth: "20" }, "84 seats of Pro at 20.00 USD a month"],
    [{ kind: "credits", amount: "500", to: "2027-10-01" }, "500.00 USD of credits"],
    [
      { kind: "provisioned", units: 5, perUnit: "0.1", per: "hour", tokensPerMinute: 37_000 },
      "5 units at 0.10 USD an hour, 37,000 tokens a minute each",
    ],
    [{ kind: "gpus", gpus: 2, perGpuHour: "2.5", basis: "measured" }, "2 GPUs at 2.50 USD an hour, measured"],
  ] as const)("say what is paid in advance: %j", (own, said) => {
    const common = {
      id: "k",
      provider: "openai",
      model: "*",
      scope: "org",
      from: "2026-10-01",
      source: "4711",
    } as const;
    expect(describeCommitment({ ...common, scopeIds: [], ...own }, t)).toBe(said);
  });
});
