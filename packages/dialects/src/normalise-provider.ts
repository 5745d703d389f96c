/**
 * One name per provider. Emitters write the API with it (`openai.chat`), the platform (`gcp.gemini`) or capitals;
 * where they name none, the family of the model tells whose it is. A name we don't know stays as it came.
 */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/^(aws[._-]?bedrock|bedrock|amazon[._-]bedrock)\b/, "aws-bedrock"],
  [/^azure/, "azure"],
  [/^(gcp|google|gemini|vertex)/, "google"],
  [/^anthropic\b/, "anthropic"],
  [/^openai\b/, "openai"],
  [/^(x_ai|xai)\b/, "xai"],
  [/^deepseek\b/, "deepseek"],
  [/^mistral/, "mistral"],
];

const BY_MODEL: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, "anthropic"],
  [/^(gpt-|o\d(-|$)|codex-)/, "openai"],
  [/^gemini-/, "google"],
  [/^grok-/, "xai"],
  [/^deepseek-/, "deepseek"],
];

export function normaliseProvider(provider: string, model: string): string {
  const name = provider.toLowerCase();
  if (name !== "") return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? name;
  // Routers write `vendor/model`.
  const [vendor, routed] = model.includes("/") ? model.toLowerCase().split("/", 2) : ["", model.toLowerCase()];
  const family = BY_MODEL.find(([pattern]) => pattern.test(routed ?? ""))?.[1];
  return family ?? BY_NAME.find(([pattern]) => pattern.test(vendor ?? ""))?.[1] ?? "";
}
