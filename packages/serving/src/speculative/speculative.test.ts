import { createRandom } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { createStepTimeModel, LLAMA_3_1_8B_H100 } from "../step-time.ts";
import { expectTokens, expectTokensByPosition, findBestLength, findVerifyRatio, speedUp } from "./closed-forms.ts";
import { addVerification, createDraftPlanner, type DraftModel, sampleAccepted } from "./drafting.ts";

const stepTime = createStepTimeModel(LLAMA_3_1_8B_H100);
const small: DraftModel = {
  id: "small",
  parameters: 1e9,
  stepMs: 0.05 * 6.374,
  sequenceMs: 0.002,
  acceptance: Array(13).fill(0.8),
};
const tiny: DraftModel = { id: "tiny", parameters: 1e8, stepMs: 0.1, sequenceMs: 0.001, acceptance: [0.5, 0.4, 0.3] };
const loadOf = (sequences: number, contextTokens = 1_000) => ({
  decodeSequences: sequences,
  decodeContextTokens: sequences * contextTokens,
  prefillTokens: 0,
  prefillAttentionPairs: 0,
});

describe("closed forms", () => {
  it("equal the published figures", () => {
    expect(expectTokens(0.8, 4)).toBeCloseTo(3.3616, 9);
    expect(expectTokensByPosition([0.7, 0.5, 0.2])).toBeCloseTo(2.12, 9);
    expect(expectTokens(1, 4)).toBe(5);
    expect(expectTokens(0, 4)).toBe(1);
  });

  it.each([0, 0.3, 0.6, 0.95, 1])("of one rate (%d) are those by position with that rate everywhere", (rate) => {
    for (let length = 0; length < 9; length++) {
      expect(expectTokensByPosition(Array(length).fill(rate))).toBeCloseTo(expectTokens(rate, length), 9);
    }
  });

  it.each([
    [0.6, 4],
    [0.7, 6],
    [0.8, 8],
    [0.9, 13],
  ])("find the best length at rate %d and cost 0.05: %d", (rate, length) => {
    const worthOf = (draftTokens: number) =>
      speedUp(expectTokens(rate, draftTokens), { draftTokens, draftRatio: 0.05 });
    expect(findBestLength(30, worthOf)).toBe(length);
  });

  it("say that drafts stop paying where the batch makes verification dear", () => {
    const stepMs = (tokens: number): number => Math.max(8, 0.05 * tokens);
    const bestAt = (batch: number): number =>
      findBestLength(20, (draftTokens) => {
        const verifyRatio = findVerifyRatio(stepMs, batch, draftTokens);
        return speedUp(expectTokens(0.6, draftTokens), { draftTokens, draftRatio: 0.05, verifyRatio });
      });
    expect(bestAt(1)).toBe(4);
    expect(bestAt(1_000)).toBe(0);
  });
});

describe("drafting", () => {
  it("proposes less the fuller a batch of short contexts is, and nothing in the end", () => {
    const plan = createDraftPlanner({ drafts: [small, tiny], draftTokens: "auto" });
    const batches = [1, 16, 64, 256, 1_024, 4_096];
    const short = batches.map((sequences) => plan(loadOf(sequences, 50), stepTime).draftTokens);
    expect(short).toEqual([...short].sort((a, b) => b - a));
    expect(short[0]).toBeGreaterThan(4);
    expect(short.at(-1)).toBe(0);
    // Where long contexts must be read anyway, verifying stays cheap beside them.
    expect(plan(loadOf(4_096, 8_000), stepTime).draftTokens).toBeGreaterThan(4);
  });

  it("takes the best of all drafts and lengths, as trying each does", () => {
    for (const sequences of [1, 4, 32, 128]) {
      const load = loadOf(sequences);
      const worthOf = (draft: DraftModel, length: number): number => {
        const drafting = length * (draft.stepMs + draft.sequenceMs * sequences);
        const expected = expectTokensByPosition(draft.acceptance.slice(0, length));
        return expected / (stepTime(addVerification(load, length * sequences)) + drafting);
      };
      const all = [small, tiny].flatMap((draft) =>
        Array.from({ length: draft.acceptance.length + 1 }, (_, length) => worthOf(draft, length)),
      );
      const chosen = createDraftPlanner({ drafts: [small, tiny], draftTokens: "auto" })(load, stepTime);
      expect(worthOf(chosen.draft ?? small, chosen.draftTokens)).toBeCloseTo(Math.max(...all), 12);
    }
  });

  it("proposes as many as it is told to, whatever that costs", () => {
    const plan = createDraftPlanner({ drafts: [tiny], draftTokens: 3 })(loadOf(10_000), stepTime);
    expect(plan).toEqual({ draft: tiny, draftTokens: 3 });
    expect(createDraftPlanner({ drafts: [tiny], draftTokens: 0 })(loadOf(1), stepTime).draft).toBeNull();
  });

  it("keeps as many tokens as the closed form expects", () => {
    const random = createRandom(7);
    const draft: DraftModel = { ...tiny, acceptance: [0.7, 0.5, 0.2] };
    const tries = 200_000;
    let tokens = 0;
    for (let n = 0; n < tries; n++) tokens += 1 + sampleAccepted(draft, 3, random);
    // Five standard errors: the tokens of a step vary by less than one.
    expect(Math.abs(tokens / tries - 2.12)).toBeLessThan(5 / Math.sqrt(tries));
  });

  it("refuses settings that mean nothing, naming the field", () => {
    expect(() => createDraftPlanner({ drafts: [], draftTokens: 1 })).toThrow(/without a draft model/);
    expect(() => createDraftPlanner({ drafts: [tiny], draftTokens: 4 })).toThrow(/tiny has acceptances for 3/);
    const odd = { ...tiny, acceptance: [1.2] };
    expect(() => createDraftPlanner({ drafts: [odd], draftTokens: 1 })).toThrow(/no probability/);
  });
});
