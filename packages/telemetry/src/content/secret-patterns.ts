/** Secrets by the forms that their issuers document: private keys and provider keys. */

/**
 * A secret stands where a word begins, which it also does behind a line's end that was written as JSON, in what a tool is
 * called with. That is looked at once its beginning was found: the other way round takes ten times as long.
 */
const token = (begin: string, rest: string): RegExp =>
  new RegExp(String.raw`${begin}(?<=(?:\b|\\[bfnrt]|\\u[0-9a-fA-F]{4})${begin})${rest}`, "g");

/** Each match is long enough that prose and placeholders don't trip it, and takes in all of the secret. */
const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{64,}/g],
  ["OpenAI key", token("sk-", "(?:proj-|svcacct-)?[A-Za-z0-9_-]{40,}")],
  ["Anthropic key", token("sk-ant-", "[A-Za-z0-9_-]{40,}")],
  ["AWS access key id", token("A[KS]IA", String.raw`[0-9A-Z]{16}\b`)],
  ["GitHub token", token("gh[pousr]_", String.raw`[A-Za-z0-9]{36}\b`)],
  ["GitHub token", token("github_pat_", String.raw`[A-Za-z0-9_]{60,}\b`)],
  ["Slack token", token("xox[abprs]-", "[0-9]{8,}-[A-Za-z0-9-]{20,}")],
  ["Google API key", token("AIza", "[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])")],
  ["Centspan key", token("cs_(?:gateway|gateway-ingest|ingest|api)_", "[A-Za-z0-9_-]{43}(?![0-9A-Za-z_-])")],
];

/** What kind of secret the text holds; null where none is recognised. */
export const findSecret = (text: string): string | null =>
  PATTERNS.find(([, pattern]) => text.search(pattern) >= 0)?.[0] ?? null;

/** The text with each secret replaced by what it was. */
export const redactSecrets = (text: string): string =>
  PATTERNS.reduce((redacted, [name, pattern]) => redacted.replace(pattern, `[${name}]`), text);
