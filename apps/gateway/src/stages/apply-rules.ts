/** What a key's rules make of a request: whether it may have the model, and which one does this part of the work. */
import { CentspanError } from "@centspan/base";
import { type KeyRules, matchesModel } from "@centspan/model";
import type { SpanAttributes } from "@centspan/telemetry";
import type { Exchange } from "../exchange.ts";
import type { InferenceRequest } from "../protocols/protocol.ts";

/** Throws `forbidden` for a model that the key may not ask for. What a rule chooses needs no permission. */
export function applyRules(exchange: Exchange, request: InferenceRequest, json: unknown): InferenceRequest {
  const { rules, identity, protocol } = exchange;
  if (rules.models !== undefined && !rules.models.some((pattern) => matchesModel(pattern, request.model))) {
    const message = `model: this key may ask for ${rules.models.join(", ")}, not ${JSON.stringify(request.model)}`;
    throw new CentspanError("forbidden", message, { field: "model" });
  }
  const { model = request.model, effort = request.effort } = findRoute(rules, identity) ?? {};
  const limit = limitOutput(exchange, request);
  if (model === request.model && effort === request.effort && limit === null) return request;
  const additions = {
    ...request.additions,
    ...(model !== request.model && { model }),
    ...(effort !== request.effort && protocol.writeEffort?.(json, effort)),
    ...(limit !== null && protocol.writeOutputLimit?.(limit)),
  };
  return { ...request, model, effort, additions, maxOutputTokens: limit ?? request.maxOutputTokens };
}

/** The limit that is set in the request's place; null where it has its own. */
function limitOutput({ rules, protocol }: Exchange, { maxOutputTokens }: InferenceRequest): number | null {
  const limit = rules.maxOutputTokens;
  if (limit === undefined || (protocol.writeOutputLimit === undefined && maxOutputTokens === null)) return null;
  if (maxOutputTokens === null) return limit;
  if (maxOutputTokens <= limit) return null;
  const message = `the request's limit of ${maxOutputTokens} output tokens: this key may ask for ${limit}`;
  throw new CentspanError("forbidden", message);
}

/** What the rules choose for a part of the work; undefined where they leave it to the client. */
export const findRoute = (rules: KeyRules, identity: SpanAttributes) =>
  rules.routes?.find(
    ({ role, taskType }) =>
      (role === undefined || role === identity["centspan.role"]) &&
      (taskType === undefined || taskType === identity["centspan.task.type"]),
  );
