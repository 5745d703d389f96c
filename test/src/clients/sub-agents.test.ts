/** A lead with two sub-agents and their verifiers, by `centspan run` through gateway and engine: one trace, read as a waterfall. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseInstant } from "@centspan/base";
import type { SpanRow, TraceDetail } from "@centspan/model";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { keepScreenshot, openBrowser, openPage } from "../stack/browser.ts";
import { findTrace } from "../stack/find-rows.ts";
import { type Running, runProcess, startProcess } from "../stack/processes.ts";
import { readRows } from "../stack/waterfall.ts";

const folder = mkdtempSync(join(tmpdir(), "centspan-sub-agents-"));
const processes: Running[] = [];
afterAll(async () => {
  for (const { child } of processes) child.kill("SIGTERM");
  await Promise.all(processes.map(({ exited }) => exited));
  rmSync(folder, { recursive: true, force: true });
});

const call = (name: string, args: object) => ({ name, argumentsJson: JSON.stringify(args) });
const unit = (id: string) => ({
  ...{ id, goal: `Write docs/${id}.md.`, paths: [`docs/${id}.md`], conditions: ["The file says what was decided."] },
});
/** Of both writers: each may do its own half of it. */
const notes = ["rounding", "currency"].map((id) =>
  call("edit_file", { path: `docs/${id}.md`, old: "", new: "Half to even.\n" }),
);
const RECORDINGS = {
  lead: [
    { text: "I divide it.", calls: [call("delegate", { units: [unit("rounding"), unit("currency")] })] },
    { text: "Both notes are written and verified.", calls: [] },
  ],
  writer: [
    { text: "I write it.", calls: notes },
    { text: "Written.", calls: [] },
  ],
  verifier: [
    { text: "I look.", calls: [call("list_files", {})] },
    { text: "It is there.", calls: [call("report_verdict", { holds: true, findings: ["docs/ holds it"] })] },
    { text: "It holds.", calls: [] },
  ],
};

async function start(app: string, env: Record<string, string>): Promise<string> {
  const { otlpUrl, ingestKey } = inject("connection");
  const common = { CENTSPAN_PORT: "0", CENTSPAN_OTLP_URL: otlpUrl, CENTSPAN_INGEST_KEY: ingestKey };
  const running = startProcess([`apps/${app}/dist/main.js`], { ...common, ...env });
  processes.push(running);
  const [, url = ""] = await running.waitFor(/"url":"([^"]+)"/, 30_000);
  return url;
}

let gatewayUrl = "";
beforeAll(async () => {
  const files = Object.entries(RECORDINGS).map(([name, turns]) => {
    const file = join(folder, `${name}.json`);
    const played = turns.map((turn) => ({ ...turn, outputTokens: null }));
    writeFileSync(file, JSON.stringify({ trajectory_format: "centspan-run-1", instance_id: name, turns: played }));
    return file;
  });
  const engineUrl = await start("engine", { CENTSPAN_REPLAY_FILES: files.join(","), CENTSPAN_TIME_SCALE: "0.02" });
  const { databaseUrl, gatewayIngestKey } = inject("connection");
  gatewayUrl = await start("gateway", {
    DATABASE_URL: databaseUrl,
    CENTSPAN_INGEST_KEY: gatewayIngestKey,
    CENTSPAN_UPSTREAM_URL: engineUrl,
  });
});

const ownSpans = ({ spans }: TraceDetail): SpanRow[] => spans.filter((span) => !span.linked);
/** Harness, gateway and engine each export by themselves: all calls are there, and no span waits for its parent. */
function isWhole(trace: TraceDetail): boolean {
  const ids = new Set(["", ...ownSpans(trace).map(({ spanId }) => spanId)]);
  return trace.calls.length >= 12 && ownSpans(trace).every(({ parentSpanId }) => ids.has(parentSpanId));
}

it("is one trace from the lead to every engine step, that a person can read", async () => {
  const models = [
    "--model",
    "replay-lead",
    "--role-model",
    "execute=replay-writer",
    "--role-model",
    "verify=replay-verifier",
  ];
  const args = ["run", "--task", "money-half-even", "--role", "plan", ...models, "--unsafe", "--json"];
  const { output, code } = await runProcess(["apps/cli/dist/main.js", ...args, "--data", inject("dataDir")], {
    CENTSPAN_GATEWAY_URL: gatewayUrl,
    CENTSPAN_WORK_DIR: join(folder, "work"),
  });
  const result = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  // Notes repair nothing: the run is what it is, and its tests decide.
  expect(code, output).toBe(1);
  expect(result).toMatchObject({ type: "result", stop: "answered", status: "failed", errors: [], turns: 2 });

  const detail = await findTrace(result.traceId, 150, isWhole);
  const own = ownSpans(detail);
  const names = new Map(own.map((span) => [span.spanId, span.name]));
  const roots = own.filter(({ parentSpanId }) => parentSpanId === "");
  expect(roots.map(({ name }) => name)).toEqual(["invoke_agent centspan-repair"]);
  const agents = own.filter(({ name }) => name.startsWith("invoke_agent") && !roots.some((root) => root.name === name));
  expect(agents.map(({ name }) => name.replace(/-[0-9a-f]{6}/, "")).sort()).toEqual(
    ["currency", "currency-verify", "rounding", "rounding-verify"].map((name) => `invoke_agent ${name}`),
  );
  expect(new Set(agents.map(({ parentSpanId }) => names.get(parentSpanId)))).toEqual(
    new Set(["execute_tool delegate"]),
  );
  // Lead, two writers, two verifiers: each call below its own turn.
  expect(detail.calls.map(({ model }) => model).sort()).toEqual([
    ...Array(2).fill("replay-lead"),
    ...Array(6).fill("replay-verifier"),
    ...Array(4).fill("replay-writer"),
  ]);
  expect(detail.calls.map(({ role }) => role).sort()).toEqual([
    ...Array(4).fill("execute"),
    ...Array(2).fill("plan"),
    ...Array(6).fill("verify"),
  ]);
  const startOf = (span: SpanRow | undefined): bigint => parseInstant(span?.startedAt ?? "") ?? 0n;
  const [rounding, currency] = ["rounding", "currency"].map((id) =>
    agents.find(({ name }) => name.replace(/-[0-9a-f]{6}/, "") === `invoke_agent ${id}`),
  );
  expect(startOf(rounding)).toBeGreaterThan(0n);
  // Beside each other.
  expect(startOf(currency)).toBeLessThan(startOf(rounding) + BigInt(rounding?.durationNs ?? 0));
  expect(startOf(rounding)).toBeLessThan(startOf(currency) + BigInt(currency?.durationNs ?? 0));

  const browser = await openBrowser();
  const page = await openPage(browser);
  await page.goto(new URL(`/runs/${result.traceId}?fold=none`, inject("connection").webUrl).href);
  const rows = await readRows(page);
  await keepScreenshot(page, "sub-agents");
  const shown = [...agents, ...roots].map(({ name }) => name);
  for (const name of [...shown, "execute_tool delegate", "chat replay-lead", "execute_tool report_verdict"])
    expect(
      rows.some(({ text }) => text.includes(name)),
      name,
    ).toBe(true);
  expect(page.problems).toEqual([]);
  await browser.close();
});
