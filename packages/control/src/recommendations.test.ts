import {
  RECOMMENDATION_STATES,
  RECOMMENDATION_STEPS,
  type RecommendationInput,
  type RecommendationState,
  type RecommendationStep,
  recommendationInputSchema,
  type TakenStep,
} from "@centspan/model";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, openControl } from "./index.ts";
import { createDatabase } from "./testing/create-database.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let control: Control;

beforeAll(async () => {
  database = await createDatabase();
  control = openControl({ url: database.url });
  await control.migrate();
  for (const id of ["prod", "lab"]) await control.ensureWorkspace("acme", { id, name: id });
});

afterAll(async () => {
  await control.close();
  await database.drop();
});

const input: RecommendationInput = recommendationInputSchema.parse({
  kind: "serving",
  subject: "pool gpu-a",
  title: "Evict ended runs first",
  changes: [{ knob: "policy", now: "fifo", proposed: "lru-leaf", effect: null }],
  effect: { share: -0.08, low: -0.1, high: -0.06, level: 0.8 },
  metric: "gpu_seconds_per_token",
  savings: { capacityUsdMonth: "1420.5", cashUsdMonth: "0" },
  provenance: "simulated",
  evidence: { chosenOn: "a week", judgedOn: "the next", traceIds: [], verdict: { series: [-0.1] } },
  risks: ["slower tokens"],
  apply: [],
});

const realised = (share: number) => ({
  effect: { share, low: share - 0.01, high: share + 0.01, level: 0.8 },
  requests: 100,
  from: "2026-11-01T00:00:00Z",
  to: "2026-11-02T00:00:00Z",
});

const toStep = (step: RecommendationStep): TakenStep => {
  const said = { by: "Ada", note: "", actor: "key (k)" };
  return step === "verified" ? { step, ...said, realised: realised(-0.07) } : { step, ...said };
};

const propose = () => control.proposeRecommendation("prod", input, "optimizer (k1)");

describe("a recommendation", () => {
  it("goes from proposed to verified, each step with who took it, in the audit log too", async () => {
    const { id, state } = await propose();
    expect(state).toBe("proposed");
    for (const step of ["accept", "applied", "verified"] as const)
      await control.stepRecommendation("prod", id, { ...toStep(step), note: `note of ${step}` });
    const read = await control.readRecommendation("prod", id);
    expect(read).toMatchObject({ ...input, id, state: "verified", proposedBy: "optimizer (k1)" });
    expect(read.steps.map(({ step, by, actor, note }) => [step, by, actor, note])).toEqual(
      ["accept", "applied", "verified"].map((step) => [step, "Ada", "key (k)", `note of ${step}`]),
    );
    expect(read.realised).toMatchObject({ isWithinInterval: true, requests: 100 });
    const audit = await control.listAudit("prod", 10);
    const actions = audit.filter(({ subject }) => subject === id).map(({ action }) => action);
    expect(actions).toEqual(["verified", "applied", "accepted", "proposed"].map((name) => `recommendation.${name}`));
    expect(audit.find(({ action }) => action === "recommendation.accepted")?.details).toMatchObject({ by: "Ada" });
  });

  it("is applied only where it was accepted, whatever steps are tried in whatever order", async () => {
    /** The slow obvious way. */
    const next = (state: RecommendationState, step: RecommendationStep): RecommendationState | null => {
      const table: Record<string, RecommendationState> = {
        "proposed accept": "accepted",
        "proposed reject": "rejected",
        "proposed withdraw": "withdrawn",
        "accepted applied": "applied",
        "accepted withdraw": "withdrawn",
        "applied verified": "verified",
      };
      return table[`${state} ${step}`] ?? null;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...RECOMMENDATION_STEPS), { maxLength: 8 }), async (steps) => {
        const { id } = await propose();
        let state: RecommendationState = "proposed";
        const taken: RecommendationStep[] = [];
        for (const step of steps) {
          const to = next(state, step);
          const tried = control.stepRecommendation("prod", id, toStep(step));
          if (to === null) await expect(tried).rejects.toMatchObject({ code: "conflict" });
          else {
            expect((await tried).state).toBe(to);
            taken.push(step);
            state = to;
          }
        }
        const read = await control.readRecommendation("prod", id);
        expect(read.steps.map(({ step }) => step)).toEqual(taken);
        if (taken.includes("applied")) expect(taken.indexOf("accept")).toBeLessThan(taken.indexOf("applied"));
      }),
      { numRuns: 15 },
    );
  });

  it("is accepted once where two do it at the same time", async () => {
    const { id } = await propose();
    const tries = await Promise.allSettled(
      ["Ada", "Grace"].map((by) => control.stepRecommendation("prod", id, { ...toStep("accept"), by })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await control.readRecommendation("prod", id)).steps).toHaveLength(1);
  });

  it("says where what came is outside of what was said, and nothing where nothing was", async () => {
    for (const [effect, share, expected] of [
      [input.effect, -0.02, false],
      [null, -0.02, null],
    ] as const) {
      const { id } = await control.proposeRecommendation("prod", { ...input, effect }, "k");
      await control.stepRecommendation("prod", id, toStep("accept"));
      await control.stepRecommendation("prod", id, toStep("applied"));
      const { realised: came } = await control.stepRecommendation("prod", id, {
        ...toStep("accept"),
        step: "verified",
        realised: realised(share),
      });
      expect(came?.isWithinInterval).toBe(expected);
    }
  });

  it("is of its workspace, newest first, and found by where it stands", async () => {
    const first = await control.proposeRecommendation("lab", input, "k");
    const second = await control.proposeRecommendation("lab", input, "k");
    await control.stepRecommendation("lab", first.id, toStep("reject"));
    expect((await control.listRecommendations("lab", null, 10)).map(({ id }) => id)).toEqual([second.id, first.id]);
    for (const state of RECOMMENDATION_STATES) {
      const expected = state === "proposed" ? [second.id] : state === "rejected" ? [first.id] : [];
      expect((await control.listRecommendations("lab", state, 10)).map(({ id }) => id)).toEqual(expected);
    }
    await expect(control.readRecommendation("prod", first.id)).rejects.toMatchObject({ code: "not_found" });
    await expect(control.stepRecommendation("prod", second.id, toStep("accept"))).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(control.proposeRecommendation("nowhere", input, "k")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a simulation", () => {
  it("is kept as it was, in its workspace", async () => {
    const simulation = {
      state: "refused" as const,
      config: { replicas: 2 },
      workload: { requests: 0 },
      result: null,
      calibration: null,
      refused: [{ reason: "traffic_too_short", message: "none", collect: "more" }],
      provenance: "simulated" as const,
    };
    const { id, createdAt } = await control.insertSimulation("prod", simulation);
    expect(await control.readSimulation("prod", id)).toEqual({ ...simulation, id, createdAt });
    await expect(control.readSimulation("lab", id)).rejects.toMatchObject({ code: "not_found" });
  });
});
