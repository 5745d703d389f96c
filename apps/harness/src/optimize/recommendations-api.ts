/** The little of the Trace API that applying needs, over HTTP. */
import { CentspanError } from "@centspan/base";
import { type Recommendation, recommendationSchema } from "@centspan/model";
import { sendJson } from "./send-json.ts";

export type RecommendationsApi = {
  read(id: string, signal: AbortSignal): Promise<Recommendation>;
  /** Says that it has been applied. Refused by the API unless it is accepted. */
  sayApplied(id: string, signal: AbortSignal): Promise<Recommendation>;
};

const PEER = "the Trace API";
/** Who applies, as it is kept with the step. */
const APPLIER = "centspan optimizer agent";

export function createRecommendationsApi({ apiUrl, apiKey }: { apiUrl: string; apiKey: string }): RecommendationsApi {
  const ask = async (id: string, step: string, signal: AbortSignal, body?: object): Promise<Recommendation> => {
    const answer = await sendJson(PEER, {
      url: `${apiUrl}/api/v1/recommendations/${encodeURIComponent(id)}${step}`,
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${apiKey}` },
      body,
      signal,
    });
    const parsed = recommendationSchema.safeParse(answer);
    if (parsed.success) return parsed.data;
    throw new CentspanError("internal", `${PEER} answered something else than a recommendation`);
  };
  return {
    read: (id, signal) => ask(id, "", signal),
    sayApplied: (id, signal) => ask(id, "/applied", signal, { by: APPLIER }),
  };
}
