import { wasteCauses } from "@centspan/attribution";
import type { WasteAnswer, WasteItemRow, WasteRow } from "@centspan/model";
import { prepareWaste } from "@centspan/ui";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { getCatalogue, koCauses } from "#i18n";
import type { Page } from "../page/page.ts";
import { buildHref } from "../page/params.ts";
import { rangeBefore } from "../page/period.ts";
import { CascadePanel } from "./cascade-panel.tsx";
import { describePlace, describeTokens, listEvidence } from "./describe-evidence.ts";
import { describeLoss, Evidence } from "./evidence.tsx";
import type { WastePage } from "./load-waste.ts";

const t = getCatalogue("en");
const words = { title: "Prefix broken", describe: "…", remedy: "Take the clock out." };

const row = (group: string, costUsd: string, rest: Partial<WasteRow> = {}): WasteRow => ({
  ...{ group, costUsd, layer: "harness", kind: "repeated", seconds: 0, calls: 3, runs: 2, provenance: "derived" },
  topEvidence: { traceId: "a".repeat(32), spanId: "b".repeat(16) },
  ...rest,
});
const answer: WasteAnswer = {
  data: [row("prefix_system", "20"), row("serial_tools", "0", { seconds: 4, topEvidence: null })],
  total: { spendUsd: "100", usefulUsd: "80", wasteUsd: "20", failedUsd: "0", notAnalysedUsd: "0", seconds: 4 },
  nextCursor: null,
};

describe("the cascade", () => {
  const page: Pick<Page, "t" | "href"> = { t, href: (path, changes = {}) => buildHref(path, changes) };
  const shown: Pick<WastePage, "waste" | "filter" | "wordsOf"> = {
    waste: prepareWaste(answer, null),
    filter: { team: "search" },
    wordsOf: (cause) => ({ ...words, title: cause }),
  };
  const markup = renderToStaticMarkup(<CascadePanel page={page} shown={shown} />);

  it("is a real table: a heading for each row, and as many cells in each as there are columns", () => {
    const rows = markup.match(/<tr.*?<\/tr>/g) ?? [];
    expect(rows.map((tr) => tr.match(/<t[hd]/g)?.length)).toEqual(Array.from({ length: 6 }, () => 8));
    expect(rows.slice(1).every((tr) => /scope="row(group)?"/.test(tr))).toBe(true);
  });

  it("leads from a cause to its page, with the filter, and to the call that proves it", () => {
    expect(markup).toContain('href="/waste/prefix_system?team=search"');
    expect(markup).toContain(`href="/runs/${"a".repeat(32)}?span=${"b".repeat(16)}"`);
    expect(markup).toContain('aria-label="Proof: prefix_system"');
  });

  it("says of a cause that costs only time that it does", () => {
    expect(markup).toContain("time only");
    expect(markup).toContain("4.0 s");
  });
});

describe("evidence", () => {
  const item: WasteItemRow = {
    ...{
      itemId: "i",
      cause: "prefix_system",
      layer: "harness",
      kind: "repeated",
      traceId: "t",
      spanId: "s",
      callId: "c",
    },
    ...{
      at: "2026-11-30T12:00:00Z",
      key: "k",
      team: "search",
      task: "a",
      model: "m",
      costUsd: "0.036864",
      seconds: 1.2,
    },
    ...{ confidence: "certain", remedy: "", provenance: "simulated" },
    evidence: {
      ...{
        section: "system",
        path: "$.input[0].content",
        change: "clock",
        knownTokens: 41_088,
        repeatedTokens: 40_960,
      },
      reasons: ["system_changed", "model_changed", "seed_changed"],
    },
  };

  it("names section, change and place, a name without words by itself, and no reason twice", () => {
    expect(describePlace(item.evidence, t)).toBe("system text · a time of day or date changed · $.input[0].content");
    expect(describePlace({ section: "extras", change: "swapped" }, t)).toBe("extras · swapped");
    expect(listEvidence(item.evidence, t)).toEqual([["Also different", "another model, seed_changed"]]);
    expect(listEvidence({ from: "a", to: "b", idleSeconds: 400 }, t).map(([, said]) => said)).toEqual([
      "a → b",
      "6 min 40 s",
    ]);
  });

  it("says what was lost: money, time, or both", () => {
    expect(describeLoss(item)).toBe("$0.0369 · 1.2 s");
    expect(describeLoss({ costUsd: "0", seconds: 2 })).toBe("2.0 s");
    expect(describeTokens(item.evidence, t)).toContain("Of 41,088 tokens");
    expect(describeTokens({}, t)).toBe("");
  });

  it("says the bar in words, and draws none where nothing is known of tokens", () => {
    expect(renderToStaticMarkup(<Evidence item={item} words={words} t={t} />)).toContain(
      'aria-label="Of 41,088 tokens that the prompt had before, 40,960 were paid for again."',
    );
    const bare = renderToStaticMarkup(<Evidence item={{ ...item, evidence: {} }} words={words} t={t} />);
    expect(bare).not.toContain('role="img" aria-label="Of');
  });
});

it("has Korean words for every cause there is, and for no other", () => {
  expect(Object.keys(koCauses).sort()).toEqual(wasteCauses.map(({ id }) => id).sort());
});

it("compares a period with as long a one before it; all time has none", () => {
  const nowMs = Date.parse("2026-11-30T00:00:00Z");
  expect(rangeBefore({}, nowMs)).toBeNull();
  expect(rangeBefore({ from: "2026-11-23T00:00:00.000Z" }, nowMs)).toEqual({
    ...{ from: "2026-11-16T00:00:00.000Z", to: "2026-11-23T00:00:00.000Z" },
  });
  expect(rangeBefore({ from: "2026-11-01", to: "2026-11-11" }, nowMs)?.from).toBe("2026-10-22T00:00:00.000Z");
});
