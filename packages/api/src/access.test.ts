/** Who may ask for what, of every route there is: by role, by kind and scopes of a key, and across workspaces. */
import { createWallClock, parseDecimal } from "@centspan/base";
import { openControl } from "@centspan/control";
import {
  MEMBER_ROLES,
  type MemberRole,
  may,
  PERMISSIONS_OF_ROLE,
  type Permission,
  type Principal,
  type SpanRecord,
} from "@centspan/model";
import { openWarehouse } from "@centspan/warehouse";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTraceApi, ROUTES } from "./index.ts";
import type { Route } from "./route.ts";
import { exportSignals, toAttributes } from "./testing/export-signals.ts";
import { makeCall } from "./testing/use-api.ts";

const ORG = `access-${process.pid}`;
const [MINE, THEIRS, FILLED] = [`${ORG}-mine`, `${ORG}-theirs`, `${ORG}-filled`];
/** In every text of the other workspace. */
const MARK = "zebra";
const TRACE = "ab".repeat(16);
const SPAN = "cd".repeat(8);
const NOW_NS = BigInt(Date.now()) * 1_000_000n;

const control = openControl({ url: inject("databaseUrl") });
const warehouse = openWarehouse({
  url: new URL(`/access_${process.pid}`, inject("clickhouseUrl")).href,
  books: control,
});
const api = createTraceApi({ warehouse, control, clock: createWallClock() });
const secrets: Record<string, string> = {};
/** Ids of what the other workspace has, by the parameters that name them. */
const theirs: Record<string, string> = {
  traceId: TRACE,
  spanId: SPAN,
  name: MARK,
  id: MARK,
  table: "spans",
  signal: "traces",
  token: "none",
};

const span: SpanRecord = {
  traceId: TRACE,
  spanId: SPAN,
  parentSpanId: "",
  name: `chat ${MARK}`,
  kind: "client",
  service: MARK,
  startedAtNs: NOW_NS - 1_000_000n,
  endedAtNs: NOW_NS,
  status: "error",
  statusMessage: `could not answer ${MARK}`,
  attributes: { "gen_ai.input.messages": `tell me of ${MARK}`, "gen_ai.request.model": "m", "input.value": MARK },
  resourceAttributes: { "service.name": MARK, "process.command_args": MARK },
  scopeName: "",
  trusted: false,
  events: [
    { atNs: NOW_NS, name: "gen_ai.user.message", attributes: { content: `a ${MARK}`, "gen_ai.system": "openai" } },
  ],
  links: [],
};

const logs = {
  resourceLogs: [
    {
      resource: { attributes: toAttributes({ "service.name": MARK }) },
      scopeLogs: [
        {
          logRecords: [
            {
              timeUnixNano: String(NOW_NS),
              traceId: TRACE,
              eventName: "user_prompt",
              body: { stringValue: `tell me of ${MARK}` },
              attributes: toAttributes({ prompt: MARK, "gen_ai.request.model": "m" }),
            },
          ],
        },
      ],
    },
  ],
};

async function fill(workspace: string): Promise<void> {
  const cost = parseDecimal("2");
  const price = { unitPriceUsd: cost, listUnitPriceUsd: null, costUsd: cost, priceEntryId: "p", ratingRunId: "r" };
  await warehouse.insertCalls(workspace, [
    makeCall({
      ...{ callId: MARK, atNs: NOW_NS, traceId: TRACE, spanId: SPAN, key: MARK, keyId: MARK, team: MARK, task: MARK },
      ...{ runId: MARK, model: MARK, costStatus: "rated", costUsd: cost },
      lines: [{ meter: "input", quantity: 1, ...price }],
    }),
  ]);
  await warehouse.insertSpans(workspace, [span]);
  await exportSignals(warehouse, workspace, "logs", logs);
  await warehouse.insertOutcomes(workspace, [
    {
      ...{ outcomeId: MARK, subject: { task: MARK }, kind: "tests", status: "passed", weight: 1 },
      ...{ source: MARK, evidence: {}, atNs: NOW_NS },
    },
  ]);
  await control.ensureTeam(workspace, { id: MARK, name: MARK, department: MARK });
  await control.setReviewRate(workspace, { team: MARK, usdPerHour: "1" }, MARK);
  const { token: _token, ...invited } = await control.invite(
    workspace,
    { email: `${MARK}@x.example`, role: "viewer" },
    MARK,
  );
  theirs.invitationId = invited.invitationId;
}

beforeAll(async () => {
  await Promise.all([warehouse.migrate(), control.migrate()]);
  for (const id of [MINE, THEIRS, FILLED]) await control.ensureWorkspace(ORG, { id, name: id });
  const make = async (workspace: string, name: string, kind: "api" | "ingest" | "gateway", scopes?: Permission[]) => {
    const key = await control.createKey({ workspace, name, kind, team: null, scopes: scopes ?? null }, "tests");
    secrets[name] = key.secret;
    return key.keyId;
  };
  await make(MINE, "all", "api");
  await make(MINE, "figures", "api", ["figures.read"]);
  await make(MINE, "reports", "api", ["outcomes.write"]);
  await make(MINE, "spans", "ingest");
  await make(MINE, "agent", "gateway");
  theirs.keyId = await make(THEIRS, MARK, "api");
  await fill(THEIRS);
});
afterAll(() => Promise.all([warehouse.close(), control.close()]));

const QUERIES: Record<string, string> = {
  sumCosts: "groupBy=team",
  costOutcomes: "groupBy=team",
  sumWaste: "groupBy=team",
  listOccupancy: "from=2026-01-01&to=2026-01-02",
  compareOutcomes: "a.team=x&b.team=y",
  exportFocus: "version=1.2&period=2026-01",
  deleteWorkspace: "confirm=none",
};

function buildRequest({ id, method, path }: Route, params: Record<string, string>, more = "", key?: string): Request {
  const own = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? "x"));
  const query = [QUERIES[id], more].filter(Boolean).join("&");
  const hasBody = method === "POST" || method === "PUT";
  return new Request(`http://api.test/api/v1${own}${query === "" ? "" : `?${query}`}`, {
    method,
    headers: {
      "content-type": "application/json",
      ...(key !== undefined && { authorization: `Bearer ${secrets[key]}` }),
    },
    ...(hasBody && { body: "{}" }),
  });
}

const person = (role: MemberRole, workspace = MINE): Principal => ({
  ...{ keyId: `per_${role}`, keyName: role, kind: "person", scopes: PERMISSIONS_OF_ROLE[role] },
  ...{ workspace, org: ORG, orgWide: false, team: null, rules: {} },
});
const countChanges = async (workspace: string): Promise<number> => (await control.listAudit(workspace, 10_000)).length;

/** Routes that take a body and change nothing. */
const READS = ["previewPrices"];
/** Where a link, or any key, says enough. */
const OPEN = ["readSelf", "readApproval", "decideApproval"];
const names = ROUTES.map((route) => [route.id, route] as const);

describe("the table", () => {
  it.each(names)(
    "%s says what it needs, and needs more than reading where it changes something",
    (id, { method, needs }) => {
      if (needs === null) return expect(OPEN).toContain(id);
      if (method === "GET" || READS.includes(id)) return expect(needs).toMatch(/\.(read|manage|export)$|^keys.write$/);
      return expect(may(person("viewer"), needs)).toBe(false);
    },
  );
});

describe("a person", () => {
  it.each(MEMBER_ROLES)("who is %s is answered exactly where the role has what a route needs", async (role) => {
    const wrong: unknown[] = [];
    for (const route of ROUTES.filter(({ hasToken }) => !hasToken)) {
      const { status } = await api.handle(buildRequest(route, {}), person(role));
      const mayAsk = route.needs === null || may(person(role), route.needs);
      if ((status !== 403) !== mayAsk || status === 401 || status >= 500) wrong.push([route.id, route.needs, status]);
    }
    expect(wrong).toEqual([]);
  });

  it("who is a viewer changes nothing, whatever is asked for", async () => {
    await fill(FILLED);
    const before = await countChanges(FILLED);
    for (const route of ROUTES.filter(({ method }) => method !== "GET"))
      await api.handle(buildRequest(route, { ...theirs, keyId: "x" }), person("viewer", FILLED));
    expect(await countChanges(FILLED)).toBe(before);
  });

  it.each([
    ["finance", false],
    ["viewer", false],
    ["engineer", true],
    ["owner", true],
  ] as const)("who is %s reads content: %s", async (role, reads) => {
    const who = person(role, THEIRS);
    const ask = async (path: string) => (await api.handle(new Request(`http://api.test/api/v1${path}`), who)).text();
    const [detail, log] = [await ask(`/traces/${TRACE}/spans/${SPAN}`), await ask(`/logs?traceId=${TRACE}`)];
    for (const text of ["tell me of", "could not answer", `"a ${MARK}"`, 'input.value":', 'process.command_args":'])
      expect([text, detail.includes(text)]).toEqual([text, reads]);
    expect([log.includes("tell me of"), log.includes(`"prompt":"${MARK}"`)]).toEqual([reads, reads]);
    // Figures and names stay, and what was left out is named.
    for (const answer of [detail, log]) expect(answer).toContain('"gen_ai.request.model":"m"');
    expect(JSON.parse(detail).hidden).toEqual(
      reads
        ? []
        : [
            "statusMessage",
            "gen_ai.input.messages",
            "input.value",
            "process.command_args",
            "gen_ai.user.message: content",
          ],
    );
    const guess = await api.handle(new Request(`http://api.test/api/v1/logs?attribute=prompt%3D${MARK}`), who);
    expect(guess.status).toBe(reads ? 200 : 403);
  });

  it("who reads no content finds none of it in any other answer", async () => {
    const found: string[] = [];
    for (const route of ROUTES.filter(({ method, hasToken }) => method === "GET" && !hasToken)) {
      const text = await (await api.handle(buildRequest(route, theirs), person("finance", THEIRS))).text();
      if (/tell me of|could not answer|a zebra/.test(text)) found.push(route.id);
    }
    expect(found).toEqual([]);
  });
});

describe("a key", () => {
  it.each([
    ["figures", ["figures.read"]],
    ["reports", ["outcomes.write"]],
    ["spans", ["telemetry.send", "outcomes.write"]],
    ["agent", ["calls.make"]],
  ] as const)("of %s may what %j says, and no more", async (key, permissions) => {
    const wrong: unknown[] = [];
    for (const route of ROUTES.filter(({ hasToken }) => !hasToken)) {
      const { status } = await api.handle(buildRequest(route, {}, "", key));
      const mayAsk = route.needs === null || permissions.some((permission) => permission === route.needs);
      if ((status !== 403) !== mayAsk || status === 401) wrong.push([route.id, route.needs, status]);
    }
    expect(wrong).toEqual([]);
  });

  it("that is not known is answered nowhere, but where a link is the credential", async () => {
    for (const route of ROUTES) {
      const { status } = await api.handle(buildRequest(route, {}));
      expect([route.id, status]).toEqual([route.id, route.hasToken ? 404 : 401]);
    }
  });

  it("manages no people, and gives no key more than it has", async () => {
    const make = (key: string, body: unknown) =>
      api.handle(
        new Request("http://api.test/api/v1/keys", {
          method: "POST",
          headers: { authorization: `Bearer ${secrets[key]}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    const engineer = person("engineer");
    const asEngineer = async (body: unknown) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      return (await api.handle(new Request("http://api.test/api/v1/keys", init), engineer)).status;
    };
    expect((await make("all", { name: "members", kind: "api", scopes: ["members.manage"] })).status).toBe(201);
    const { status } = await api.handle(buildRequest(requireRoute("listMembers"), {}, "", "all"));
    expect(status).toBe(403);
    expect(await asEngineer({ name: "a", kind: "gateway" })).toBe(201);
    expect(await asEngineer({ name: "b", kind: "api", scopes: ["figures.read", "content.read"] })).toBe(201);
    expect(await asEngineer({ name: "c", kind: "api" })).toBe(403);
    expect(await asEngineer({ name: "d", kind: "api", scopes: ["budgets.write"] })).toBe(403);
    expect(await asEngineer({ name: "e", kind: "gateway-ingest" })).toBe(403);
    expect(await asEngineer({ name: "f", kind: "gateway", rules: { content: true } })).toBe(403);
    expect(await asEngineer({ name: "g", kind: "ingest", scopes: ["figures.read"] })).toBe(400);
  });

  it("of one workspace sees nothing of another, and changes nothing there", async () => {
    const before = await countChanges(THEIRS);
    const seen: string[] = [];
    for (const route of ROUTES.filter(({ hasToken }) => !hasToken)) {
      const named = await api.handle(buildRequest(route, theirs, `workspace=${THEIRS}`, "all"));
      expect([route.id, named.status]).toEqual([route.id, 404]);
      const text = await (await api.handle(buildRequest(route, theirs, "", "all"))).text();
      // A refusal repeats the address that was asked for; an answer has nothing to repeat.
      if (text.includes(MARK) && !text.includes('"code":')) seen.push(route.id);
    }
    expect(seen).toEqual([]);
    expect(await countChanges(THEIRS)).toBe(before);
    // What the other workspace has is shown to its own key: the test would see it.
    const shown: string[] = [];
    for (const route of ROUTES.filter(({ method, hasToken }) => method === "GET" && !hasToken)) {
      const own = await (await api.handle(buildRequest(route, theirs, "", MARK))).text();
      if (own.includes(MARK) && !own.includes('"code":')) shown.push(route.id);
    }
    expect(shown).toEqual(expect.arrayContaining(SHOWN));
  });
  const SHOWN = [
    "listTraces",
    "readTrace",
    "readSpan",
    "listLogs",
    "listCalls",
    "sumCosts",
    "listTasks",
    "listKeys",
    "listAudit",
  ];
});

function requireRoute(id: string): Route {
  const route = ROUTES.find((one) => one.id === id);
  if (route === undefined) throw new Error(`there is no route ${id}`);
  return route;
}
