import { REJECTION_CODES } from "@centspan/ingest";
import { collectorStatusSchema } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { chooseTarget } from "../commands/doctor.ts";
import { describeExamination } from "./describe.ts";
import { diagnose } from "./diagnose.ts";
import { type Examination, examine } from "./examine.ts";
import { remedyOfRecord } from "./remedies.ts";

const NOW = "2026-11-29T12:00:10.000000000Z";
const SHORTLY_BEFORE = "2026-11-29T12:00:07.500000000Z";

const collector = collectorStatusSchema.parse({
  version: "1",
  uptimeS: 7_500,
  spool: { bytes: 0, maxBytes: 2 ** 31, frames: 0, segments: 1, oldestAgeS: null, refusal: null },
  loader: {
    lagS: 0.8,
    insertedRows: { spans: 10, logs: 0, metrics: 0 },
    refusedFrames: 0,
    warehouseAway: false,
    lastError: null,
  },
  requests: { traces: { ok: 3, store_unavailable: 2 }, logs: {}, metrics: {} },
  accepted: { traces: 1234, logs: 0, metrics: 0 },
  rejected: { traces: {}, logs: {}, metrics: {} },
});

const part = (name: string, state: "ok" | "failing" | "away" = "ok") => ({ name, state, url: "http://x", detail: "" });

const healthy: Examination = {
  at: NOW,
  workspace: "default",
  addressesFrom: "connection.json",
  parts: ["warehouse", "control", "web", "collector", "gateway", "engine"].map((name) => part(name)),
  ratedThrough: SHORTLY_BEFORE,
  collector,
  collectorProblem: null,
  sources: [{ service: "claude-code", signal: "logs", lastReceivedAt: SHORTLY_BEFORE, records24h: 1204 }],
  calls: {
    from: "2026-11-22T12:00:10.000000000Z",
    calls: 20,
    unpriced: 0,
    quarantined: 0,
    unpricedModels: {},
    quarantineReasons: {},
  },
  unrated: [],
  apiProblem: null,
};

const withSpool = (spool: Partial<typeof collector.spool>, loader: Partial<typeof collector.loader> = {}) => ({
  collector: { ...collector, spool: { ...collector.spool, ...spool }, loader: { ...collector.loader, ...loader } },
});

describe("a diagnosis", () => {
  it("finds nothing wrong with a stack that works", () => {
    expect(diagnose(healthy)).toEqual([]);
    const text = describeExamination(healthy, []);
    expect(text).toMatch(/claude-code\s+logs\s+2 s ago\s+1,204/);
    expect(text).toMatch(/traces\s+1,234\s+0\s+2 store_unavailable/);
    expect(text).toMatch(/\nVerdict: everything works\.$/);
  });

  const MIB = 2 ** 20;
  const cases: [string, Partial<Examination>, RegExp][] = [
    [
      "a service away",
      { parts: [...healthy.parts.slice(1), part("gateway", "away")] },
      /gateway is away at http:\/\/x/,
    ],
    ["a store failing", { parts: [part("warehouse", "failing"), ...healthy.parts.slice(1)] }, /warehouse is failing/],
    [
      "a store away, which explains that nothing can be read or rated",
      {
        parts: [part("warehouse", "away"), ...healthy.parts.slice(1)],
        ...{ sources: null, calls: null, apiProblem: "is away", ratedThrough: "2026-11-29T11:00:00.000000000Z" },
      },
      /warehouse is away/,
    ],
    [
      "refused now",
      withSpool({ refusal: { ageS: 2, message: "the disk is full" } }),
      /refused, last 2\.0 s ago: the disk is full/,
    ],
    ["nearly full", withSpool({ bytes: 90 * MIB, maxBytes: 100 * MIB }), /90\.0 MiB of at most 100\.0 MiB wait/],
    [
      "the loader's store away",
      withSpool({}, { warehouseAway: true, lastError: { ageS: 1, message: "refused" } }),
      /can't reach the warehouse: refused/,
    ],
    ["data waiting long", withSpool({ oldestAgeS: 61 }), /waited 1 min 1 s to be loaded/],
    ["refused batches", withSpool({}, { refusedFrames: 2 }), /the warehouse refused for what they hold: 2/],
    [
      "refused records",
      { collector: { ...collector, rejected: { ...collector.rejected, logs: { invalid_id: 7 } } } },
      /7 records of logs refused: invalid_id\n\s+→ trace ids must be/,
    ],
    [
      "refused requests",
      { collector: { ...collector, requests: { ...collector.requests, metrics: { unauthenticated: 1 } } } },
      /1 request with metrics not taken: unauthenticated\n\s+→ send `Authorization/,
    ],
    [
      "rating behind",
      { ratedThrough: "2026-11-29T11:58:00.000000000Z" },
      /rating is 2 min 10 s behind\n\s+→ .*very large trace/,
    ],
    ["rating never", { ratedThrough: null }, /nothing has ever been rated/],
    ["a key missing", { sources: null, calls: null, apiProblem: "no key" }, /sources and calls can't be read: no key/],
    ["no status", { collector: null, collectorProblem: "wants a key" }, /collector's state can't be read: wants a key/],
  ];
  it.each(cases)("names what is wrong: %s", (_name, change, pattern) => {
    const examination = { ...healthy, ...change };
    const findings = diagnose(examination);
    expect(findings.map(({ level }) => level)).toEqual(["wrong"]);
    const text = describeExamination(examination, findings);
    expect(text).toMatch(pattern);
    expect(text).toMatch(/\nVerdict: one thing is wrong, see above\.$/);
  });

  it("names what could not be rated", () => {
    const row = { id: "t", message: "no decimal: x", attempts: 3, receivedAt: NOW, failedAt: NOW };
    const unrated = [
      { ...row, kind: "trace" as const },
      { ...row, kind: "session" as const },
    ];
    const [finding] = diagnose({ ...healthy, unrated });
    expect(finding?.what).toMatch(/^2 traces can't be rated, .*; the last, trace t: no decimal: x$/);
  });

  it("only notes calls that have no price, and why", () => {
    const calls = {
      ...(healthy.calls ?? expect.fail()),
      unpriced: 12,
      quarantined: 3,
      unpricedModels: { "new-model": 10, "": 2 },
      quarantineReasons: { total_mismatch: 3 },
    };
    const findings = diagnose({ ...healthy, calls });
    const text = describeExamination({ ...healthy, calls }, findings);
    expect(text).toContain("12 calls without a price: new-model 10, (no model named) 2");
    expect(text).toMatch(/3 calls quarantined.*\n\s+→ total_mismatch 3 \(the total differs.*\)\n/);
    const many = { ...healthy, calls: { ...calls, quarantined: 2500 } };
    expect(describeExamination(many, diagnose(many))).toMatch(/total_mismatch 3 .*; 2,497 not looked through\n/);
    expect(text).toContain("Verdict: everything works.");
  });

  it("tells a stack that nobody sent anything how to send", () => {
    const own = {
      service: "centspan-collector",
      signal: "metrics",
      lastReceivedAt: SHORTLY_BEFORE,
      records24h: 12,
    } as const;
    for (const sources of [[], [own]]) {
      const findings = diagnose({ ...healthy, sources });
      expect(findings).toMatchObject([{ level: "note", todo: expect.stringContaining("docs/connect.md") }]);
    }
  });

  it("says in two lines that nothing runs, and how to start it", async () => {
    const target = chooseTarget({ data: "/nowhere", workspace: "default", json: false }, {});
    const examination = await examine(target, 0n);
    const text = describeExamination(examination, diagnose(examination));
    expect(text).toMatch(
      /no stack is running \(addresses from .*connection\.json, which is not there\)\n\s+→.*npm start/,
    );
    expect(text.split("\n")).toHaveLength(5);
  });

  it("of addresses at which nothing listens is the same", async () => {
    const environment = { CENTSPAN_API_URL: "http://127.0.0.1:1", CENTSPAN_OTLP_URL: "http://127.0.0.1:1" };
    const examination = await examine(chooseTarget({ data: "", workspace: "w", json: false }, environment), 0n);
    expect(examination.parts.map(({ name, state }) => [name, state])).toEqual([
      ["web", "away"],
      ["collector", "away"],
    ]);
    expect(diagnose(examination)).toMatchObject([
      { level: "wrong", what: expect.stringContaining("no stack is running") },
    ]);
  });

  it("knows a remedy for each reason of the collector", () => {
    const remedies = REJECTION_CODES.map(remedyOfRecord);
    expect(new Set(remedies).size).toBe(REJECTION_CODES.length);
  });
});

describe("addresses", () => {
  const options = { data: "/nowhere", workspace: "default", json: false };
  it("come from options before the environment, and keys from the environment alone", () => {
    const environment = { CENTSPAN_API_URL: "http://env", CENTSPAN_OTLP_URL: "http://env", CENTSPAN_API_KEY: "k" };
    expect(chooseTarget({ ...options, webUrl: "http://option" }, environment)).toMatchObject({
      webUrl: "http://option",
      otlpUrl: "http://env",
      apiKey: "k",
      ingestKey: null,
    });
  });

  it.each(["localhost:3000", "here", "ftp://x"])("that are none are refused by name: %s", (webUrl) => {
    expect(() => chooseTarget({ ...options, webUrl }, {})).toThrow(/--web-url or CENTSPAN_API_URL/);
  });
});
