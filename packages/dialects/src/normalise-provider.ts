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
  if (name === "") return BY_MODEL.find(([pattern]) => pattern.test(model))?.[1] ?? "";
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? name;
}
