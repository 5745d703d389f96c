import type { AuditRow, BudgetRow, PeriodRow, Recommendation, SeatRow, SpendForecastAnswer } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { prepareSituation, type SituationFacts } from "./prepare-situation.ts";

const forecast = (expectedUsd: string | null): SpendForecastAnswer => ({
  from: "2026-11-01",
  until: "2026-11-30",
  level: 0.8,
  data: [],
  others: null,
  total: {
    group: "total",
    spentUsd: "100",
    method: expectedUsd === null ? null : "weeks",
    expectedUsd,
    lowUsd: expectedUsd && "1300",
    highUsd: expectedUsd && "1400",
    days: [],
  },
  nextCursor: null,
});
const facts: SituationFacts = {
  spendUsd: "1000",
  beforeUsd: "800",
  spendProvenance: "measured",
  unallocatedUsd: "47",
  waste: {
    spendUsd: "1000",
    wasteUsd: "174",
    failedUsd: "0",
    usefulUsd: "726",
    notAnalysedUsd: "100",
    seconds: 0,
  },
  work: {
    spendUsd: "1000",
    placedUsd: "900",
    groups: 3,
    revertedUsd: "20",
    abandonedUsd: "30",
    coverage: "0.9",
    testedCoverage: null,
  },
  forecast: forecast("1350"),
  budgets: [],
  seats: [],
  periods: [],
  comparisons: [],
  recommendations: [],
};
const seat = (period: string, rest: Partial<SeatRow> = {}): SeatRow => ({
  commitment: "max",
  plan: "Max",
  provider: "anthropic",
  seats: 2,
  period,
  paidUsd: "400",
  allocatedUsd: "400",
  unassignedUsd: "0",
  listUsd: "900",
  holders: 2,
  seatDays: 60,
  usedDays: 45,
  idleShare: "0.25",
  idleUsd: "100",
  provenance: { cash: "allocated", list: "derived", idle: "estimated" },
  ...rest,
});
const commitment = { commitment: "max", team: "", status: "used", payPerTokenUsd: "900", costUsd: "400" } as const;

describe("what finance asks next", () => {
  it("is told with the share of spend, how it is known, and what of it is not known", () => {
    expect(prepareSituation(facts)).toMatchObject({
      comparison: { arrow: "▲", growth: "+25.0%", difference: "+$200.00", before: "$800.00" },
      unallocated: { amount: "$47.00", share: "4.7%", provenance: "measured" },
      paidTwice: { amount: "$174.00", share: "17.4%", provenance: "derived" },
      notAnalysed: "10.0%",
      lost: { amount: "$50.00", reverted: "$20.00", abandoned: "$30.00", isNone: false },
      forecast: { month: "2026-11", amount: "$1,350", budget: null },
    });
  });

  it("is known no better than spend is", () => {
    const { paidTwice, lost, unallocated } = prepareSituation({ ...facts, spendProvenance: "simulated" });
    expect([paidTwice, lost, unallocated].map(({ provenance }) => provenance)).toEqual(Array(3).fill("simulated"));
  });

  it("is null, never zero, where nobody said anything", () => {
    const nothing = { ...facts, beforeUsd: null, forecast: forecast(null) };
    expect(prepareSituation(nothing)).toMatchObject({
      comparison: null,
      forecast: null,
      seats: null,
      invoice: null,
      savings: { cash: null, verified: 0, open: 0 },
    });
  });

  it("counts seats of their newest month: cash, list value and idle days apart, and what they did not cover", () => {
    const period: Partial<PeriodRow> = {
      period: "2026-11",
      exactUsd: "650",
      commitments: [{ ...commitment, provenance: "allocated" }],
    };
    const seats = [seat("2026-11"), seat("2026-11", { commitment: "pro", usedDays: 15 }), seat("2026-10")];
    const periods = [period].flatMap((one) => (isWhole(one) ? [one] : []));
    expect(prepareSituation({ ...facts, seats, periods }).seats).toEqual({
      period: "2026-11",
      paid: "$800.00",
      list: "$1,800",
      idle: "50.0%",
      beyond: "$250.00",
    });
  });
});

/** A row has more members than are read here. */
const isWhole = (row: Partial<PeriodRow>): row is PeriodRow =>
  row.period !== undefined && row.commitments !== undefined;

it("an invoice's residual, and savings that came true within what was foretold", () => {
  const compared: AuditRow = {
    at: "2026-11-02T00:00:00Z",
    actor: "ada",
    action: "invoice.reconcile",
    subject: "october.csv",
    details: { difference: "51.20", unexplained: "0", unit: "usd", from: "2026-10-01", to: "2026-11-01" },
  };
  expect(prepareSituation({ ...facts, comparisons: [compared] }).invoice).toEqual({
    difference: "+$51.20",
    unexplained: "$0.00",
    from: "2026-10-01",
    to: "2026-11-01",
  });
  const isRecommendation = (row: Partial<Recommendation>): row is Recommendation => row.state !== undefined;
  const effect = { share: 0.1, low: 0.05, high: 0.15, level: 0.8 };
  const realised = (isWithinInterval: boolean) => ({ effect, requests: 10, from: "", to: "", isWithinInterval });
  const savings = { capacityUsdMonth: "0", cashUsdMonth: "3180" };
  const all: Partial<Recommendation>[] = [
    { state: "verified", realised: realised(true), savings },
    { state: "verified", realised: realised(false), savings },
    { state: "proposed", realised: null, savings },
  ];
  const recommendations = all.flatMap((one) => (isRecommendation(one) ? [one] : []));
  expect(prepareSituation({ ...facts, recommendations }).savings).toEqual({ cash: "$3,180", verified: 1, open: 1 });
});

it("budgets that are exceeded are counted", () => {
  const isBudget = (row: Partial<BudgetRow>): row is BudgetRow => row.subjects !== undefined;
  const budget = (remainingUsd: string): Partial<BudgetRow> => ({
    subjects: [{ subject: "payments", spentUsd: "1", reservedUsd: "0", remainingUsd, forecastUsd: null }],
  });
  const budgets = [budget("-1"), budget("5")].flatMap((one) => (isBudget(one) ? [one] : []));
  expect(prepareSituation({ ...facts, budgets }).forecast?.budget).toEqual({ over: 1, all: 2 });
});
