/**
 * Asks a classifier of yours over HTTP: `POST {"text": …}`, answered with `{"allowed": true | false, "reason"?: …}`.
 * One that is away, slow or says something else refuses, unless the settings let such requests pass; those are flagged and read
 * again next time.
 */
import { CentspanError } from "@centspan/base";
import { defineSafetyPlugin, type SafetyVerdict } from "@centspan/model";
import { readConfig } from "@centspan/service";
import { request } from "undici";
import { z } from "zod";

const settingsSchema = z.object({
  CENTSPAN_SAFETY_CLASSIFIER_URL: z.union([z.literal(""), z.url()]).optional(),
  CENTSPAN_SAFETY_CLASSIFIER_TIMEOUT_MS: z.coerce.number().int().positive().max(600_000).default(2_000),
  CENTSPAN_SAFETY_CLASSIFIER_AWAY: z.enum(["refuse", "pass"]).default("refuse"),
});

const answerSchema = z.looseObject({ allowed: z.boolean(), reason: z.string().max(1000).optional() });

export default defineSafetyPlugin({
  id: "http-classifier",
  describe: "A classifier of your own, asked over HTTP",
  open(settings) {
    const config = readConfig(settingsSchema, settings);
    const url = config.CENTSPAN_SAFETY_CLASSIFIER_URL ?? "";
    if (url === "") return null;
    return async (text) => {
      // Nothing new: nothing to ask.
      if (text === "") return { allowed: true, reason: "" };
      try {
        return await ask(url, text, config.CENTSPAN_SAFETY_CLASSIFIER_TIMEOUT_MS);
      } catch (cause) {
        if (config.CENTSPAN_SAFETY_CLASSIFIER_AWAY === "pass") return { allowed: true, reason: "", unread: true };
        throw new CentspanError("check_unavailable", "http-classifier: did not give a verdict", {
          retryAfterS: 1,
          cause,
        });
      }
    };
  },
});

async function ask(url: string, text: string, timeoutMs: number): Promise<SafetyVerdict> {
  const answer = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
    // Of all of it: an answer that drips is slow, too.
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { allowed, reason = "was refused by the classifier" } = answerSchema.parse(await answer.body.json());
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  return { allowed, reason };
}
