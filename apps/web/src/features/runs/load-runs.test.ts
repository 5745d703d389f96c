import { createApiClient } from "@centspan/api";
import { EMPTY_BUCKETS } from "@centspan/model";
import { expect, it } from "vitest";
import { getCatalogue } from "#i18n";
import { buildHref } from "../page/params.ts";
import { loadRuns } from "./load-runs.ts";

const SPEND = {
  group: "a",
  costUsd: "1",
  calls: 1,
  requests: 1,
  pricedRequests: 1,
  buckets: EMPTY_BUCKETS,
  unpricedCalls: 0,
  quarantinedCalls: 0,
  provenance: "measured",
  byProvenance: { measured: "1" },
};

/** Loads runs from a Trace API that has spend in the last 30 days or has none; what was asked of it comes back too. */
async function load(params: Record<string, string>, hasSpend: boolean) {
  const asked: URL[] = [];
  const api = createApiClient(async (path) => {
    const url = new URL(path, "http://trace-api.internal");
    asked.push(url);
    const rows = url.pathname.endsWith("/cost") && (hasSpend || !url.searchParams.has("from")) ? [SPEND] : [];
    return Response.json({ data: rows, nextCursor: null });
  });
  const runs = await loadRuns({
    api,
    params,
    path: "/runs",
    language: "en",
    t: getCatalogue("en"),
    nowMs: Date.parse("2026-11-29T18:06:24Z"),
    href: buildHref,
    here: (changes) => buildHref("/runs", changes),
    workspaces: [],
    ratedThrough: null,
    person: null,
    may: () => true,
    zone: "UTC",
  });
  const traces = asked.find((url) => url.pathname.endsWith("/traces"));
  const days = asked.find((url) => url.searchParams.get("groupBy") === "day");
  return { runs, traces: traces?.searchParams, days: days?.searchParams };
}

it("lists the rows behind the figures that lead here: the same period when the address says none", async () => {
  const [from, to] = ["2026-10-30T00:00:00.000000000Z", "2026-11-29T00:00:00.000000000Z"];
  const recent = await load({ key: "결제/100% a?b", status: "failed" }, true);
  expect(recent.runs.period).toMatchObject({ id: "30d" });
  expect(Object.fromEntries(recent.traces ?? [])).toMatchObject({ key: "결제/100% a?b", status: "failed", from, to });
  expect(Object.fromEntries(recent.days ?? [])).toEqual({ key: "결제/100% a?b", groupBy: "day", from, to });
  const old = await load({}, false);
  expect(old.runs.period).toMatchObject({ id: "all", fellBack: true });
  expect(old.traces?.has("from")).toBe(false);
});

it("narrows runs, and not the spend of the period, to a session and an attribute", async () => {
  const { runs, traces, days } = await load(
    { task: "T-1", sessionId: "s 1", attribute: "vcs.ref.head.name=a=b" },
    true,
  );
  expect(Object.fromEntries(traces ?? [])).toMatchObject({
    task: "T-1",
    sessionId: "s 1",
    attribute: "vcs.ref.head.name=a=b",
  });
  expect(runs.filter).toEqual({ task: "T-1", sessionId: "s 1", attribute: "vcs.ref.head.name=a=b" });
  expect([...(days?.keys() ?? [])].sort()).toEqual(["from", "groupBy", "task", "to"]);
});
