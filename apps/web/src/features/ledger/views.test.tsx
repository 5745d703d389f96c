import type { OutcomeTable as Table } from "@centspan/ui";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { getCatalogue } from "#i18n";
import { buildHref, type Changes } from "../page/params.ts";
import { describeApiCall, describeConnections } from "../sources/connections.ts";
import { KeyFigures, SimulatedNote, UnpricedNote } from "./key-figures.tsx";
import { OutcomeTable, openGroup } from "./outcome-table.tsx";

const t = getCatalogue("en");
const page = { t, href: (path: string, changes: Changes = {}) => buildHref(path, changes) };

const row: Table["total"] = {
  group: "payments",
  spend: "$10.00",
  passed: 5,
  tasks: 8,
  failed: 3,
  pending: 0,
  unknown: 0,
  passRate: "62.5%",
  perPass: { kind: "point", amount: "$2.00", interval: "1.50–3.00" },
  whisker: { kind: "point", pointPct: 20, lowPct: 15, highPct: 30, beyond: false },
  failedSpend: "$2.50",
  failedShare: "25.0%",
  coverage: "97.2%",
  provenance: "simulated",
  calls: 40,
  unpricedCalls: 0,
  quarantinedCalls: 0,
};
const noPass: Table["total"] = {
  ...row,
  group: "",
  passed: 0,
  perPass: { kind: "at_least", amount: "$857", tasks: 14 },
  whisker: { kind: "bound", lowPct: 40, beyond: false },
  calls: null,
};
const axis = {
  max: 10,
  ticks: [
    { leftPct: 0, label: "$0" },
    { leftPct: 100, label: "$10" },
  ],
};

const countOf = (markup: string, pattern: RegExp): number => markup.match(pattern)?.length ?? 0;

describe("outcome table", () => {
  const markup = renderToStaticMarkup(
    <OutcomeTable page={page} table={{ rows: [row, noPass], total: row, axis }} grouping="team" filter={{}} />,
  );

  it("is a real table: as many cells in each row as headers", () => {
    const headers = countOf(markup, /<th /g);
    expect(countOf(markup, /<td/g)).toBe(headers * 3);
    expect(countOf(markup, /scope="col"/g)).toBe(headers);
  });

  it("opens a name one level down, and says when there is none", () => {
    expect(markup).toContain('href="/outcomes?groupBy=key&amp;team=payments"');
    expect(markup).toContain("not known");
  });

  it("says a bound as a bound, and an interval to those who don't see it", () => {
    expect(markup).toContain("at least $857");
    expect(markup).toContain('aria-label="$2.00, 95% interval 1.50–3.00"');
    expect(markup).toContain('aria-label="simulated"');
  });
});

describe("where names lead", () => {
  it("is one level down, keeping the filters; nowhere without a name", () => {
    expect(openGroup(page, "key", "ci/shared", {})).toBe("/keys/ci%2Fshared");
    expect(openGroup(page, "model", "m", { team: "a" })).toBe("/outcomes?groupBy=task&model=m&team=a");
    expect(openGroup(page, "task", "t", { key: "k" })).toBe("/runs?key=k&task=t");
    expect(openGroup(page, "taskType", "bug", { team: "a" })).toBe("/outcomes?groupBy=task&taskType=bug&team=a");
    expect(openGroup(page, "repository", "acme/a", {})).toBe("/outcomes?groupBy=task&repository=acme%2Fa");
    expect(openGroup(page, "team", "", {})).toBeNull();
  });
});

describe("key figures", () => {
  const figures = {
    spend: "$1.17",
    provenance: "simulated" as const,
    parts: [],
    calls: 436,
    unpricedCalls: 2,
    quarantinedCalls: 1,
    perPass: { kind: "at_least" as const, amount: "$0.0378", tasks: 14 },
    pendingBounds: null,
    passed: 0,
    tasks: 14,
    failed: 13,
    pending: 1,
    unknown: 0,
    passRate: "0.0%",
    failedSpend: "$0.15",
    failedShare: "13.3%",
    coverage: null,
    simulatedShare: "100.0%",
  };
  const markup = renderToStaticMarkup(<KeyFigures figures={figures} page={page} filter={{ team: "a" }} />);

  it("carry the filter to the rows behind them", () => {
    expect(markup).toContain('href="/outcomes?groupBy=task&amp;team=a"');
  });

  it("say what is missing instead of a number, and leave out counts of none", () => {
    expect(markup).toContain("at least $0.0378");
    expect(markup).toContain("no pass yet in 14 tasks");
    expect(markup).toContain("13 failed · 1 pending");
    expect(markup).not.toContain("unknown");
  });

  it("tell what is simulated and what is not counted, and nothing when there is nothing to tell", () => {
    expect(renderToStaticMarkup(<SimulatedNote share="100.0%" t={t} />)).toContain("All of this spend is simulated");
    expect(renderToStaticMarkup(<SimulatedNote share={null} t={t} />)).toBe("");
    expect(renderToStaticMarkup(<UnpricedNote figures={figures} t={t} />)).toContain("2 calls without a price");
    expect(
      renderToStaticMarkup(<UnpricedNote figures={{ ...figures, unpricedCalls: 0, quarantinedCalls: 0 }} t={t} />),
    ).toBe("");
  });
});

describe("connections", () => {
  it("carry this installation's addresses, and defaults without them", () => {
    expect(describeApiCall("https://costs.example.com")).toContain('"https://costs.example.com/api/v1/');
    const own = describeConnections({ CENTSPAN_GATEWAY_URL: "https://gateway.example.com" });
    expect(own.codex).toContain('base_url = "https://gateway.example.com/v1"');
    expect(own.otel).toContain("http://127.0.0.1:4318");
    expect(() => describeConnections({ CENTSPAN_OTLP_URL: "here" })).toThrow(/CENTSPAN_OTLP_URL/);
  });
});
