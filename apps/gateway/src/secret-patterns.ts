/** Secrets by the forms that their issuers document: private keys and provider keys. */

/** Each match is long enough that prose and placeholders don't trip it, and takes in all of the secret. */
const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{64,}/g],
  ["OpenAI key", /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{40,}/g],
  ["Anthropic key", /\bsk-ant-[A-Za-z0-9_-]{40,}/g],
  ["AWS access key id", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})\b/g],
  ["Slack token", /\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{20,}/g],
  ["Google API key", /\bAIza[0-9A-Za-z_-]{35}\b/g],
  ["Centspan key", /\bcs_(?:gateway|ingest|api)_[A-Za-z0-9_-]{43}\b/g],
];

/** What kind of secret the text holds; null where none is recognised. */
export const findSecret = (text: string): string | null =>
  PATTERNS.find(([, pattern]) => text.search(pattern) >= 0)?.[0] ?? null;

/** The text with each secret replaced by what it was. */
export const redactSecrets = (text: string): string =>
  PATTERNS.reduce((redacted, [name, pattern]) => redacted.replace(pattern, `[${name}]`), text);
