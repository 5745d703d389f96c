import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallRow, CostRow, OutcomeCostRow, TraceRow } from "@centspan/model";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { getApi, getOk, listAll } from "../stack/api.ts";
import { runProcess } from "../stack/processes.ts";

const shared = process.env.CENTSPAN_SHARED;
const folder = join(shared ?? "", "data/trajectories/mini-swe-agent-gemini-3-pro");
if (shared === undefined) console.log("left out without CENTSPAN_SHARED: import of the recorded SWE-bench runs");

const centspan = (...args: string[]) => runProcess(["apps/cli/dist/main.js", ...args, "--data", inject("dataDir")]);

describe.skipIf(shared === undefined)("500 recorded runs (needs CENTSPAN_SHARED)", () => {
  let printed = "";
  beforeAll(async () => {
    const { code, output } = await centspan("import", "swebench-stats", join(folder, "stats_all_500.json"));
    expect(output).toContain("Workspace swebench");
    expect(code).toBe(0);
    printed = output;
  });

  it("agree with the published totals exactly", async () => {
    const { data } = await getOk<{ data: CostRow[] }>("/cost?groupBy=model&workspace=swebench");
    expect(data).toHaveLength(1);
    const row = data[0];
    const prompt = (row?.buckets.input ?? 0) + (row?.buckets.cacheRead ?? 0);
    expect({
      prompt,
      cached: row?.buckets.cacheRead,
      completion: row?.buckets.outputText,
      calls: row?.requests,
    }).toEqual({
      prompt: 333_047_929,
      cached: 279_065_308,
      completion: 5_556_752,
      calls: 20_163,
    });
    expect(row?.costUsd).toBe("230.4593276");
  });

  it("cost 0.6211841714 USD per resolved task, a third of it on runs that failed", async () => {
    const { total } = await getOk<{ total: OutcomeCostRow }>("/outcomes/cost?groupBy=model&workspace=swebench");
    expect(total).toMatchObject({
      tasks: 500,
      passed: 371,
      failed: 129,
      pending: 0,
      spendUsd: "230.4593276",
      costPerPassUsd: "0.6211841714",
      coverage: "1",
    });
    expect(Number(total.interval?.lowUsd)).toBeCloseTo(0.567, 2);
    expect(Number(total.interval?.highUsd)).toBeCloseTo(0.68, 2);
    expect((Number(total.failedSpendUsd) / Number(total.spendUsd)) * 100).toBeCloseTo(33.84, 2);
  });

  it("are printed with their interval by the CLI, and again by `cost`", async () => {
    expect(printed).toMatch(/371 \/ 500/);
    expect(printed).toMatch(/0\.6211841714\s+0\.56\d+ to 0\.6[78]\d+/);
    const { output } = await centspan("cost", "--by", "model", "--workspace", "swebench");
    expect(output).toMatch(/0\.6211841714\s+0\.56\d+ to 0\.6[78]\d+/);
  });

  it("change nothing when imported again", async () => {
    const { code } = await centspan("import", "swebench-stats", join(folder, "stats_all_500.json"));
    expect(code).toBe(0);
    const { total } = await getOk<{ total: OutcomeCostRow }>("/outcomes/cost?groupBy=model&workspace=swebench");
    expect(total.spendUsd).toBe("230.4593276");
    expect(await listAll<CallRow>("/calls?workspace=swebench", 1000)).toHaveLength(500);
  });

  it("bring in six whole trajectories with the outcome of each", async () => {
    const ids = [
      "django__django-10999",
      "django__django-11163",
      "django__django-16255",
      "django__django-16667",
      "sympy__sympy-20438",
      "sympy__sympy-20590",
    ];
    const { code, output } = await centspan(
      "import",
      "trajectory",
      ...ids.map((id) => join(folder, `${id}.traj.json`)),
    );
    expect(output).toContain("Workspace trajectories");
    expect(code).toBe(0);
    const runs = await listAll<TraceRow>("/traces?workspace=trajectories");
    const passed = ["django__django-11163", "django__django-16255", "sympy__sympy-20590"];
    expect(Object.fromEntries(runs.map((run) => [run.task, run.outcome]))).toEqual(
      Object.fromEntries(ids.map((id) => [id, passed.includes(id) ? "passed" : "failed"])),
    );
    const calls = await listAll<CallRow>("/calls?workspace=trajectories", 1000);
    expect(calls.every((call) => call.costStatus === "rated" && call.provenance === "measured")).toBe(true);
    // The provider's own figures, kept beside ours, agree call by call.
    const off = calls.filter((call) => Math.abs(Number(call.costUsd) - Number(call.providedCostUsd)) > 1e-9);
    expect(off).toEqual([]);
  });

  it("stay out of other workspaces", async () => {
    const { total } = await getOk<{ total: OutcomeCostRow }>("/outcomes/cost?groupBy=team");
    expect(total.simulatedShare).toBe("1");
  });
});

describe("an import of a broken file", () => {
  const dir = mkdtempSync(join(tmpdir(), "centspan-import-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const record = {
    instance_id: "a__b-1",
    resolved: true,
    calls: 1,
    prompt_tokens: 10,
    cached_tokens: 0,
    completion_tokens: 1,
  };

  it.each([
    ["syntax", "[\n{},\n{]\n", /syntax\.json:3:\d+/],
    [
      "shape",
      JSON.stringify([record, { ...record, instance_id: "a__b-2", calls: -1 }], null, 1),
      /shape\.json:13:\d+: \[1\]\.calls/,
    ],
  ])("names the line and imports nothing (%s)", async (name, text, message) => {
    const file = write(`${name}.json`, text);
    const { code, output } = await centspan("import", "swebench-stats", file, "--workspace", `broken-${name}`);
    expect(code).toBe(1);
    expect(output).toMatch(message);
    expect((await getApi(`/calls?workspace=broken-${name}`)).status).toBe(404);
  });

  it.skipIf(shared === undefined)("imports no trajectory when one of several is cut off", async () => {
    const good = join(dir, "django__django-11163.traj.json");
    copyFileSync(join(folder, "django__django-11163.traj.json"), good);
    const whole = readFileSync(good, "utf8");
    const cut = write("cut.traj.json", whole.slice(0, whole.length / 2));
    const { code, output } = await centspan("import", "trajectory", good, cut, "--workspace", "broken-cut");
    expect(code).toBe(1);
    expect(output).toMatch(/cut\.traj\.json:\d+:\d+: is not valid JSON/);
    expect((await getApi("/traces?workspace=broken-cut")).status).toBe(404);
  });
});
