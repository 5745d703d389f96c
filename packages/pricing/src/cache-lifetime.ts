/** How long a provider's prompt cache keeps what nobody asks for, as their documentation says where nothing longer was asked for. */

const FIVE_MINUTES_MS = 300_000;

/** OpenAI's models that take marks of what to cache, from gpt-5.6 on. */
export function takesCacheMarks(model: string): boolean {
  const [, major = "0", minor = "0"] = /^gpt-(\d+)(?:\.(\d+))?(?:-|$)/.exec(model) ?? [];
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6);
}

/** Half an hour where they take marks, before that five to ten minutes. */
export const openAiCacheMs = (model: string): number => (takesCacheMarks(model) ? 1_800_000 : 600_000);

/** Null for providers that say nothing of it. */
export function cacheLifetimeMs({ provider, model }: { provider: string; model: string }): number | null {
  if (provider === "anthropic") return FIVE_MINUTES_MS;
  return provider === "openai" ? openAiCacheMs(model) : null;
}
