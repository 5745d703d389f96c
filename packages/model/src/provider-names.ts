/** Providers by the ledger's ids, as they write themselves; others are shown by their id. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  anthropic: "Anthropic",
  "aws-bedrock": "AWS",
  azure: "Microsoft",
  centspan: "Centspan",
  deepseek: "DeepSeek",
  google: "Google",
  mistral: "Mistral AI",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  xai: "xAI",
};

export const nameProvider = (id: string): string => PROVIDER_NAMES[id] ?? id;

const IDS = new Map(Object.entries(PROVIDER_NAMES).map(([id, name]) => [name.toLowerCase(), id]));

/** The other way round. */
export const idOfProvider = (name: string): string => IDS.get(name.toLowerCase()) ?? name.toLowerCase();
