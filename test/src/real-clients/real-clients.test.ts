/** Real agents and SDKs through the gateway to the engine, where they can reach nothing else. */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { startProcess } from "../stack/processes.ts";
import { CLIENTS, type ClientReport, sumTokens } from "./clients.ts";
import { installClients } from "./install-clients.ts";

/** Loopback alone. Who is not root becomes it inside. */
const NAMESPACE = process.getuid?.() === 0 ? ["unshare", "-n"] : ["unshare", "-rn"];
const [unshare = "", ...flags] = NAMESPACE;
const ENTER = 'ip link set lo up && exec "$@"';
const canIsolate = spawnSync(unshare, [...flags, "sh", "-c", "ip link set lo up"]).status === 0;
if (!canIsolate) console.warn("real clients: left out, since this platform has no network namespace to run them in");

describe.skipIf(!canIsolate)("real clients", () => {
  it("run a task with tools through the gateway; each run is one run, with its cost", {
    timeout: 900_000,
  }, async () => {
    await installClients();
    const session = startProcess([
      "-e",
      RUN_ISOLATED,
      unshare,
      ...flags,
      "sh",
      "-c",
      ENTER,
      "sh",
      process.execPath,
      "--import",
      "tsx",
      "test/src/real-clients/session.ts",
    ]);
    const code = await session.exited;
    const line =
      session
        .output()
        .trimEnd()
        .split("\n")
        .findLast((text) => text.startsWith('{"reports"')) ?? '{"reports":[],"ledger":[]}';
    const { reports, ledger }: { reports: ClientReport[]; ledger: number[] } = JSON.parse(line);
    expect([code, reports.map(({ name }) => name)], session.output()).toEqual([0, CLIENTS.map(({ name }) => name)]);
    const leftHistories = reports.filter(({ name }) => CLIENTS.find((client) => client.name === name)?.leavesHistory);
    expect(ledger).toEqual(sumTokens(leftHistories.flatMap(({ counted }) => counted)));
    for (const { name, code: exit, output, calls, traces, counted, imported, problems } of reports) {
      const client = CLIENTS.find((candidate) => candidate.name === name);
      const wanted = client?.calls;
      if (client?.leavesHistory) expect([name, imported, problems], output).toEqual([name, counted, []]);
      expect([name, exit, calls.length], output).toEqual([name, 0, wanted]);
      expect(output).toMatch(/I called \w+ 2 times\. It answered:/);
      expect(
        calls.every(
          ({ costStatus, costUsd, source }) => costStatus === "rated" && Number(costUsd) > 0 && source === "gateway",
        ),
      ).toBe(true);
      expect(new Set(calls.map(({ sessionId }) => sessionId)).size).toBe(client?.sessions ?? 1);
      expect([name, traces.length]).toEqual([name, client?.sessions ?? 1]);
      const sum = calls.reduce((total, { costUsd }) => total + Number(costUsd), 0);
      expect(traces.reduce((total, { costUsd }) => total + Number(costUsd), 0)).toBeCloseTo(sum, 9);
    }
  });
});

/** `startProcess` runs Node: this hands over to the command. */
const RUN_ISOLATED =
  "const {spawn}=require('child_process');const [c,...a]=process.argv.slice(1);spawn(c,a,{stdio:'inherit'}).once('close',(x)=>process.exit(x??1))";
