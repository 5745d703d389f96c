/** What was paid is spread whole, once, whatever the order; the rules of each kind by example. */
import { countToDecimal, type Decimal, formatDecimal, parseDecimal, sumDecimals, ZERO } from "@centspan/base";
import { type Charge, type Commitment, findBillingPeriod, type PriceBook } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rateCards } from "../registry.gen.ts";
import { readFee } from "./read-fee.ts";
import { type CommittedUsage, carryOver, type Spread, spreadCommitments } from "./spread-commitments.ts";

const OCTOBER = findBillingPeriod("Europe/Berlin", "2026-10");
const book: PriceBook = {
  cards: rateCards,
  contracts: [],
  exchangeRates: [{ currency: "EUR", from: "2026-09-01", usd: "1.1", source: "ECB" }],
};

function charge(given: Partial<Charge> = {}): Charge {
  const unitPriceUsd = given.unitPriceUsd ?? parseDecimal("0.000003");
  const quantity = given.quantity ?? 1_000_000;
  return {
    day: "2026-10-05",
    keyId: "ada",
    key: "ada",
    team: "search",
    provider: "openai",
    model: "gpt-6-sol",
    serviceTier: "",
    region: "",
    meter: "input",
    priceEntryId: "entry",
    listUnitPriceUsd: null,
    provenance: "measured",
    isCorrection: false,
    ...given,
    unitPriceUsd,
    quantity,
    costUsd: unitPriceUsd.times(countToDecimal(quantity)),
  };
}

const common = {
  provider: "openai",
  model: "*",
  scope: "org",
  scopeIds: [],
  from: "2026-10-01",
  source: "order",
} as const;
const seats = (given: Partial<Extract<Commitment, { kind: "seats" }>> = {}): Commitment => ({
  ...common,
  kind: "seats",
  id: "plus",
  plan: "ChatGPT Plus",
  seats: 3,
  perSeatMonth: "20",
  ...given,
});
const credits = (given: Partial<Extract<Commitment, { kind: "credits" }>> = {}): Commitment => ({
  ...common,
  kind: "credits",
  id: "prepaid",
  amount: "5",
  to: "2027-01-01",
  ...given,
});
const provisioned = (given: Partial<Extract<Commitment, { kind: "provisioned" }>> = {}): Commitment => ({
  ...common,
  kind: "provisioned",
  id: "ptu",
  units: 2,
  perUnit: "1.25",
  per: "hour",
  tokensPerMinute: 50,
  ...given,
});
const gpus = (given: Partial<Extract<Commitment, { kind: "gpus" }>> = {}): Commitment => ({
  ...common,
  kind: "gpus",
  id: "h100",
  gpus: 8,
  perGpuHour: "2.5",
  basis: "measured",
  ...given,
});

const spread = (commitments: Commitment[], usage: Partial<CommittedUsage>, period = OCTOBER): Spread =>
  spreadCommitments(commitments, { charges: [], minutes: new Map(), balances: new Map(), ...usage }, period, (one) =>
    readFee(one, period, book),
  );
const brief = ({ lines }: Spread) =>
  lines.map(({ commitment, team, status, payPerTokenUsd, costUsd }) => [
    commitment,
    team,
    status,
    formatDecimal(payPerTokenUsd),
    formatDecimal(costUsd),
  ]);
const leave = (usd: string) => new Map([["prepaid", { leftUsd: parseDecimal(usd), expiredUsd: ZERO }]]);
const total = (amounts: Iterable<Decimal>) => formatDecimal(sumDecimals([...amounts]));

describe("seats", () => {
  it("cost what was paid for those that somebody used, in proportion to the price by the token; the others are unused", () => {
    const charges = [
      charge({ quantity: 3_000_000 }),
      charge({ keyId: "grace", team: "data", quantity: 1_000_000, meter: "web_search" }),
      charge({ provider: "anthropic", keyId: "alan" }),
    ];
    const found = spread([seats()], { charges });
    expect(brief(found)).toEqual([
      ["plus", "search", "used", "9", "30"],
      ["plus", "data", "used", "3", "10"],
      ["plus", "", "unused", "0", "20"],
    ]);
    expect(found.rest.map(({ provider }) => provider)).toEqual(["anthropic"]);
  });

  it("of a part of a month cost the part of its days, in dollars of its first day; of a team alone they are the team's", () => {
    const given = { from: "2026-10-15", currency: "EUR", scope: "team", scopeIds: ["search"], seats: 1 } as const;
    const charges = [charge({ day: "2026-10-14" }), charge({ day: "2026-10-15" })];
    // 20 × 17/31 × 1.1
    expect(brief(spread([seats(given)], { charges }))).toEqual([["plus", "search", "used", "3", "12.064516129032"]]);
    expect(brief(spread([seats(given)], {}))).toEqual([["plus", "search", "unused", "0", "12.064516129032"]]);
    expect(brief(spread([seats({ ...given, to: "2026-10-15", from: "2026-10-01" })], { charges }))).toHaveLength(1);
  });

  it("give a correction of a closed month nothing: what was paid for that month is spread", () => {
    const charges = [charge(), charge({ day: "2026-09-30", isCorrection: true, quantity: -7 })];
    const found = spread([seats({ from: "2026-09-01", seats: 1 })], { charges });
    expect(found.covered.map(({ charge: one, costUsd }) => [one.quantity, formatDecimal(costUsd)])).toEqual([
      [-7, "0"],
      [1_000_000, "20"],
    ]);
    expect(found.rest).toEqual([]);
  });

  it("whose usage is free are shared by how much was used", () => {
    const free = { unitPriceUsd: ZERO };
    const charges = [charge({ ...free, quantity: 1 }), charge({ ...free, quantity: 3, team: "data" })];
    expect(brief(spread([seats({ seats: 1 })], { charges }))).toEqual([
      ["plus", "data", "used", "0", "15"],
      ["plus", "search", "used", "0", "5"],
    ]);
  });
});

describe("credits", () => {
  it("are used at the price by the token; what is left is for later, and unused when it expires", () => {
    const charges = [charge({ quantity: 400_000 })];
    expect(brief(spread([credits()], { charges }))).toEqual([
      ["prepaid", "search", "used", "1.2", "1.2"],
      ["prepaid", "", "prepaid", "0", "3.8"],
    ]);
    const december = findBillingPeriod("Europe/Berlin", "2026-12");
    const balances = leave("3.8");
    const last = [charge({ quantity: 100_000, day: "2026-12-31" })];
    const expiring = spread([credits()], { charges: last, balances }, december);
    expect(brief(expiring)).toEqual([
      ["prepaid", "search", "used", "0.3", "0.3"],
      ["prepaid", "", "unused", "0", "3.5"],
      ["prepaid", "", "prepaid", "0", "-3.8"],
    ]);
    const january = findBillingPeriod("Europe/Berlin", "2027-01");
    const after = { balances: carryOver(balances, expiring.lines) };
    expect(spread([credits()], after, january).lines).toEqual([]);
    // What comes late was used of what is booked as unused; what is taken back was not.
    for (const [quantity, used, unused] of [
      [100_000, "0.3", "-0.3"],
      [-100_000, "-0.3", "0.3"],
    ] as const) {
      const late = [charge({ quantity, day: "2026-12-31", isCorrection: true })];
      expect(brief(spread([credits()], { ...after, charges: late }, january))).toEqual([
        ["prepaid", "search", "used", used, used],
        ["prepaid", "", "unused", "0", unused],
      ]);
    }
  });

  it("that do not suffice cover all charges in the same proportion, in whole units, and are never overdrawn", () => {
    const charges = [charge({ quantity: 2_000_000 }), charge({ quantity: 1_000_001, team: "data" })];
    const found = spread([credits()], { charges });
    expect(brief(found)).toEqual([
      ["prepaid", "data", "used", "1.666665", "1.666665"],
      ["prepaid", "search", "used", "3.33333", "3.33333"],
      ["prepaid", "", "prepaid", "0", "0.000005"],
    ]);
    expect(found.rest.map(({ quantity }) => quantity)).toEqual([444_446, 888_890]);
  });

  it("are refilled by what a correction takes back", () => {
    const charges = [charge({ day: "2026-10-02", isCorrection: true, quantity: -100_000 })];
    const november = findBillingPeriod("Europe/Berlin", "2026-11");
    expect(brief(spread([credits()], { charges, balances: leave("1") }, november))).toEqual([
      ["prepaid", "search", "used", "-0.3", "-0.3"],
      ["prepaid", "", "prepaid", "0", "0.3"],
    ]);
  });
});

describe("throughput", () => {
  it("covers of each minute what it holds; what goes over it is paid by the token", () => {
    const charges = [charge({ quantity: 150 }), charge({ quantity: 50, team: "data" })];
    const minutes = new Map([
      [
        "ptu",
        [
          { day: "2026-10-05", tokens: 180 },
          { day: "2026-10-05", tokens: 20 },
        ],
      ],
    ]);
    const found = spread([provisioned({ to: "2026-10-06", from: "2026-10-05" })], { charges, minutes });
    // 2 units × 1.25 × 24 hours; 120 of 100 × 1440 tokens were used, three quarters of them by one team.
    expect(brief(found)).toEqual([
      ["ptu", "data", "used", "0.00009", "0.0125"],
      ["ptu", "search", "used", "0.00027", "0.0375"],
      ["ptu", "", "unused", "0", "59.95"],
    ]);
    expect(found.rest.map(({ quantity }) => quantity)).toEqual([20, 60]);
  });

  it("by the hour has the hours of the zone's days, and by the month its days", () => {
    // October has the hour of winter time once more.
    expect(formatDecimal(readFee(provisioned(), OCTOBER, book))).toBe("1862.5");
    const monthly = provisioned({ per: "month", perUnit: "310", from: "2026-10-31" });
    expect(formatDecimal(readFee(monthly, OCTOBER, book))).toBe("20");
  });
});

describe("GPUs", () => {
  it("are used for the time that calls are priced by, and idle for the rest", () => {
    const found = spread([gpus({ basis: "simulated", to: "2026-10-02" })], {
      charges: [charge({ day: "2026-10-01" })],
    });
    expect(found.lines.map(({ status, costUsd, provenance }) => [status, formatDecimal(costUsd), provenance])).toEqual([
      ["used", "3", "simulated"],
      ["unused", "477", "simulated"],
    ]);
  });

  it("that were busier than there was time are shared in proportion", () => {
    const charges = [
      charge({ quantity: 300_000_000, day: "2026-10-01" }),
      charge({ day: "2026-10-01", team: "data", quantity: 100_000_000 }),
    ];
    const found = spread([gpus({ to: "2026-10-02" })], { charges });
    expect(brief(found)).toEqual([
      ["h100", "data", "used", "300", "120"],
      ["h100", "search", "used", "900", "360"],
    ]);
  });
});

it("lets capacity go before plans, plans before money, keys before teams, exact models before patterns", () => {
  const commitments = [
    credits(),
    seats({ id: "all" }),
    seats({ id: "team", scope: "team", scopeIds: ["search"] }),
    seats({ id: "exact", model: "gpt-6-sol" }),
    gpus(),
    seats({ id: "key", scope: "key", scopeIds: ["ada"] }),
  ];
  const names: (string | undefined)[] = [];
  for (let left = commitments; left.length > 0; ) {
    const first = spread(left, { charges: [charge()] }).covered[0]?.commitment.id;
    names.push(first);
    left = left.filter(({ id }) => id !== first);
  }
  expect(names).toEqual(["h100", "key", "team", "exact", "all", "prepaid"]);
});

const day = fc.integer({ min: 1, max: 31 }).map((number) => `2026-10-${String(number).padStart(2, "0")}`);
const anyCharge = fc
  .record({
    day,
    keyId: fc.constantFrom("ada", "grace", "alan"),
    team: fc.constantFrom("search", "data", ""),
    model: fc.constantFrom("gpt-6-sol", "gpt-6-luna"),
    meter: fc.constantFrom("input", "output_text", "web_search"),
    quantity: fc.integer({ min: 1, max: 1_000_000 }),
    nanos: fc.integer({ min: 0, max: 9_999_999 }),
    isCorrection: fc.constant(false),
  })
  .map(({ nanos, ...given }) =>
    charge({ ...given, unitPriceUsd: parseDecimal(`0.${String(nanos).padStart(12, "0")}`) }),
  );
const whose = fc.constantFrom(
  { scope: "org", scopeIds: [] } as const,
  { scope: "team", scopeIds: ["search"] } as const,
  { scope: "key", scopeIds: ["ada", "alan"] } as const,
);
const term = fc
  .record({ whose, model: fc.constantFrom("*", "gpt-6*", "gpt-6-luna"), from: day, to: fc.option(day) })
  .map(({ whose: who, model, from, to }) => ({ ...who, model, from, ...(to !== null && to > from && { to }) }));
const money = fc
  .integer({ min: 1, max: 10 ** 9 })
  .map((micros) => formatDecimal(parseDecimal("0.000001").times(countToDecimal(micros))));
const anyCommitment = (id: string) =>
  fc.oneof(
    fc
      .record({ term, seats: fc.integer({ min: 1, max: 5 }), perSeatMonth: money })
      .map(({ term: t, ...g }) => seats({ ...t, ...g, id })),
    fc.record({ term, amount: money }).map(({ term: { to: _to, ...t }, ...g }) => credits({ ...t, ...g, id })),
    fc
      .record({ term, perUnit: money, tokensPerMinute: fc.integer({ min: 1, max: 500_000 }) })
      .map(({ term: t, ...g }) => provisioned({ ...t, ...g, id })),
    fc.record({ term, perGpuHour: money }).map(({ term: t, ...g }) => gpus({ ...t, ...g, id })),
  );
const anything = fc.record({
  charges: fc.array(anyCharge, { maxLength: 12 }),
  commitments: fc.tuple(anyCommitment("a"), anyCommitment("b"), anyCommitment("c")),
});
const minutesOf = (commitments: readonly Commitment[], charges: readonly Charge[]) =>
  new Map(
    commitments.map(({ id }) => [
      id,
      charges.map(({ day: on, quantity }) => ({ day: on, tokens: Math.ceil(quantity / 2) })),
    ]),
  );
const nameOf = ({ quantity: _quantity, costUsd: _cost, ...same }: Charge) => JSON.stringify(same);

describe("whatever is bought and used", () => {
  it("nothing is lost and nothing counted twice, to the last digit", () => {
    fc.assert(
      fc.property(anything, ({ charges, commitments }) => {
        const found = spread(commitments, { charges, minutes: minutesOf(commitments, charges) });
        for (const commitment of commitments) {
          const lines = found.lines.filter((line) => line.commitment === commitment.id);
          const covered = found.covered.filter((one) => one.commitment === commitment);
          expect(total(lines.map(({ costUsd }) => costUsd))).toBe(formatDecimal(readFee(commitment, OCTOBER, book)));
          const used = lines.filter(({ status }) => status === "used");
          expect(total(used.map(({ costUsd }) => costUsd))).toBe(total(covered.map(({ costUsd }) => costUsd)));
          for (const line of lines) expect(line.costUsd.lt(ZERO)).toBe(false);
        }
        const pieces = [...found.rest, ...found.covered.map(({ charge: one }) => one)];
        for (const name of new Set(charges.map(nameOf))) {
          const quantity = (all: readonly Charge[]) =>
            all.filter((one) => nameOf(one) === name).reduce((sum, one) => sum + one.quantity, 0);
          expect(quantity(pieces)).toBe(quantity(charges));
        }
        for (const piece of pieces) expect(piece.quantity).toBeGreaterThan(0);
        expect(total(pieces.map(({ costUsd }) => costUsd))).toBe(total(charges.map(({ costUsd }) => costUsd)));
      }),
    );
  });

  it("neither the order nor how charges are cut into batches matters", () => {
    fc.assert(
      fc.property(anything, fc.infiniteStream(fc.nat()), ({ charges, commitments }, random) => {
        const shuffle = <T>(items: readonly T[]): T[] =>
          items
            .map((item) => ({ item, at: random.next().value }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item);
        const cut = charges.flatMap((one) => {
          const first = random.next().value % one.quantity;
          return [charge({ ...one, quantity: first }), charge({ ...one, quantity: one.quantity - first })];
        });
        const minutes = minutesOf(commitments, charges);
        expect(spread(shuffle(commitments), { charges: shuffle(cut), minutes })).toEqual(
          spread(commitments, { charges, minutes }),
        );
      }),
    );
  });
});
