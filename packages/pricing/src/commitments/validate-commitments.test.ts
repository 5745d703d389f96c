import { type Commitment, commitmentSchema, type PriceBook } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { rateCards } from "../registry.gen.ts";
import { findCommitmentProblems } from "./validate-commitments.ts";

const book: PriceBook = {
  cards: rateCards,
  contracts: [
    {
      id: "own",
      scope: "org",
      scopeId: "",
      provider: "vllm",
      model: "llama-4*",
      from: "2026-01-01",
      terms: { kind: "absolute", perMillion: { input: "1" } },
      source: "s",
    },
    {
      id: "gpu",
      scope: "org",
      scopeId: "",
      provider: "vllm",
      model: "qwen*",
      from: "2026-01-01",
      terms: {
        kind: "gpu_hours",
        perGpuHour: "2.5",
        gpus: 8,
        basis: "measured",
        secondsPerMillion: { input: "30" },
      },
      source: "s",
    },
    {
      id: "off",
      scope: "org",
      scopeId: "",
      provider: "openai",
      model: "gpt-0",
      from: "2026-01-01",
      terms: { kind: "percent_off", percent: "5" },
      source: "s",
    },
  ],
  exchangeRates: [{ currency: "EUR", from: "2026-10-02", usd: "1.1", source: "ECB" }],
};
const seats = {
  kind: "seats",
  id: "plus",
  plan: "ChatGPT Plus",
  seats: 2,
  perSeatMonth: "20",
  provider: "openai",
  model: "*",
  scope: "key",
  scopeIds: ["ada", "grace"],
  from: "2026-10-01",
  source: "order 7",
} as const satisfies Commitment;
const credits = {
  kind: "credits",
  id: "prepaid",
  amount: "100",
  provider: "openai",
  model: "*",
  scope: "org",
  scopeIds: [],
  from: "2026-10-01",
  to: "2027-10-01",
  source: "order 8",
} as const satisfies Commitment;
const throughput = {
  kind: "provisioned",
  id: "ptu",
  units: 2,
  perUnit: "1.25",
  per: "hour",
  tokensPerMinute: 2500,
  provider: "openai",
  model: "gpt-6*",
  scope: "team",
  scopeIds: ["search"],
  from: "2026-10-01",
  source: "order 9",
} as const satisfies Commitment;

const gpus = {
  kind: "gpus",
  id: "h100",
  gpus: 8,
  perGpuHour: "2.5",
  basis: "measured",
  provider: "vllm",
  model: "qwen-4",
  scope: "org",
  scopeIds: [],
  from: "2026-10-01",
  source: "order 10",
} as const satisfies Commitment;

const fields = (...added: Commitment[]) =>
  findCommitmentProblems([credits, ...added], added, { book, timeZone: "UTC" }).map(
    ({ id, field }) => `${id}.${field}`,
  );

describe("a commitment", () => {
  it.each([
    [seats],
    [throughput],
    [gpus],
    [{ ...seats, model: "gpt-6-sol" }],
    [{ ...seats, provider: "vllm", model: "llama-4-70b" }],
    [{ ...seats, provider: "openrouter", model: "openai/gpt-6-sol" }],
    [{ ...seats, currency: "EUR", from: "2026-10-02" }],
    [{ ...credits, id: "more" }],
  ] satisfies [Commitment][])("that holds is taken: %j", (commitment) => {
    expect(commitmentSchema.parse(commitment)).toEqual(commitment);
    expect(fields(commitment)).toEqual([]);
  });

  it.each([
    ["to", { ...seats, to: "2026-10-01" }],
    ["to", { ...credits, id: "x", to: "2026-09-30" }],
    ["to", { ...credits, id: "x", to: "2036-10-02" }],
    ["id", { ...seats, id: "prepaid" }],
    ["provider", { ...seats, provider: "opnai" }],
    ["model", { ...seats, model: "gpt-99" }],
    ["model", { ...seats, model: "gpt-0" }],
    ["model", { ...gpus, model: "llama-4-70b" }],
    ["basis", { ...gpus, basis: "simulated" }],
    ["currency", { ...seats, currency: "EUR" }],
    ["currency", { ...seats, currency: "XYZ" }],
    ["scopeIds", { ...seats, scopeIds: [] }],
    ["scopeIds", { ...seats, scopeIds: ["ada", "ada"] }],
    ["scopeIds", { ...seats, scopeIds: ["ada", "grace", "alan"] }],
    ["scopeIds", { ...credits, id: "x", scopeIds: ["search"] }],
  ] satisfies [string, Commitment][])("that can't be so is refused by its %s", (field, commitment) => {
    expect(fields(commitment)).toEqual([`${commitment.id}.${field}`]);
  });

  it.each([
    ["scopeIds", { ...seats, id: "b", scopeIds: ["grace", "alan"], from: "2026-12-01" }],
    ["scopeIds", { ...seats, id: "b", model: "gpt-6*", from: "2026-09-01", to: "2026-10-02" }],
  ] satisfies [string, Commitment][])("is refused where a seat is had twice", (field, other) => {
    expect(fields(seats, other)).toEqual([`plus.${field}`, `b.${field}`]);
  });

  it.each([
    { ...seats, id: "b", scopeIds: ["alan"] },
    { ...seats, id: "b", provider: "anthropic" },
    { ...seats, id: "b", from: "2026-09-01", to: "2026-10-01" },
    { ...seats, id: "b", scope: "team" },
  ] satisfies Commitment[])("may stand beside one of other people, models or times", (other) => {
    expect(fields(seats, other)).toEqual([]);
  });

  it("of throughput is apart from others by its keys, or teams, alone", () => {
    expect(fields(throughput, { ...throughput, id: "b", scope: "org", scopeIds: [] })).toEqual([
      "ptu.scopeIds",
      "b.scopeIds",
    ]);
    expect(fields(throughput, { ...throughput, id: "b", scopeIds: ["data"] })).toEqual([]);
  });

  it.each([
    ["amount", { ...credits, amount: "-5" }],
    ["amount", { ...credits, amount: "0" }],
    ["amount", { ...credits, amount: "1e3" }],
    ["amount", { ...credits, amount: 5 }],
    ["to", { ...credits, to: undefined }],
    ["to", { ...credits, to: "2026-02-30" }],
    ["from", { ...credits, from: "October" }],
    ["currency", { ...credits, currency: "euro" }],
    ["seats", { ...seats, seats: 1.5 }],
    ["seats", { ...seats, seats: -1 }],
    ["perSeatMonth", { ...seats, perSeatMonth: "20.0000001" }],
    ["tokensPerMinute", { ...throughput, tokensPerMinute: 0.5 }],
    ["units", { ...throughput, units: 0 }],
    ["per", { ...throughput, per: "week" }],
    ["model", { ...seats, model: "gpt*6" }],
    ["kind", { ...seats, kind: "gift" }],
    ["", { ...seats, discount: "5" }],
  ])("of another shape is refused by its %s: %j", (field, wrong) => {
    const issues = commitmentSchema.safeParse(wrong).error?.issues ?? [];
    expect(issues.map(({ path }) => path.join("."))).toEqual([field]);
  });
});
