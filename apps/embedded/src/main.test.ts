import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedProcess, launch, launchReady } from "./embedded-process.ts";

const dataDir = mkdtempSync(join(tmpdir(), "centspan-embedded-"));
const portsOf = ({ clickhouseUrl, databaseUrl }: EmbeddedProcess): string[] => [
  ...["--data", dataDir, "--clickhouse-port", new URL(clickhouseUrl).port],
  ...["--postgres-port", new URL(databaseUrl).port],
];
const anyPorts = ["--data", dataDir, "--clickhouse-port", "0", "--postgres-port", "0"];
let running: EmbeddedProcess;

beforeAll(async () => {
  running = await launchReady(anyPorts);
});

afterAll(async () => {
  await running?.end("SIGTERM");
  rmSync(dataDir, { recursive: true, force: true });
});

async function sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

describe("a running process", () => {
  it("serves both stores on the loopback address, with its own password", async () => {
    expect(await (await fetch(`${running.clickhouseUrl}/ping`)).text()).toBe("Ok.\n");
    expect(await sql("SELECT current_database() AS db, inet_server_addr()::text AS host")).toEqual([
      { db: "centspan", host: "127.0.0.1/32" },
    ]);
    const { password } = new URL(running.databaseUrl);
    expect(readFileSync(join(dataDir, "postgres-password"), "utf8")).toBe(password);
    expect(statSync(join(dataDir, "postgres-password")).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, "postgres")).mode & 0o777).toBe(0o700);
    const wrong = new pg.Client(running.databaseUrl.replace(password, "wrong"));
    await expect(wrong.connect()).rejects.toThrow("password authentication failed");
  });

  it.runIf(process.platform === "linux")("merges behind everything else that it does", async () => {
    const ask = (query: string) => fetch(running.clickhouseUrl, { method: "POST", body: query });
    await ask("CREATE TABLE merged (a UInt64) ENGINE = MergeTree ORDER BY a");
    for (let part = 0; part < 3; part++) await ask(`INSERT INTO merged VALUES (${part})`);
    await ask("OPTIMIZE TABLE merged FINAL");
    const threads = `/proc/${running.child.pid}/task`;
    const nicenessOf = readdirSync(threads).map((thread) => {
      const [, name = "", rest = ""] = /\((.*)\) (.*)/.exec(readFileSync(`${threads}/${thread}/stat`, "utf8")) ?? [];
      return { name, niceness: Number(rest.split(" ")[16]) };
    });
    const merging = nicenessOf.filter(({ name }) => name === "MergeMutate");
    expect(new Set(merging.map(({ niceness }) => niceness))).toEqual(new Set([7]));
    const others = nicenessOf.filter(({ name }) => name === "node" || name === "ThreadPool");
    expect(new Set(others.map(({ niceness }) => niceness))).toEqual(new Set([0]));
  });

  it("refuses a second process on its data directory, and names the first", async () => {
    const second = await launch(anyPorts);
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`in use by process ${running.child.pid}`),
    });
  });

  it("takes queries of some mebibytes, by themselves and with parameters, and none without end", async () => {
    const url = `${running.clickhouseUrl}/?max_query_size=100000000`;
    const post = async (body: string | FormData) => (await fetch(url, { method: "POST", body })).text();
    const length = 3_000_000;
    expect(await post(`SELECT length('${"x".repeat(length)}')`)).toBe(`${length}\n`);
    const form = new FormData();
    const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
    for (const name of names) form.set(`param_${name}`, "x".repeat(length / names.length));
    form.set("query", `SELECT length(concat(${names.map((name) => `{${name}:String}`).join(", ")}))`);
    expect(await post(form)).toBe(`${length}\n`);
    expect(await post(`SELECT length('${"x".repeat(70_000_000)}')`)).toContain("QUERY_IS_TOO_LARGE");
  });

  it("refuses browser pages and foreign host names", async () => {
    const page = await fetch(running.clickhouseUrl, {
      method: "POST",
      body: "SELECT 1",
      headers: { origin: "http://x" },
    });
    expect(page.status).toBe(403);
    const port = new URL(running.clickhouseUrl).port;
    const curl = spawnSync("curl", ["-s", "-H", `Host: rebound.example:${port}`, `${running.clickhouseUrl}/ping`]);
    expect(curl.stdout.toString()).toContain("ACCESS_DENIED");
  });
});

describe("a start that can't be", () => {
  const taken = createServer();
  let port = "";
  const otherDir = mkdtempSync(join(tmpdir(), "centspan-embedded-"));

  beforeAll(async () => {
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    port = typeof address === "object" ? String(address?.port) : "";
  });

  afterAll(() => {
    taken.close();
    rmSync(otherDir, { recursive: true, force: true });
  });

  it.each(["--clickhouse-port", "--postgres-port"])("names the taken port and %s", async (option) => {
    const other = option === "--postgres-port" ? "--clickhouse-port" : "--postgres-port";
    const ended = await launch(["--data", otherDir, other, "0", option, port]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is taken`) });
    expect(ended).toMatchObject({ stderr: expect.stringContaining(`choose another with ${option} N`) });
  });

  it("says what is missing", async () => {
    const ended = await launch([], { CENTSPAN_DATA: "" });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("--data DIR") });
  });
});

describe("an end", () => {
  afterEach(async () => {
    if (running.child.exitCode === null && running.child.signalCode === null) return;
    running = await launchReady(anyPorts);
  });

  it("by SIGKILL loses nothing that was acknowledged, and the next start takes over", async () => {
    const client = createClient({ url: running.clickhouseUrl });
    await client.command({ query: "CREATE TABLE acknowledged (n UInt32) ORDER BY n" });
    await sql("CREATE TABLE acknowledged (n integer)");
    let count = 0;
    const writing = (async () => {
      for (; ; count += 1) {
        await client.insert({ table: "acknowledged", values: [{ n: count }], format: "JSONEachRow" });
        await sql(`INSERT INTO acknowledged VALUES (${count})`);
      }
    })();
    const stopped = expect(writing).rejects.toThrow();
    await expect.poll(() => count, { timeout: 30_000 }).toBeGreaterThan(20);
    await running.end("SIGKILL");
    await stopped;
    await client.close();

    // The same ports, as a supervisor would: the PostgreSQL that was left behind still holds one of them.
    running = await launchReady(portsOf(running));
    const again = createClient({ url: running.clickhouseUrl });
    const stored = await again.query({ query: "SELECT n FROM acknowledged ORDER BY n", format: "JSONCompactEachRow" });
    const n = (await stored.json<[number]>()).flat();
    await again.close();
    const rows = await sql<{ n: number }>("SELECT n FROM acknowledged ORDER BY n");
    // At most the one that was under way may have been stored without its answer.
    const expected = Array.from({ length: count }, (_, index) => index);
    expect(n.slice(0, count)).toEqual(expected);
    expect(rows.map((row) => row.n).slice(0, count)).toEqual(expected);
    expect(Math.max(n.length, rows.length)).toBeLessThanOrEqual(count + 1);
  });

  it("by SIGTERM stops running queries and both stores, with exit code 0", async () => {
    const endless = fetch(running.clickhouseUrl, { method: "POST", body: "SELECT count() FROM numbers(1e14)" });
    const failed = expect(endless).rejects.toThrow();
    const client = createClient({ url: running.clickhouseUrl });
    const isRunning = async () => {
      const result = await client.query({ query: "SELECT count() AS c FROM system.processes", format: "JSONEachRow" });
      const [row] = await result.json<{ c: number | string }>();
      return Number(row?.c);
    };
    await expect.poll(isRunning, { timeout: 30_000 }).toBe(2);
    await client.close();
    const postgres = Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
    expect(await running.end("SIGTERM")).toBe(0);
    await failed;
    expect(isAlive(postgres)).toBe(false);
  });

  it("of its PostgreSQL is an error the process does not outlive", async () => {
    const postgres = Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
    const exit = new Promise((resolve) => running.child.once("exit", resolve));
    process.kill(postgres, "SIGQUIT");
    expect(await exit).toBe(1);
  });

  it("of a process that started itself again for its threads ends both, by SIGTERM and by SIGKILL", async () => {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await running.end("SIGTERM");
      running = await launchReady(anyPorts, { UV_THREADPOOL_SIZE: "4" });
      const response = await fetch(running.clickhouseUrl, { method: "POST", body: "SELECT 1" });
      expect(await response.text()).toBe("1\n");
      const inner = Number(readFileSync(join(dataDir, "centspan.lock"), "utf8").split(" ")[0]);
      expect(inner).not.toBe(running.child.pid);
      expect(await running.end(signal)).toBe(signal === "SIGTERM" ? 0 : null);
      await expect.poll(() => isAlive(inner), { timeout: 30_000 }).toBe(false);
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
