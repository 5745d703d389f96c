import type { ContractPrice, PriceTerms, RateCard } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { readTrial } from "./trial.ts";

const contract = (given: Partial<ContractPrice>): ContractPrice => ({
  ...{ id: "own", scope: "org", scopeId: "", provider: "openai", model: "*", from: "2026-01-01", source: "4711" },
  terms: { kind: "percent_off", percent: "5" },
  ...given,
});
const own: PriceTerms = {
  contracts: [contract({}), contract({ id: "team", scope: "team", scopeId: "a" })],
  exchangeRates: [],
};
const cards: RateCard[] = [
  {
    ...{ id: "openai", describe: "", provider: "openai" },
    entries: [
      {
        ...{ id: "openai/m@2026", model: "m", from: "2026-01-01", source: "s", checkedOn: "2026-11-01" },
        ...{ perMillion: { input: "3", output_text: "15" }, perThousand: { web_search: "10" } },
      },
    ],
  },
];
const read = (params: Record<string, string>) => readTrial(params, own, cards, "2026-10-01");

describe("a trial", () => {
  it("is none without one", () => {
    expect(read({ tryProvider: "openai" })).toEqual({ kind: "own" });
  });

  it.each([
    ["-12.5", { kind: "percent_off", percent: "12.5" }],
    ["−12.5", { kind: "percent_off", percent: "12.5" }],
    ["5", { kind: "markup", percent: "5" }],
  ])(
    "of %s percent takes the place of what the organisation agreed on, and not of what a team did",
    (tryPercent, terms) => {
      const trial = read({ tryProvider: "openai", tryPercent });
      if (trial.kind !== "trial") throw new Error(trial.kind);
      expect(trial.terms.contracts.map(({ id }) => id)).toEqual(["team", "trial"]);
      expect(trial.terms.contracts[1]).toMatchObject({ scope: "org", model: "*", from: "2026-10-01", terms });
    },
  );

  it("of a card's entry prices another model by it, and leaves what is agreed on all of them", () => {
    const trial = read({ tryProvider: "openai", tryModel: "n", tryEntry: "openai/m@2026" });
    if (trial.kind !== "trial") throw new Error(trial.kind);
    expect(trial.terms.contracts.map(({ id }) => id)).toEqual(["own", "team", "trial"]);
    expect(trial.terms.contracts[2]?.terms).toEqual({
      ...{ kind: "absolute", perMillion: { input: "3", output_text: "15" }, perThousand: { web_search: "10" } },
    });
  });

  it.each([
    [{ tryProvider: "openai", tryPercent: "a lot" }],
    [{ tryProvider: "openai", tryEntry: "nobody/knows" }],
    [{ tryPercent: "5" }],
  ])("that can't be read is said to be wrong: %j", (params) => expect(read(params)).toEqual({ kind: "wrong" }));
});
