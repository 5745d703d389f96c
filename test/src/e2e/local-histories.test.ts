/** Histories on a disk through the whole stack: counted once, imported again without a change, followed as they grow. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CostRow, OutcomeCostRow, TraceRow, WasteItemRow, WorkAnswer } from "@centspan/model";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { getApi, getOk } from "../stack/api.ts";
import { appendAnswer, type LocalHome, writeLocalHome } from "../stack/local-histories.ts";
import { runProcess, startProcess } from "../stack/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "centspan-local-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nowMs = Date.now();
let local: LocalHome;

const centspan = (...args: string[]) =>
  runProcess(["apps/cli/dist/main.js", ...args, "--data", inject("dataDir")], { HOME: local.home });
const sumTokens = ({ buckets }: CostRow): number =>
  buckets.input +
  buckets.cacheRead +
  buckets.cacheWrite5m +
  buckets.cacheWrite1h +
  buckets.outputText +
  buckets.outputReasoning;
const readCost = async (workspace = "local") => {
  const { data } = await getOk<{ data: CostRow[] }>(`/cost?groupBy=model&workspace=${workspace}`);
  return {
    calls: data.reduce((sum, { calls }) => sum + calls, 0),
    tokens: data.reduce((sum, row) => sum + sumTokens(row), 0),
  };
};

describe("histories on a disk", () => {
  let printed = "";
  beforeAll(async () => {
    local = writeLocalHome(join(folder, "home"), nowMs);
    const dry = await centspan("import", "local", "--dry-run");
    expect(dry.output).toMatch(new RegExp(`calls counted\\s+${local.calls} `));
    expect((await getApi("/cost?groupBy=model&workspace=local")).status).toBe(404);
    const { code, output } = await centspan("import", "local");
    expect(code, output).toBe(0);
    printed = output;
  }, 120_000);

  it("are counted to the token, and the receipt says what was not and why", async () => {
    expect(await readCost()).toEqual({ calls: local.calls, tokens: local.tokens });
    expect(printed).toMatch(/an earlier line of a response that grew/);
    expect(printed).toMatch(/000001\.jsonl:\d+ is not whole JSON/);
    expect(printed).toMatch(/acme\/shop\s+3 commits, 1 made in these sessions/);
    expect(printed).not.toContain("secret");
  });

  it("hold no text and no path of the disk, wherever they are asked for", async () => {
    const { data } = await getOk<{ data: TraceRow[] }>("/traces?workspace=local");
    for (const { traceId } of data) {
      const trace = JSON.stringify(await getOk(`/traces/${traceId}?workspace=local`));
      for (const text of ["the cart is wrong", "line of a file", local.home, "secret"])
        expect(trace).not.toContain(text);
    }
  });

  it("show what was paid twice, with both requests and the turn", async () => {
    expect(printed).toMatch(/things were paid twice/);
    const { data } = await getOk<{ data: WasteItemRow[] }>("/waste/items?workspace=local");
    expect(data.map(({ cause }) => cause).sort()).toEqual([
      "prefix_expired",
      "repeated_tool",
      "repeated_tool",
      "repeated_tool",
    ]);
    expect(data.find(({ cause }) => cause === "prefix_expired")).toMatchObject({
      confidence: "likely",
      evidence: { requestId: "req_a6", previousRequestId: "req_a5", turn: 1 },
    });
  });

  it("show what a pull request cost, up to its first green test and after, across worktrees", async () => {
    const { data, total } = await getOk<WorkAnswer>("/outcomes/work?workspace=local");
    expect(data).toMatchObject([
      { group: "acme/shop#12", repository: "acme/shop", state: "merged", sessions: 1, testRuns: 2 },
    ]);
    const [{ toGreenUsd, afterGreenUsd, costUsd } = { toGreenUsd: null, afterGreenUsd: null, costUsd: "0" }] = data;
    expect(Number(toGreenUsd) + Number(afterGreenUsd)).toBeCloseTo(Number(costUsd), 9);
    expect(Number(toGreenUsd)).toBeGreaterThan(0);
    expect(Number(afterGreenUsd)).toBeGreaterThan(0);
    // The other session was on the main branch, for no request.
    expect(Number(total.coverage)).toBeLessThan(1);
    const branches = await getOk<WorkAnswer>("/outcomes/work?groupBy=branch&workspace=local");
    expect(branches.data.map(({ group, state }) => [group, state])).toEqual([
      ["fix", "merged"],
      ["main", "open"],
    ]);
    expect(branches.total.coverage).toBe("1");
    const { total: outcomes } = await getOk<{ total: OutcomeCostRow }>(
      "/outcomes/cost?groupBy=repository&workspace=local",
    );
    expect(outcomes).toMatchObject({ passed: 1, failed: 0 });
  });

  it("are on the page of outcomes by pull request and by branch, where the import points to", async () => {
    expect(printed).toContain("/outcomes?groupBy=pullRequest&workspace=local");
    for (const [groupBy, group] of [
      ["pullRequest", "acme/shop#12"],
      ["branch", "fix"],
    ]) {
      const answer = await fetch(`${inject("connection").webUrl}/outcomes?groupBy=${groupBy}&workspace=local`);
      expect(await answer.text()).toContain(`>${group}</td>`);
    }
  });

  it("are listed by the request that they worked for, and with their content, where it was asked for, by what was said", async () => {
    const titlesOf = async (workspace: string) => {
      const { data } = await getOk<{ data: TraceRow[] }>(`/traces?onlyRuns=true&workspace=${workspace}`);
      return [...new Set(data.map(({ title }) => title))].sort();
    };
    await expect.poll(() => titlesOf("local"), { timeout: 60_000 }).toEqual(["acme/shop · main", "acme/shop#12 · fix"]);
    const { code, output } = await centspan("import", "local", "--workspace", "talk", "--content");
    expect(code, output).toBe(0);
    expect(await titlesOf("talk")).toEqual(["and the total?", "the cart is wrong", "what is here?"]);
    const { data } = await getOk<{ data: TraceRow[] }>("/traces?onlyRuns=true&workspace=talk");
    const first = data.find(({ title }) => title === "the cart is wrong");
    const trace = await getOk<{ spans: { spanId: string; name: string }[] }>(
      `/traces/${first?.traceId}?workspace=talk`,
    );
    const read = trace.spans.find(({ name }) => name === "execute_tool Read");
    const span = await getOk(`/traces/${first?.traceId}/spans/${read?.spanId}?workspace=talk`);
    expect(JSON.stringify(span)).toContain("line of a file");
  });

  it("imported again change nothing", async () => {
    const { output } = await centspan("import", "local", "--json");
    const json = JSON.parse(output.slice(output.indexOf("{\n")));
    expect(json.receipt).toMatchObject({ unchanged: 2, sent: { spans: 0, outcomes: 0, refused: 0 } });
    expect(await readCost()).toEqual({ calls: local.calls, tokens: local.tokens });
  });

  it("read from the beginning, as from another machine, change nothing either", async () => {
    rmSync(join(inject("dataDir"), "histories"), { recursive: true });
    const { code, output } = await centspan("import", "local");
    expect(code, output).toBe(0);
    expect(await readCost()).toEqual({ calls: local.calls, tokens: local.tokens });
  });

  it("count what was written since", async () => {
    const tokens = local.tokens + appendAnswer(local, "b2", nowMs - 6 * 3_600_000);
    const { output } = await centspan("import", "local");
    expect(output).toMatch(/calls counted\s+1 /);
    expect(await readCost()).toEqual({ calls: local.calls + 1, tokens });
  });

  it("are followed as they grow, until Ctrl-C", async () => {
    const following = startProcess(
      ["apps/cli/dist/main.js", "import", "local", "--watch", "--data", inject("dataDir")],
      { HOME: local.home },
    );
    await following.waitFor(/Following the files/, 60_000);
    const before = await readCost();
    const tokens = before.tokens + appendAnswer(local, "b3", nowMs - 5 * 3_600_000);
    await following.waitFor(/ {2}1 call, 0 tool calls, 5,170 tokens/, 30_000);
    following.child.kill("SIGINT");
    expect(await following.exited, following.output()).toBe(0);
    await expect.poll(readCost, { timeout: 60_000 }).toEqual({ calls: before.calls + 1, tokens });
  });

  it("are sent to a team's stack with a key, and sent again change nothing", async () => {
    const { otlpUrl, webUrl } = inject("connection");
    // A workspace of its own, as a team has it, and nothing in it yet.
    await centspan("import", "local", "--workspace", "pushed", "--since", "2099-01-01");
    const made = await centspan("keys", "create", "laptop", "--kind", "ingest", "--workspace", "pushed");
    const key = /cs_ingest_\S+/.exec(made.output)?.[0] ?? "";
    const push = () => centspan("push", "--to", otlpUrl, "--key", key, "--api", webUrl, "--team", "payments");
    const { code, output } = await push();
    expect(code, output).toBe(0);
    const all = await readCost();
    await expect.poll(() => readCost("pushed"), { timeout: 60_000 }).toEqual(all);
    expect((await push()).output).toMatch(/ 0 spans sent/);
    const { data } = await getOk<{ data: CostRow[] }>("/cost?groupBy=team&workspace=pushed");
    expect(data.map(({ group }) => group)).toEqual(["payments"]);
    // Places are noted beside the rating, by a pass of their own.
    const readWork = async () => {
      const { data: work } = await getOk<WorkAnswer>("/outcomes/work?workspace=pushed");
      return work.map(({ group, testRuns }) => [group, testRuns]);
    };
    await expect.poll(readWork, { timeout: 60_000 }).toEqual([["acme/shop#12", 2]]);
  });

  it("with a key that is none say so", async () => {
    const { code, output } = await centspan("push", "--to", inject("connection").otlpUrl, "--key", "cs_ingest_nobody");
    expect(code).toBe(1);
    expect(output).toMatch(/refused spans \(HTTP 401\): it wants a key of kind ingest/);
  });

  it("become a page without names, and one with them", async () => {
    const out = join(folder, "report");
    expect((await centspan("report", "--out", out)).code).toBe(0);
    const page = readFileSync(`${out}.html`, "utf8");
    expect(page).toContain("Paid twice");
    expect(page).not.toContain("acme/shop");
    await centspan("report", "--out", out, "--names");
    expect(readFileSync(`${out}.html`, "utf8")).toContain("acme/shop#12");
  });

  it("show a seat's cash, its idle share and the list value apart", async () => {
    const seat = [
      "commitments",
      "seat",
      "--workspace",
      "local",
      "--provider",
      "anthropic",
      "--plan",
      "Max",
      "--per-month",
      "200",
    ];
    expect((await centspan(...seat)).code).toBe(0);
    const { output } = await centspan("import", "local");
    expect(output).toMatch(/Max\s+\d{4}-\d\d\s+200\.00\s+200\.00\s+0\.00\s+0\.\d\d/);
    expect(output).not.toMatch(/sav(ed|ings)/);
  });
});
