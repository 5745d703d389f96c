/** Recommendations and simulations over the Trace API, on real stores. */
import { parseDecimal } from "@centspan/base";
import { EMPTY_BUCKETS, type RecommendationInput } from "@centspan/model";
import { beforeAll, describe, expect, it } from "vitest";
import { makeCall, useApi } from "./testing/use-api.ts";

const WORKSPACE = `recommendations-${process.pid}`;
const { warehouse, control, client, send } = useApi(WORKSPACE);
const NOON_NS = 1_794_744_000_000_000_000n;

beforeAll(() => control.ensureWorkspace("o", { id: WORKSPACE, name: WORKSPACE }));

const input: RecommendationInput = {
  kind: "serving",
  subject: "engine",
  title: "A larger batch",
  changes: [{ knob: "maxSequences", now: 4, proposed: 64, effect: null }],
  effect: { share: -0.4, low: -0.45, high: -0.35, level: 0.8 },
  metric: "gpu_seconds_per_token",
  savings: { capacityUsdMonth: "12.5", cashUsdMonth: "0" },
  provenance: "simulated",
  evidence: { chosenOn: "Monday", judgedOn: "Tuesday", traceIds: ["0".repeat(31).concat("1")], verdict: null },
  risks: [],
  apply: [{ engine: "centspan", text: "PATCH", cannot: [], undo: "PATCH" }],
};

describe("recommendations", () => {
  it("are filed, accepted by a person with a name, applied and verified", async () => {
    const { id, state, proposedBy } = await client.proposeRecommendation(input);
    expect([state, proposedBy]).toEqual(["proposed", "k (k)"]);
    await expect(client.stepRecommendation(id, "applied", { by: "Ada" })).rejects.toMatchObject({ code: "conflict" });
    await client.stepRecommendation(id, "accept", { by: "Ada", note: "looks right" });
    await client.stepRecommendation(id, "applied", { by: "Grace" });
    const effect = { share: -0.41, low: -0.44, high: -0.38, level: 0.8 };
    const realised = { effect, requests: 500, from: "2026-11-20T00:00:00Z", to: "2026-11-21T00:00:00Z" };
    const verified = await client.verifyRecommendation(id, { by: "worker", realised });
    expect(verified).toMatchObject({ state: "verified", realised: { isWithinInterval: true } });
    expect(verified.steps.map(({ by }) => by)).toEqual(["Ada", "Grace", "worker"]);
    expect((await client.recommendations({ state: "verified" })).data.map((one) => one.id)).toEqual([id]);
    expect(await client.recommendation(id)).toEqual(verified);
  });

  it("need a name for each step, and refuse what is no recommendation", async () => {
    const { id } = await client.proposeRecommendation(input);
    const post = (path: string, body: unknown) =>
      send(`/api/v1${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    for (const [path, body, field] of [
      [`/recommendations/${id}/accept`, {}, "body.by"],
      [`/recommendations/${id}/accept`, { by: "" }, "body.by"],
      ["/recommendations", { ...input, changes: [] }, "body.changes"],
      [
        "/recommendations",
        { ...input, savings: { capacityUsdMonth: 1, cashUsdMonth: "0" } },
        "body.savings.capacityUsdMonth",
      ],
      ["/recommendations", { ...input, state: "applied" }, "body.state"],
    ] as const) {
      const answer = await post(path, body);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(await answer.json()).toMatchObject({ code: "invalid_request", field });
    }
    expect((await client.recommendation(id)).state).toBe("proposed");
  });
});

describe("studies", () => {
  it("are asked, waited for and given up, and refuse what is none", async () => {
    const { id, state, asked } = await client.startStudy({ kind: "search", service: "engine" });
    expect([state, asked]).toMatchObject(["waiting", { candidates: 400, seconds: 60, objective: "used" }]);
    expect((await client.study(id)).state).toBe("waiting");
    expect((await client.studies()).data.map((one) => one.id)).toContain(id);
    const over = client.study(id, { waitS: "20" });
    await client.cancelStudy(id);
    expect((await over).state).toBe("cancelled");
    await expect(client.fileStudy(id)).rejects.toMatchObject({ code: "conflict" });
    const post = (study: object) =>
      send("/api/v1/studies", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ study }),
      });
    for (const [study, field] of [
      [{ kind: "guess" }, "body.study.kind"],
      [{ kind: "search", traffic: { from: "soon" } }, "body.study.traffic.from"],
      [{ kind: "search", candidates: 0 }, "body.study.candidates"],
    ] as const) {
      const answer = await post(study);
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: "invalid_request", field }]);
    }
  });
});

describe("acceptance policies", () => {
  it("are made by who decides, listed, and ended; no person can take a policy's name", async () => {
    expect((await client.acceptancePolicies()).data).toEqual([]);
    const policy = { name: "batch sizes", knobs: ["maxSequences"] };
    expect(await client.setAcceptancePolicy(policy)).toEqual(policy);
    const { id, state } = await client.proposeRecommendation(input);
    expect(state).toBe("accepted");
    expect((await client.recommendation(id)).steps).toMatchObject([{ by: "policy batch sizes" }]);
    expect(await client.deleteAcceptancePolicy("batch sizes")).toEqual({ name: "batch sizes" });
    const waiting = await client.proposeRecommendation(input);
    expect(waiting.state).toBe("proposed");
    await expect(client.stepRecommendation(waiting.id, "accept", { by: "Policy batch sizes" })).rejects.toMatchObject({
      code: "invalid_request",
      field: "body.by",
    });
  });
});

describe("simulations", () => {
  it("of recorded calls are kept with their result, which says that it is simulated", async () => {
    await warehouse.insertCalls(
      WORKSPACE,
      Array.from({ length: 60 }, (_, at) =>
        makeCall({
          callId: `c${at}`,
          atNs: NOON_NS + BigInt(at) * 2_000_000_000n,
          durationNs: 1_000_000_000n,
          sessionId: `s${at % 4}`,
          buckets: { ...EMPTY_BUCKETS, input: 200, cacheRead: at < 4 ? 0 : 64 * 20, outputText: 50 },
        }),
      ),
    );
    const one = await client.simulate({ config: { replicas: 2 } });
    expect(one).toMatchObject({ state: "done", provenance: "simulated", workload: { calls: 60, requests: 60 } });
    expect(one.result?.costPerMillionTokensUsd).toMatch(/^\d+\.\d+$/);
    expect(one.result?.hitRate).toBeGreaterThan(0.3);
    // The prompts are shorter than what the step times were fitted on: answered, and flagged.
    expect(one.refused.map(({ reason }) => reason)).toContain("outside_support");
    expect(await client.simulation(one.id)).toEqual(one);
    const twice = await client.simulate({ config: { replicas: 2 }, traffic: 2 });
    expect(twice.result?.tokensPerS).toBeGreaterThan(1.5 * (one.result?.tokensPerS ?? 0));
  });

  it("are refused with the reason, where there is nothing to simulate or no way to serve it", async () => {
    const nothing = await client.simulate({ calls: { model: "nobody's" } });
    expect(nothing).toMatchObject({ state: "refused", result: null, refused: [{ reason: "traffic_too_short" }] });
    const tiny = await client.simulate({ config: { engine: { capacityBlocks: 2 } } });
    expect(tiny).toMatchObject({ state: "refused", refused: [{ reason: "present_unservable" }] });
    await expect(client.simulate({ config: { gpus: 3 } })).rejects.toMatchObject({
      code: "invalid_request",
      field: "gpus",
    });
    await expect(client.simulation("simulation_0")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("advice", () => {
  it("is by how calls look: at a cheaper tier where the key's rules say that nobody waits", async () => {
    const rules = { priority: "batch" as const };
    await control.createKey({ workspace: WORKSPACE, name: "nightly", kind: "gateway", team: null, rules }, "tests");
    const yesterdayNs = BigInt(Date.now() - 86_400_000) * 1_000_000n;
    const callsOf = (key: string) =>
      Array.from({ length: 250 }, (_, at) =>
        makeCall({
          ...{ callId: `${key}-${at}`, atNs: yesterdayNs + BigInt(at) * 1_000_000n, key, provider: "openai" },
          ...{ model: "gpt-5.5", costStatus: "rated" as const, costUsd: parseDecimal("0.5") },
          buckets: { ...EMPTY_BUCKETS, input: 20_000, outputText: 400 + (at % 50) },
        }),
      );
    await warehouse.insertCalls(WORKSPACE, [...callsOf("nightly"), ...callsOf("people")]);
    const { data } = await client.advice();
    const patient = data.filter(({ changes }) => changes[0]?.knob === "serviceTier");
    // Half the price, by the provider's list.
    expect(patient).toMatchObject([{ subject: "nightly", provenance: "derived", savings: { cashUsdMonth: "63.41" } }]);
    expect(["batch", "flex"]).toContain(patient[0]?.changes[0]?.proposed);
  });
});
