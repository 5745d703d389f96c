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
  const chosen = findRoute(rules, identity);
  if (chosen === undefined) return request;
  const { model = request.model, effort = request.effort } = chosen;
  const additions = {
    ...request.additions,
    ...(model !== request.model && { model }),
    ...(effort !== request.effort && protocol.writeEffort?.(json, effort)),
  };
  return { ...request, model, effort, additions };
}

/** What the rules choose for a part of the work; undefined where they leave it to the client. */
export const findRoute = (rules: KeyRules, identity: SpanAttributes) =>
  rules.routes?.find(
    ({ role, taskType }) =>
      (role === undefined || role === identity["centspan.role"]) &&
      (taskType === undefined || taskType === identity["centspan.task.type"]),
  );
