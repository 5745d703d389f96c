import { describe, expect, it } from "vitest";
import { apiShapes } from "./api-shapes.ts";
import { readPayload } from "./read-payload.ts";
import { splitCall } from "./split-counts.ts";

describe("the tier that served", () => {
  it.each([
    { usage: { speed: "fast", service_tier: "standard" }, tier: "fast" },
    { usage: { speed: "standard", service_tier: "batch" }, tier: "batch" },
    { usage: { service_tier: "priority" }, tier: "priority" },
  ])("is $tier of Claude's $usage", ({ usage, tier }) => {
    expect(readPayload(apiShapes.messages, { usage: { input_tokens: 1, ...usage } })?.serviceTier).toBe(tier);
  });
});

describe("audio tokens, which have no meter", () => {
  const chat = (audio: { in: number; out: number }) => ({
    usage: {
      prompt_tokens: 20,
      completion_tokens: 10,
      total_tokens: 30,
      prompt_tokens_details: { audio_tokens: audio.in },
      completion_tokens_details: { audio_tokens: audio.out },
    },
  });
  const gemini = (audio: { in: number; out: number }) => ({
    usageMetadata: {
      promptTokenCount: 20,
      candidatesTokenCount: 10,
      totalTokenCount: 30,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 20 - audio.in },
        ...(audio.in > 0 ? [{ modality: "AUDIO", tokenCount: audio.in }] : []),
      ],
      candidatesTokensDetails: audio.out > 0 ? [{ modality: "AUDIO", tokenCount: audio.out }] : [],
    },
  });
  const reasonOf = (shape: typeof apiShapes.chat, answer: unknown) =>
    splitCall(readPayload(shape, answer)?.counts ?? {}, shape).quarantineReason;

  it.each([
    { in: 5, out: 0 },
    { in: 0, out: 5 },
  ])("set a call aside: $in read, $out said", (audio) => {
    expect(reasonOf(apiShapes.chat, chat(audio))).toBe("audio_tokens_unmetered");
    expect(reasonOf(apiShapes.generateContent, gemini(audio))).toBe("audio_tokens_unmetered");
  });

  it("don't where there are none", () => {
    const none = { in: 0, out: 0 };
    expect(reasonOf(apiShapes.chat, chat(none))).toBe("");
    expect(reasonOf(apiShapes.generateContent, gemini(none))).toBe("");
  });
});
