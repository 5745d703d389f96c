import {
  type RecommendationInput,
  recommendationInputSchema,
  type StudyResult,
  studyInputSchema,
} from "@centspan/model";
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

const recommend = (given: Partial<RecommendationInput> = {}): RecommendationInput =>
  recommendationInputSchema.parse({
    kind: "serving",
    subject: "pool gpu-a",
    title: "A larger batch",
    changes: [{ knob: "maxSequences", now: 4, proposed: 64, effect: null }],
    effect: { share: -0.08, low: -0.1, high: -0.06, level: 0.8 },
    metric: "gpu_seconds_per_token",
    savings: { capacityUsdMonth: "1420.5", cashUsdMonth: "0" },
    provenance: "simulated",
    evidence: { chosenOn: "a week", judgedOn: "the next", traceIds: ["a".repeat(32)], verdict: null },
    risks: [],
    apply: [],
    ...given,
  });
const RESULT: StudyResult = { recommendations: [recommend()], refused: [], details: {} };
const asked = studyInputSchema.parse({ kind: "spend" });
const ask = () => control.insertStudy("prod", asked, "agent (k1)");
const SILENCE_MS = 60_000;

describe("a study", () => {
  it("is worked on by one, oldest first, and its end is theirs to say", async () => {
    const [first, second] = [await ask(), await ask()];
    const claimed = await Promise.all([control.claimStudy("a", SILENCE_MS), control.claimStudy("b", SILENCE_MS)]);
    expect(claimed.map((one) => one?.id).sort()).toEqual([first.id, second.id].sort());
    expect(await control.claimStudy("c", SILENCE_MS)).toBeNull();
    const worker = claimed[0]?.id === first.id ? "a" : "b";
    const other = worker === "a" ? "b" : "a";
    expect(await control.reportStudy(worker, first.id, "half of it")).toBe(true);
    expect(await control.reportStudy(other, first.id, "mine")).toBe(false);
    expect(await control.readStudy("prod", first.id)).toMatchObject({ state: "running", progress: "half of it" });
    await control.endStudy(other, first.id, { state: "failed", progress: "", result: null });
    await control.endStudy(worker, first.id, { state: "done", progress: "found", result: RESULT });
    expect(await control.readStudy("prod", first.id)).toMatchObject({ state: "done", result: RESULT });
    await control.endStudy(other, second.id, { state: "refused", progress: "", result: null });
    expect((await control.listStudies("prod", 9)).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await control.listStudies("lab", 9)).toEqual([]);
    await expect(control.readStudy("lab", first.id)).rejects.toMatchObject({ code: "not_found" });
  });

  it("of a worker that fell silent goes to the next, three times, and then fails", async () => {
    const { id } = await ask();
    for (const worker of ["a", "b", "c"]) expect((await control.claimStudy(worker, 0))?.id).toBe(id);
    expect(await control.reportStudy("a", id, "still here")).toBe(false);
    expect(await control.claimStudy("d", 0)).toBeNull();
    expect(await control.readStudy("prod", id)).toMatchObject({
      state: "failed",
      progress: "3 workers were lost over it",
    });
  });

  it("is given up at once where it waits, and where it runs as soon as its worker hears of it", async () => {
    const waiting = await ask();
    expect((await control.cancelStudy("prod", waiting.id, "Ada (k)")).state).toBe("cancelled");
    await expect(control.cancelStudy("prod", waiting.id, "Ada (k)")).rejects.toMatchObject({ code: "conflict" });
    const running = await ask();
    await control.claimStudy("a", SILENCE_MS);
    expect((await control.cancelStudy("prod", running.id, "Ada (k)")).state).toBe("running");
    expect(await control.reportStudy("a", running.id, "")).toBe(false);
    await control.endStudy("a", running.id, { state: "cancelled", progress: "", result: null });
    expect((await control.readStudy("prod", running.id)).state).toBe("cancelled");
  });

  it("is filed once, with why and the runs that show it, and not before it recommends something", async () => {
    const { id } = await ask();
    const filing = { at: 0, because: "it was dear", traceIds: ["b".repeat(32)], actor: "agent (k1)" };
    await expect(control.fileStudy("prod", id, filing)).rejects.toMatchObject({ code: "conflict", field: "at" });
    await control.claimStudy("a", SILENCE_MS);
    await control.endStudy("a", id, { state: "done", progress: "", result: RESULT });
    const filed = await control.fileStudy("prod", id, filing);
    expect(await control.fileStudy("prod", id, filing)).toBe(filed);
    const { evidence, state } = await control.readRecommendation("prod", filed);
    expect(state).toBe("proposed");
    expect(evidence).toMatchObject({ because: "it was dear", traceIds: ["a".repeat(32), "b".repeat(32)] });
    expect((await control.readStudy("prod", id)).filed).toEqual({ 0: filed });
    await expect(control.fileStudy("prod", id, { ...filing, at: 1 })).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("an acceptance policy", () => {
  const propose = (given: Partial<RecommendationInput> = {}) =>
    control.proposeRecommendation("lab", recommend(given), "agent (k1)");

  it("is off by default, and accepts only what it names, of what is filed while it stands", async () => {
    const before = await propose();
    expect(before.state).toBe("proposed");
    await control.setAcceptancePolicy(
      "lab",
      { name: "nights", knobs: ["maxSequences"], subjects: ["pool gpu-a"] },
      "Ada (k)",
    );
    const accepted = await propose();
    expect(accepted).toMatchObject({
      state: "accepted",
      steps: [{ step: "accept", by: "policy nights", actor: "agent (k1)" }],
    });
    expect((await control.readRecommendation("lab", before.id)).state).toBe("proposed");
    const otherKnob = { knob: "policy", now: "fifo", proposed: "arc", effect: null };
    const refused: Partial<RecommendationInput>[] = [
      { changes: [...recommend().changes, otherKnob] },
      { subject: "pool gpu-b" },
      { effect: null },
      { effect: { share: -0.01, low: -0.1, high: 0.08, level: 0.8 } },
    ];
    for (const given of refused) expect((await propose(given)).state, JSON.stringify(given)).toBe("proposed");
    expect((await control.proposeRecommendation("prod", recommend(), "agent (k1)")).state).toBe("proposed");
    await control.deleteAcceptancePolicy("lab", "nights", "Ada (k)");
    expect((await propose()).state).toBe("proposed");
    await expect(control.deleteAcceptancePolicy("lab", "nights", "Ada (k)")).rejects.toMatchObject({
      code: "not_found",
    });
    const actions = (await control.listAudit("lab", 50)).map(({ action, details }) => `${action} ${details.by ?? ""}`);
    expect(actions).toEqual(
      expect.arrayContaining([
        "acceptance_policy.set ",
        "acceptance_policy.deleted ",
        "recommendation.accepted policy nights",
      ]),
    );
  });
});
