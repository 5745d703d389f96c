/**
 * A POST to the budget's address, signed as Standard Webhooks wants it (standardwebhooks.com): HMAC-SHA256 over id, time and
 * body. Only to hosts that whoever runs the gateway has named: budgets are set by people who don't.
 */
import { createHmac } from "node:crypto";
import { CentspanError } from "@centspan/base";
import { allowsHost, readHostPort } from "@centspan/model";
import { request } from "undici";
import { type Channel, describeAlert } from "./channel.ts";

export type WebhookSettings = { secret: string; hosts: readonly string[] };

const PATIENCE_MS = 10_000;
const USUAL_PORT: Partial<Record<string, number>> = { "https:": 443, "http:": 80 };

export const createWebhook = ({ secret, hosts }: WebhookSettings): Channel => ({
  serves: ({ alerts: { webhook } }) => webhook !== undefined && isAllowed(webhook, hosts),
  async send(alert) {
    const { webhook = "" } = alert.budget.alerts;
    const body = JSON.stringify(describeAlert(alert));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const answer = await request(webhook, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": alert.alertId,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${sign(secret, `${alert.alertId}.${timestamp}.${body}`)}`,
      },
      body,
      headersTimeout: PATIENCE_MS,
      bodyTimeout: PATIENCE_MS,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.body.dump();
    if (answer.statusCode < 200 || answer.statusCode > 299) {
      throw new CentspanError(
        "host_unreachable",
        `the webhook of budget ${alert.budget.name} answered ${answer.statusCode}`,
      );
    }
  },
});

const PREFIX = "whsec_";

/** As the standard writes them: 24 to 64 bytes. */
export const isWebhookSecret = (text: string): boolean =>
  text.startsWith(PREFIX) && /^[A-Za-z0-9+/]{32,86}={0,2}$/.test(text.slice(PREFIX.length));

const readKey = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), "base64");

const sign = (secret: string, text: string): string =>
  createHmac("sha256", readKey(secret)).update(text).digest("base64");

function isAllowed(webhook: string, hosts: readonly string[]): boolean {
  const { protocol, host } = new URL(webhook);
  const read = readHostPort(host);
  const port = read?.port ?? USUAL_PORT[protocol];
  return read !== null && port !== undefined && allowsHost(hosts, { host: read.host, port });
}
