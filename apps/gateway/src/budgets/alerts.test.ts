import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { parseDecimal } from "@centspan/base";
import { type Control, openControl } from "@centspan/control";
import { type Budget, budgetInputSchema, findBudgetPeriod } from "@centspan/model";
import { waitUntil } from "@centspan/testing";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { createLog } from "./alerts/log-alert.ts";
import { createMail } from "./alerts/mail-alert.ts";
import { type Alerts, type Channels, openAlerts } from "./alerts/open-alerts.ts";
import { createWebhook, isWebhookSecret } from "./alerts/post-alert.ts";

let control: Control;
const workspace = `w-${randomBytes(6).toString("hex")}`;
const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const NOW_MS = Date.parse("2026-11-15T23:00:00Z");
const closing: (() => unknown)[] = [];
let made = 0;

beforeAll(async () => {
  control = openControl({ url: inject("databaseUrl") });
  await control.migrate();
  await control.ensureWorkspace("local", { id: workspace, name: workspace });
});
afterAll(() => control.close());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function createBudget(alerts: object): Promise<Budget> {
  const input = { name: `b${++made}`, scope: "team", subject: "ci", period: "month", timeZone: "Europe/Berlin" };
  const budget = budgetInputSchema.parse({ ...input, limitUsd: "10", alerts });
  return control.createBudget(workspace, budget, "tests");
}

/** What a gateway learns when that much is spent. */
async function spend(alerts: Alerts, budget: Budget, spentUsd: string): Promise<void> {
  const period = findBudgetPeriod(budget, NOW_MS);
  const id = { budgetId: budget.budgetId, subject: "ci", from: new Date(period.fromMs) };
  const zero = parseDecimal("0");
  const holder = randomBytes(4).toString("hex");
  const nothing = { spentUsd: zero, asideUsd: zero, wantedUsd: [], nextUsd: zero };
  const state = await control.visitBudgetAccount({ ...id, ...nothing, holder, visit: 1, ttlMs: 1_000 });
  if (state === null) throw new Error("no account");
  alerts.consider({ budget, id, period, nowMs: NOW_MS }, { ...state, spentUsd: parseDecimal(spentUsd) });
}

function open(channels: Channels, everyMs?: number) {
  const failures: unknown[] = [];
  const report = (thrown: unknown): void => void failures.push(thrown);
  const alerts = openAlerts({ channels, store: control, report, ...(everyMs !== undefined && { everyMs }) });
  closing.push(() => alerts.close());
  return { alerts, failures };
}

async function startReceiver(answers: number[] = []) {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    seen.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(answers.shift() ?? 204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return { seen, host, url: `http://${host}/hook` };
}

it.each([
  ["a text", "s3cret", false],
  ["nothing behind the prefix", "whsec_", false],
  ["fewer than 24 bytes", `whsec_${Buffer.alloc(23).toString("base64")}`, false],
  ["24 bytes", `whsec_${Buffer.alloc(24).toString("base64")}`, true],
  ["64 bytes", `whsec_${Buffer.alloc(64).toString("base64")}`, true],
  ["no base64", `whsec_${"-".repeat(32)}`, false],
])("a webhook's secret: %s", (_what, secret, isOne) => expect(isWebhookSecret(secret)).toBe(isOne));

describe("alerts of a budget", () => {
  it("are told once for each threshold that was passed, and for a forecast above the limit, by all gateways together", async () => {
    const lines: string[] = [];
    const channels = { log: createLog((line) => lines.push(line)) };
    const both = [open(channels), open(channels)];
    const budget = await createBudget({ thresholds: [50, 80] });
    const read = () => lines.map((line) => JSON.parse(line)).filter((line) => line.budget.budgetId === budget.budgetId);
    for (const { alerts } of both) await spend(alerts, budget, "4");
    for (const { alerts } of both) await spend(alerts, budget, "6");
    await waitUntil("two alerts", () => read().length === 2);
    for (const { alerts } of both) await spend(alerts, budget, "8.5");
    await waitUntil("three alerts", () => read().length === 3);
    for (const { alerts } of both) await alerts.close();
    expect(read().map((line) => [line.thresholdPercent ?? line.reason, line.spentUsd, line.forecastUsd])).toEqual(
      expect.arrayContaining([
        [50, "6", null],
        ["forecast", "6", "12"],
        [80, "8.5", null],
      ]),
    );
    expect(read()).toHaveLength(3);
    expect(read()[0]).toMatchObject({
      ...{ type: "budget.alert", workspace, limitUsd: "10", resetsAt: "2026-11-30T23:00:00.000Z" },
      budget: { name: budget.name, scope: "team", subject: "ci", timeZone: "Europe/Berlin" },
    });
    expect(both.flatMap(({ failures }) => failures)).toEqual([]);
  });

  it("are told again once the limit is another", async () => {
    const lines: string[] = [];
    const both = [1, 2].map(() => open({ log: createLog((line) => lines.push(line)) }));
    const budget = await createBudget({ thresholds: [80, 80], forecast: false });
    const { workspace: _own, budgetId, createdAt: _at, ...input } = budget;
    const read = () => lines.map((line) => JSON.parse(line)).filter((line) => line.budget.budgetId === budgetId);
    for (const { alerts } of both) await spend(alerts, budget, "8");
    await waitUntil("the first", () => read().length === 1);
    await control.replaceBudget(workspace, budgetId, { ...input, limitUsd: "100" }, "tests");
    for (const { alerts } of both) await spend(alerts, budget, "79");
    for (const { alerts } of both) await spend(alerts, budget, "85");
    for (const { alerts } of both) await alerts.close();
    expect(read().map(({ spentUsd, limitUsd }) => [spentUsd, limitUsd])).toEqual([
      ["8", "10"],
      ["85", "100"],
    ]);
    expect(both.flatMap(({ failures }) => failures)).toEqual([]);
  });

  it("go to its webhook, signed as Standard Webhooks are", async () => {
    const receiver = await startReceiver();
    const { alerts } = open({ webhook: createWebhook({ secret: SECRET, hosts: [receiver.host] }) });
    const budget = await createBudget({ thresholds: [80], webhook: receiver.url });
    await spend(alerts, budget, "9");
    const [{ headers, body } = { headers: {}, body: "" }] = await waitUntil(
      "the webhook",
      () => receiver.seen.length === 2 && receiver.seen,
    );
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = headers;
    const signed = {
      "webhook-id": String(id),
      "webhook-timestamp": String(at),
      "webhook-signature": String(signature),
    };
    expect(() => new Webhook(SECRET).verify(body, signed)).not.toThrow();
    expect(() => new Webhook(SECRET).verify(`${body} `, signed)).toThrow();
    expect(JSON.parse(body)).toMatchObject({ id, type: "budget.alert", budget: { budgetId: budget.budgetId } });
  });

  it("go to no host that the gateway does not name", async () => {
    const receiver = await startReceiver();
    const { alerts, failures } = open({ webhook: createWebhook({ secret: SECRET, hosts: ["hooks.example.com"] }) });
    await spend(alerts, await createBudget({ webhook: receiver.url }), "10");
    await alerts.close();
    expect(receiver.seen).toEqual([]);
    expect(failures).toEqual([]);
  });

  it("don't hold up each other: a webhook that fails is reported, and the log has it", async () => {
    const receiver = await startReceiver([500]);
    const lines: string[] = [];
    const { alerts, failures } = open({
      log: createLog((line) => lines.push(line)),
      webhook: createWebhook({ secret: SECRET, hosts: [receiver.host] }),
    });
    const budget = await createBudget({ thresholds: [80], forecast: false, webhook: receiver.url });
    await spend(alerts, budget, "8");
    await waitUntil("the failure", () => failures.length === 1);
    expect(String(failures[0])).toContain("500");
    expect(lines.filter((line) => line.includes(budget.budgetId))).toHaveLength(1);
  });

  it("go by mail to those that it names", async () => {
    const mails: string[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData(stream, session, done) {
        const parts: Buffer[] = [];
        stream.on("data", (part: Buffer) => parts.push(part));
        stream.on("end", () => {
          const to = session.envelope.rcptTo.map(({ address }) => address).join(",");
          mails.push(`${to}\n${Buffer.concat(parts)}`);
          done();
        });
      },
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    closing.push(() => new Promise<void>((resolve) => server.close(resolve)));
    const address = server.server.address();
    const url = `smtp://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const { alerts } = open({ email: createMail({ url, from: "Centspan <alerts@example.com>" }) });
    const email = ["lead@example.com", "finance@example.com"];
    const budget = await createBudget({ thresholds: [80], forecast: false, email });
    await spend(alerts, budget, "8.25");
    await waitUntil("the mail", () => mails.length === 1);
    const mail = (mails[0] ?? "").replaceAll("=\r\n", "");
    for (const said of [
      email.join(","),
      "From: Centspan <alerts@example.com>",
      `Budget ${budget.name}`,
      "8.25 of 10 USD",
    ])
      expect(mail).toContain(said);
  });
});
