/** A mail to the budget's addresses, through an SMTP server. */
import { createTransport } from "nodemailer";
import { type Channel, writeAlert } from "./channel.ts";

/** `url`: smtp://user:password@host:587, or smtps:// for TLS from the first byte. */
export type MailSettings = { url: string; from: string };

const PATIENCE_MS = 10_000;

export function createMail({ url, from }: MailSettings): Channel {
  const transport = createTransport({
    url,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
  });
  return {
    serves: ({ alerts: { email } }) => email.length > 0,
    async send(alert) {
      const text = writeAlert(alert);
      const subject = `Budget ${alert.budget.name}: ${text.split(": ")[0]}`.slice(0, 200);
      await transport.sendMail({ from, to: alert.budget.alerts.email, subject, text });
    },
  };
}
