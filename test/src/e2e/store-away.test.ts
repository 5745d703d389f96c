import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { findFreePorts, type Running, startProcess, until } from "../stack/processes.ts";

const dir = mkdtempSync(join(tmpdir(), "centspan-away-"));
const running: Running[] = [];
afterAll(async () => {
  for (const { child, exited } of running) {
    child.kill("SIGTERM");
    await exited;
  }
  rmSync(dir, { recursive: true, force: true });
});

function start(args: string[], env: Record<string, string> = {}): Running {
  const started = startProcess(args, env);
  running.push(started);
  return started;
}

const span = (spanId: string) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "s" } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: "0af7651916cd43dd8448eb211c80319c",
              spanId,
              name: "work",
              startTimeUnixNano: "1764374400000000000",
              endTimeUnixNano: "1764374401000000000",
            },
          ],
        },
      ],
    },
  ],
});

it("answers 503 while the stores are away, recovers by itself, and loses nothing it acknowledged", async () => {
  const base = await findFreePorts(4);
  const startStores = () =>
    start([
      "apps/embedded/dist/main.js",
      "--data",
      join(dir, "stores"),
      "--clickhouse-port",
      String(base),
      "--postgres-port",
      String(base + 1),
    ]);
  const stores = startStores();
  const ready = JSON.parse((await stores.waitFor(/^\{"ready":true.*$/m, 60_000))[0]);
  const env = { CLICKHOUSE_URL: `${ready.clickhouseUrl}/centspan`, DATABASE_URL: ready.databaseUrl };
  const migrated = start(["apps/cli/dist/main.js", "migrate"], env);
  expect(await migrated.exited).toBe(0);
  const collector = start(["apps/collector/dist/main.js"], {
    ...env,
    CENTSPAN_PORT: String(base + 2),
    CENTSPAN_DEFAULT_WORKSPACE: "default",
  });
  await collector.waitFor(/"ready":true/, 30_000);
  const web = start(["apps/web/.next/standalone/apps/web/start.mjs"], {
    ...env,
    PORT: String(base + 3),
    HOSTNAME: "127.0.0.1",
    NODE_ENV: "production",
  });
  await web.waitFor(/"ready":true/, 60_000);
  const created = start(["apps/cli/dist/main.js", "keys", "create", "reader", "--kind", "api"], env);
  const key = (await created.waitFor(/cs_api_\S+/, 30_000))[0];

  const send = async (spanId: string) =>
    fetch(`http://127.0.0.1:${base + 2}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(span(spanId)),
    });
  const read = () =>
    fetch(`http://127.0.0.1:${base + 3}/api/v1/traces/0af7651916cd43dd8448eb211c80319c`, {
      headers: { authorization: `Bearer ${key}` },
    });
  const health = async () => (await fetch(`http://127.0.0.1:${base + 3}/api/v1/health`)).status;

  expect((await send("00f067aa0ba902b7")).status).toBe(200);
  expect(await health()).toBe(200);

  stores.child.kill("SIGKILL");
  await stores.exited;
  const refused = await send("00f067aa0ba902b8");
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await read()).status).toBe(503);
  expect(await health()).toBe(503);

  const again = startStores();
  await again.waitFor(/^\{"ready":true.*$/m, 60_000);
  await until("the collector recovers", async () =>
    (await send("00f067aa0ba902b8")).status === 200 ? true : undefined,
  );
  const body = await until("the web app recovers", async () => {
    const answer = await read();
    return answer.status === 200 ? await answer.json() : undefined;
  });
  expect(body.spans.map((row: { spanId: string }) => row.spanId).sort()).toEqual([
    "00f067aa0ba902b7",
    "00f067aa0ba902b8",
  ]);
});
