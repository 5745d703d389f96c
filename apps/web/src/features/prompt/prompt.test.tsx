import type { PromptComparison } from "@centspan/model";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { getCatalogue, type Language } from "#i18n";
import type { Page } from "../page/page.ts";
import { buildHref } from "../page/params.ts";
import { PromptView } from "./prompt-view.tsx";

const buckets = {
  input: 900,
  cacheRead: 100,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  outputText: 5,
  outputReasoning: 6,
  webSearches: 0,
};
const call = (spanId: string): PromptComparison["call"] => ({
  ...{ traceId: "a".repeat(32), spanId, at: "2026-11-29T18:00:00.000000000Z", model: "m", buckets },
  ...{ costUsd: "0.0125", provenance: "measured" },
});
const BROKEN: PromptComparison = {
  ...{ call: call("c".repeat(16)), before: call("b".repeat(16)), kept: false, section: "system", path: "instructions" },
  ...{ change: "clock", reasons: ["system_changed"], sharedPieces: 0, knownTokens: 900, repeatedTokens: 800 },
  ...{ idleSeconds: 1, costUsd: "0.004", seconds: 0 },
  causes: [
    {
      cause: "prefix_system",
      title: "Prefix broken",
      costUsd: "0.004",
      seconds: 0,
      provenance: "derived",
      confidence: "certain",
    },
  ],
  text: { state: "shown", path: "system[0].content", common: "It is 18:0", before: "6 now.", after: "7 <now>." },
};
const wordsOf = () => ({ title: "Prefix broken", describe: "…", remedy: "Take the clock out." });

function render(comparison: PromptComparison, language: Language = "en"): string {
  const href: Page["href"] = (path, changes = {}) => buildHref(path, changes);
  const page = { t: getCatalogue(language), href };
  return renderToStaticMarkup(<PromptView page={page} comparison={comparison} wordsOf={wordsOf} />);
}

describe("a prompt against the one before", () => {
  it("says where it broke, what that cost, what stands there and what ends it", () => {
    const markup = render(BROKEN);
    for (const said of [
      "did not stay",
      "$0.0040 paid again",
      "instructions",
      "a time of day or date changed",
      "Take the clock out.",
    ])
      expect(markup).toContain(said);
    expect(markup).toContain("…It is 18:0</span><mark");
    expect(markup).toContain("7 &lt;now&gt;.</mark>");
    expect(markup).toContain(`/runs/${"a".repeat(32)}?span=${"b".repeat(16)}`);
  });

  it.each(["hidden", "not_recorded", "truncated", "same"] as const)("says why there is no text: %s", (state) => {
    const text = { state, path: "", common: "", before: "", after: "" };
    for (const language of ["en", "ko"] as const) {
      const markup = render({ ...BROKEN, text }, language);
      expect(markup).toContain(getCatalogue(language).promptTextState[state]);
      expect(markup).not.toContain("<mark");
    }
  });

  it("has nothing to say of waste where none was", () => {
    const quiet = { ...BROKEN, kept: true, section: "", repeatedTokens: 0, costUsd: "0", causes: [], before: null };
    const markup = render(quiet);
    expect(markup).toContain("The prompt before stayed");
    for (const said of ["paid again", "Remedy", "instructions"]) expect(markup).not.toContain(said);
  });
});
