/**
 * Applies what was accepted to our engine, while it runs.
 * Invariant: nothing is sent to the engine that is not accepted, as the Trace API says at that moment, whoever asks for it and
 * however; and what the API then does not take as applied is undone.
 */
import { CentspanError } from "@centspan/base";
import type { Recommendation } from "@centspan/model";
import { z } from "zod";
import { defineTool, type Tool } from "../tools/tool.ts";
import type { RecommendationsApi } from "./recommendations-api.ts";
import { sendJson } from "./send-json.ts";

const PEER = "the engine";
/** As the engine's settings have them, which it can change while it runs. */
const SETTINGS = new Set(["policy", "maxSequences", "tokenBudget", "chunkedPrefill", "draftTokens"]);
const WEIGHTS = new Set(["queueWeight", "decodeWeight", "activeWeight"]);

type Side = "now" | "proposed";

export const createApplyRecommendation = (api: RecommendationsApi, engineUrl: string): Tool =>
  defineTool({
    name: "apply_recommendation",
    description: "Applies a recommendation that was accepted to the engine, and says so in its record.",
    arguments: z.strictObject({ id: z.string().min(1).describe("The recommendation's id.") }),
    readOnly: false,
    async run({ id }, { output, signal }) {
      const recommendation = await api.read(id, signal);
      if (recommendation.state !== "accepted")
        throw new CentspanError("forbidden", `${id} is ${recommendation.state}: only what is accepted is applied`);
      const [change, undo] = [describeChange(recommendation, "proposed"), describeChange(recommendation, "now")];
      const patch = (body: object): Promise<unknown> =>
        sendJson(PEER, { url: new URL("/v1/settings", engineUrl).href, method: "PATCH", body, signal });
      await patch(change);
      try {
        const { state } = await api.sayApplied(id, signal);
        return { output: output.write(JSON.stringify({ id, state, settings: change })) };
      } catch (error) {
        await patch(undo);
        throw error;
      }
    },
  });

/** Throws `invalid_request` where a knob can't be changed while the engine runs: then nothing is. */
function describeChange({ changes }: Pick<Recommendation, "changes">, side: Side): Record<string, unknown> {
  const unknown = changes.find(({ knob }) => !SETTINGS.has(knob) && !WEIGHTS.has(knob) && knob !== "router");
  if (unknown !== undefined)
    throw new CentspanError("invalid_request", `${unknown.knob} can't be changed while the engine runs`);
  const settings = changes.filter(({ knob }) => SETTINGS.has(knob)).map((change) => [change.knob, change[side]]);
  const router = changes.find(({ knob }) => knob === "router");
  const weights = changes
    .filter((change) => WEIGHTS.has(change.knob) && typeof change[side] === "number")
    .map((change) => [change.knob, change[side]]);
  // A weight alone would need the router that it is of.
  if (router === undefined && weights.length > 0)
    throw new CentspanError("invalid_request", "weights of a router are changed together with it");
  return {
    ...Object.fromEntries(settings),
    ...(router !== undefined && {
      router: { id: router[side], ...(weights.length > 0 && { settings: Object.fromEntries(weights) }) },
    }),
  };
}
