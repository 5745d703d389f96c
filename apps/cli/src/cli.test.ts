import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutcomeCostRow } from "@centspan/model";
import { afterEach, describe, expect, it } from "vitest";
import { connectionPath, locateStores, readConnection, writeConnection } from "./connection.ts";
import { createProgram } from "./program.ts";
import { formatOutcomeCosts, formatTable } from "./report.ts";
import { planPorts, requireFreePorts } from "./stack/ports.ts";

const folders: string[] = [];
const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "centspan-cli-"));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const connection = {
  webUrl: "w",
  gatewayUrl: "g",
  otlpUrl: "o",
  otlpGrpcUrl: "p",
  engineUrl: "e",
  clickhouseUrl: "c",
  databaseUrl: "d",
  optimizerKey: "o",
  apiKey: "a",
  ingestKey: "i",
  gatewayIngestKey: "j",
  gatewayKey: "k",
  teamKeys: { t: "k" },
};

describe("connection.json", () => {
  it("round-trips, readable by its owner only", () => {
    const folder = makeFolder();
    writeConnection(folder, connection);
    expect(readConnection(folder)).toEqual(connection);
    expect(statSync(connectionPath(folder)).mode & 0o777).toBe(0o600);
  });

  it.each(["", "{", "{}", '{"webUrl":1}'])("that is broken (%j) counts as absent", (text) => {
    const folder = makeFolder();
    writeFileSync(connectionPath(folder), text);
    expect(readConnection(folder)).toBeNull();
    expect(() => locateStores(folder)).toThrow(/npm start/);
  });
});

describe("ports", () => {
  it("follow a base without overlap", () => {
    const ports = Object.values(planPorts(15_000));
    expect(Math.min(...ports)).toBe(15_000);
    expect(new Set(ports).size).toBe(ports.length);
  });

  it("that are taken are named with their service and the remedy, all at once", async () => {
    const servers = [createServer(), createServer()];
    const taken = await Promise.all(
      servers.map(
        (server) =>
          new Promise<number>((resolve) => {
            server.listen(0, "127.0.0.1", () => {
              const address = server.address();
              resolve(typeof address === "object" && address !== null ? address.port : 0);
            });
          }),
      ),
    );
    const ports = {
      ...planPorts(undefined),
      web: taken[0] ?? 0,
      otlp: taken[1] ?? 0,
      gateway: 0,
      engine: 0,
      worker: 0,
      clickhouse: 0,
      postgres: 0,
      otlpGrpc: 0,
    };
    await expect(requireFreePorts(ports, "127.0.0.1")).rejects.toThrow(
      new RegExp(`${taken[0]} \\(web\\).*${taken[1]} \\(otlp\\).*--port-base`),
    );
    for (const server of servers) server.close();
  });
});

describe("figures in a terminal", () => {
  const row: OutcomeCostRow = {
    group: "t",
    spendUsd: "230.4593276",
    allSpendUsd: "230.4593276",
    reviewUsd: "0",
    unpricedReviewMinutes: "0",
    unpricedCalls: 0,
    failedSpendUsd: "77.99",
    reverted: 0,
    tasks: 500,
    passed: 371,
    failed: 129,
    unknown: 0,
    pending: 0,
    costPerPassUsd: "0.6211841714",
    interval: { lowUsd: "0.5671234567", highUsd: "0.68", level: 0.95, method: "bootstrap" },
    pendingBounds: null,
    coverage: "1",
    simulatedShare: "0",
  };

  it("keep money exact and show the interval", () => {
    const text = formatOutcomeCosts("team", [row], row);
    expect(text).toContain("230.4593276");
    expect(text).toContain("0.6211841714");
    expect(text).toContain("0.56712 to 0.68");
  });

  it("show a bound, a dash and no zero where there is no pass", () => {
    const none: OutcomeCostRow = {
      ...row,
      passed: 0,
      costPerPassUsd: null,
      interval: { lowUsd: "857.1", highUsd: null, level: 0.95, method: "zero_pass_bound" },
      coverage: null,
    };
    const text = formatOutcomeCosts("team", [none], none);
    expect(text).toContain("at least 857.1");
    expect(text).toMatch(/–\s+at least/);
  });

  it("align columns", () => {
    expect(
      formatTable([
        ["a", "bb"],
        ["ccc", "d"],
      ]),
    ).toBe("  a    bb\n  ccc   d");
  });
});

it("has a help text for every command and option", () => {
  const walk = (command: ReturnType<typeof createProgram>): void => {
    expect(command.description(), command.name()).not.toBe("");
    for (const option of command.options) expect(option.description, `${command.name()} ${option.flags}`).toBeTruthy();
    for (const child of command.commands) walk(child);
  };
  walk(createProgram("data"));
});
