import { once } from "node:events";
import { connect } from "node:net";
import { CentspanError } from "@centspan/base";
import { afterEach, expect, it } from "vitest";
import { answerHealth, createServer, listen, listenSchema, readConfig } from "./index.ts";

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

async function start() {
  const app = createServer({ bodyLimitBytes: 100 });
  open.push(app);
  app.post("/echo", (request) => ({ got: request.body }));
  app.get("/expected", () => {
    throw new CentspanError("store_unavailable", "the warehouse is away", { retryAfterS: 3 });
  });
  app.get("/bug", () => {
    throw new Error("secret detail");
  });
  return { app, url: await listen(app, { host: "127.0.0.1", port: 0 }) };
}

it("answers every failure as a problem with a stable code and leaks nothing internal", async () => {
  const { url } = await start();
  const json = (path: string, init?: RequestInit) =>
    fetch(`${url}${path}`, init).then(async (r) => ({
      status: r.status,
      retry: r.headers.get("retry-after"),
      body: await r.text(),
    }));
  const post = (body: string, type = "application/json") =>
    json("/echo", { method: "POST", body, headers: { "content-type": type } });
  expect(await json("/expected")).toMatchObject({
    status: 503,
    retry: "3",
    body: expect.stringContaining("store_unavailable"),
  });
  const bug = await json("/bug");
  expect(bug.status).toBe(500);
  expect(bug.body).not.toContain("secret detail");
  expect(await post("{")).toMatchObject({ status: 400, body: expect.stringContaining('"field":"body"') });
  expect((await post(`"${"x".repeat(200)}"`)).status).toBe(413);
  expect((await post("x", "text/csv")).status).toBe(415);
  expect(await json("/nowhere?q=1")).toMatchObject({
    status: 404,
    body: expect.stringMatching(/"code":"unknown_path".*GET \/nowhere: there is only \/echo, \/expected, \/bug"/),
  });
});

it("says which stores are away, and that it is well when none is", async () => {
  const app = createServer({ bodyLimitBytes: 100 });
  open.push(app);
  const stores = { near: async () => 1, far: () => Promise.reject(new Error("secret detail")) };
  app.get("/health", (_request, reply) => answerHealth(reply, stores));
  app.get("/well", (_request, reply) => answerHealth(reply, { near: stores.near }));
  const url = await listen(app, { host: "127.0.0.1", port: 0 });
  const away = await fetch(`${url}/health`);
  expect([away.status, await away.json()]).toEqual([503, { status: "unavailable", away: ["far"] }]);
  const well = await fetch(`${url}/well`);
  expect([well.status, await well.json()]).toEqual([200, { status: "ok" }]);
});

it("names a taken port and the option", async () => {
  const { url } = await start();
  const other = createServer({ bodyLimitBytes: 100 });
  const port = Number(new URL(url).port);
  await expect(listen(other, { host: "127.0.0.1", port })).rejects.toThrow(new RegExp(`port ${port}.*--port-base`));
});

it("names the variable that is wrong", () => {
  expect(() => readConfig(listenSchema, { CENTSPAN_PORT: "many" })).toThrow(/CENTSPAN_PORT/);
  expect(readConfig(listenSchema, { CENTSPAN_PORT: "4000" })).toEqual({
    CENTSPAN_HOST: "127.0.0.1",
    CENTSPAN_PORT: 4000,
  });
});

it("stops though somebody holds a connection on which nothing was asked", async () => {
  const { app, url } = await start();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  // The server has it once it has served one that came after it.
  expect(
    (await fetch(`${url}/echo`, { method: "POST", body: "{}", headers: { "content-type": "application/json" } })).ok,
  ).toBe(true);
  await app.close();
});
