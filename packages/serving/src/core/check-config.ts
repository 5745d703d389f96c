/** What a serving core refuses: settings that can't work and requests that could never fit, each naming its field. */
import { assert, CentspanError } from "@centspan/base";
import type { ServingConfig, ServingRequest } from "../serving-types.ts";

const COUNTS = ["blockTokens", "capacityBlocks", "maxSequences", "tokenBudget"] as const;

export function checkConfig(config: ServingConfig): void {
  for (const field of COUNTS) {
    const count = config[field];
    if (Number.isSafeInteger(count) && count > 0) continue;
    throw new CentspanError("invalid_request", `${field} must be a whole number above 0, not ${count}`, { field });
  }
  const { tokenBudget, maxSequences } = config;
  if (tokenBudget >= maxSequences) return;
  const message = `a token budget of ${tokenBudget} leaves ${maxSequences} sequences no token each`;
  throw new CentspanError("invalid_request", message, { field: "tokenBudget" });
}

type RequestSize = Pick<ServingRequest, "promptTokens" | "outputTokens" | "importedTokens">;

export function checkRequest({ blockTokens, capacityBlocks }: ServingConfig, request: RequestSize): void {
  const { promptTokens, outputTokens, importedTokens = 0 } = request;
  assert(promptTokens > 0 && outputTokens > 0, "a request has a prompt and an output");
  assert(importedTokens < promptTokens, "the last token of a prompt is computed where the answer is made");
  const tokens = promptTokens + outputTokens;
  if (Math.ceil(tokens / blockTokens) <= capacityBlocks) return;
  const most = capacityBlocks * blockTokens;
  const message = `a request of ${tokens} tokens, prompt and output; this engine holds ${most}`;
  throw new CentspanError("invalid_request", message, { field: "capacityBlocks" });
}
