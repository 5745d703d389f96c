/** The channels that the gateway's settings make possible; the log always is. */

import { createLog } from "./log-alert.ts";
import { createMail, type MailSettings } from "./mail-alert.ts";
import type { Channels } from "./open-alerts.ts";
import { createWebhook, type WebhookSettings } from "./post-alert.ts";

export type ChannelSettings = { webhook?: WebhookSettings; mail?: MailSettings };

export const openChannels = ({ webhook, mail }: ChannelSettings): Channels => ({
  log: createLog(),
  ...(webhook && { webhook: createWebhook(webhook) }),
  ...(mail && { email: createMail(mail) }),
});
