import { createWallClock } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { type Gate, openGate } from "@centspan/testing";
import { openWarehouse, type Warehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { createApiClient, createTraceApi, describeApi, ROUTES, type TraceApi } from "./index.ts";

const ORG = `org-${process.pid}`;
let gate: Gate;
let warehouse: Warehouse;
let control: Control;
let api: TraceApi;
const keys = { a: "", b: "", wide: "", ingest: "", gateway: "" };

beforeAll(async () => {
  gate = await openGate(inject("clickhouseUrl"));
  warehouse = openWarehouse({ url: new URL("/centspan_api_test", gate.url).href });
  control = openControl({ url: inject("databaseUrl") });
  await Promise.all([warehouse.migrate(), control.migrate()]);
  api = createTraceApi({ warehouse, control, clock: createWallClock() });
  for (const id of [`${ORG}-a`, `${ORG}-b`]) await control.ensureWorkspace(ORG, { id, name: id });
  const make = async (workspace: string, name: string, kind: "api" | "ingest" | "gateway", orgWide = false) =>
    (await control.createKey({ workspace: `${ORG}-${workspace}`, name, kind, team: null, orgWide }, "tests")).secret;
  keys.a = await make("a", "reader", "api");
  keys.b = await make("b", "reader", "api");
  keys.wide = await make("a", "wide", "api", true);
  keys.ingest = await make("a", "spans", "ingest");
  keys.gateway = await make("a", "agent", "gateway");
});
afterAll(async () => {
  await Promise.all([warehouse.close(), control.close()]);
  await gate.shut();
});

const bodySchema = z.record(z.string(), z.unknown());

async function ask(path: string, key: string | null = keys.a, init: RequestInit = {}) {
  const headers = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), "content-type": "application/json" };
  const response = await api.handle(new Request(`http://api.test/api/v1${path}`, { headers, ...init }));
  return { status: response.status, body: bodySchema.parse(await response.json()), headers: response.headers };
}
const post = (path: string, body: unknown, key = keys.a) =>
  ask(path, key, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

const outcome = { subject: { task: "T-1" }, kind: "tests", status: "passed", source: "ci" };

describe("who may ask", () => {
  it("needs a key, a live one, of the right kind", async () => {
    expect(await ask("/calls", null)).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    expect((await ask("/calls", null)).headers.get("www-authenticate")).toBe("Bearer");
    expect((await ask("/calls", "cs_api_nonsense")).status).toBe(401);
    expect((await ask("/calls", keys.ingest)).status).toBe(403);
    expect((await post("/outcomes", outcome, keys.gateway)).status).toBe(403);
    const { body } = await post("/keys", { name: "short-lived", kind: "api" });
    expect((await ask("/calls", String(body.secret))).status).toBe(200);
    const rules = { models: ["gpt-*"], requestsPerMinute: 60 };
    const ruled = await ask(`/keys/${body.keyId}/rules`, keys.a, { method: "PUT", body: JSON.stringify(rules) });
    expect([ruled.status, ruled.body]).toMatchObject([200, { keyId: body.keyId, rules }]);
    const wrong = await ask(`/keys/${body.keyId}/rules`, keys.a, { method: "PUT", body: '{"requestsPerMinute":0}' });
    expect(wrong.body).toMatchObject({ status: 400, field: "body.requestsPerMinute" });
    expect((await ask(`/keys/${body.keyId}`, keys.a, { method: "DELETE" })).body).toEqual({
      keyId: body.keyId,
      revoked: true,
    });
    expect((await ask("/calls", String(body.secret))).status).toBe(401);
  });

  it("keeps workspaces apart, and lets only an org-wide key name another", async () => {
    await post("/outcomes", outcome, keys.b);
    expect((await ask("/outcomes?task=T-1")).body.data).toEqual([]);
    expect((await ask(`/outcomes?task=T-1&workspace=${ORG}-b`)).status).toBe(404);
    expect((await ask(`/outcomes?task=T-1&workspace=${ORG}-b`, keys.wide)).body.data).toHaveLength(1);
    expect((await ask("/outcomes?task=T-1&workspace=elsewhere", keys.wide)).status).toBe(404);
    expect((await ask("/workspaces")).body.data).toHaveLength(1);
    expect((await ask("/workspaces", keys.wide)).body.data).toHaveLength(2);
  });

  it("never shows a secret again", async () => {
    expect(JSON.stringify((await ask("/keys")).body)).not.toMatch(/cs_(api|ingest|gateway)_\w{20}/);
  });
});

describe("what is asked", () => {
  it.each([
    ["/nowhere", 404, "unknown_path", undefined],
    ["", 404, "unknown_path", undefined],
    ["/outcomes", 400, "invalid_request", "task"],
    ["/cost", 400, "invalid_request", "groupBy"],
    ["/calls?limit=1001", 400, "invalid_request", "limit"],
    ["/calls?from=2026-01-02&to=2026-01-01", 400, "invalid_request", "to"],
    ["/calls?limit=1&limit=2", 400, "invalid_request", "limit"],
    ["/calls?to=9999-12-31", 400, "invalid_request", "to"],
    ["/calls?from=2026-02-30", 400, "invalid_request", "from"],
    ["/calls?from=1900-01-01", 400, "invalid_request", "from"],
    ["/cost?groupBy=day&tz=Nowhere/Else", 400, "invalid_request", "tz"],
    ["/traces?minCostUsd=1e3", 400, "invalid_request", "minCostUsd"],
    ["/traces/%E0%A4%A", 400, "invalid_request", "path"],
    ["/traces/unknown", 404, "not_found", undefined],
  ])("%s is %i", async (path, status, code, field) => {
    expect(await ask(path)).toMatchObject({
      status,
      body: { code, remedy: expect.any(String), ...(field === undefined ? {} : { field }) },
    });
  });

  it("knows a time zone by each of its names", async () => {
    for (const zone of ["UTC", "Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv"])
      expect(await ask(`/cost?groupBy=day&tz=${zone}`), zone).toMatchObject({ status: 200 });
  });

  it("tells a wrong method from a wrong path", async () => {
    expect((await ask("/calls", keys.a, { method: "DELETE" })).status).toBe(405);
  });

  it("names every problem of a body, and takes nothing half", async () => {
    const { status, body } = await post("/outcomes", {
      ...outcome,
      status: "great",
      extra: 1,
      subject: { task: "T-half" },
    });
    expect(status).toBe(400);
    expect(body.detail).toContain("body.status");
    expect(body.detail).toContain("body.extra");
    expect((await ask("/outcomes?task=T-half")).body.data).toEqual([]);
    expect((await post("/outcomes", "{")).body).toMatchObject({ code: "invalid_request", field: "body" });
    expect((await post("/outcomes", `"${"x".repeat(11 * 1024 * 1024)}"`)).status).toBe(413);
  });

  it("refuses a key for a team that is not there", async () => {
    expect((await post("/keys", { name: "x", kind: "gateway", team: "ghosts" })).body).toMatchObject({
      field: "body.team",
    });
  });
});

describe("outcomes", () => {
  it("posted twice are one", async () => {
    const first = await post("/outcomes", { ...outcome, subject: { task: "T-2" } });
    const second = await post("/outcomes", { ...outcome, subject: { task: "T-2" } });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.outcomeId).toBe(first.body.outcomeId);
    expect((await ask("/outcomes?task=T-2")).body.data).toHaveLength(1);
  });

  it("are as of when they were said first, however often they are said again", async () => {
    const named = { ...outcome, subject: { task: "T-5" } };
    const say = async (status: string) => (await post("/outcomes", { ...named, status })).body;
    const first = await say("passed");
    expect(await say("passed")).toEqual(first);
    const failed = await say("failed");
    const again = await say("passed");
    expect(await say("passed")).toEqual(again);
    expect((await ask("/outcomes?task=T-5")).body.data).toEqual([again, failed, first]);
  });

  it("of what is to come are refused", async () => {
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
    const at = (minutes: number) => post("/outcomes", { ...outcome, subject: { task: "T-6" }, at: inMinutes(minutes) });
    expect(await at(4)).toMatchObject({ status: 201 });
    expect(await at(7)).toMatchObject({ status: 400, body: { code: "invalid_request", field: "body" } });
  });

  it("with a key of their own change nothing when repeated, and can't be made another", async () => {
    const posted = { ...outcome, subject: { task: "T-4" }, idempotencyKey: "ci-4" };
    const first = await post("/outcomes", posted);
    expect(await post("/outcomes", posted)).toMatchObject({ status: 201, body: first.body });
    const other = await post("/outcomes", { ...posted, status: "failed" });
    expect(other).toMatchObject({ status: 409, body: { code: "conflict", field: "body.idempotencyKey" } });
    expect((await ask("/outcomes?task=T-4")).body.data).toEqual([first.body]);
  });

  it("of an instant that no store holds are refused by name", async () => {
    for (const at of ["1969-12-31", "2300-01-01", "soon"])
      expect(await post("/outcomes", { ...outcome, at })).toMatchObject({ status: 400, body: { field: "body.at" } });
  });

  it("come from a report and its exit code", async () => {
    const report =
      '<testsuites><testsuite name="s"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite></testsuites>';
    const { status, body } = await post("/outcomes/junit?task=T-3&exitCode=1", report, keys.ingest);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: "failed",
      subject: { task: "T-3" },
      evidence: { passed: 1, failed: 1, exitCode: 1 },
    });
    const otherwise = await post("/outcomes/junit?task=T-3&exitCode=0", report, keys.ingest);
    expect(otherwise.body.outcomeId).not.toBe(body.outcomeId);
    // Uploaded again it is no news.
    expect((await post("/outcomes/junit?task=T-3&exitCode=1", report, keys.ingest)).body).toEqual(body);
    expect((await post("/outcomes/junit?exitCode=0", report)).status).toBe(400);
    expect((await post("/outcomes/junit?task=T-3", "not xml")).body.code).toBe("invalid_file");
  });
});

it("says a store is away, and is back by itself", async () => {
  const client = createApiClient((path) =>
    api.handle(new Request(`http://api.test${path}`, { headers: { authorization: `Bearer ${keys.a}` } })),
  );
  expect((await client.health()).status).toBe("ok");
  await gate.shut();
  const away = await ask("/calls");
  expect(away).toMatchObject({ status: 503, body: { code: "store_unavailable" } });
  expect(Number(away.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await client.health()).toMatchObject({ status: "degraded", stores: { warehouse: "away", control: "ok" } });
  await expect(client.calls()).rejects.toMatchObject({ code: "store_unavailable" });
  await gate.open();
  expect((await client.calls()).data).toEqual([]);
});

it("documents every route, with schemas and the one error shape", () => {
  const document = describeApi(ROUTES);
  const paths = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(paths).toEqual(expect.arrayContaining(ROUTES.map((route) => `${route.method.toLowerCase()} ${route.path}`)));
  expect(JSON.stringify(document)).toContain("#/components/schemas/Problem");
});
