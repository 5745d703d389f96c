/** Blocks private keys and provider keys in what a request adds: they would leave the house with the prompt. */
import { defineSafetyCheck } from "@centspan/model";

/** Forms as their issuers document them. Each match is long enough that prose and placeholders don't trip it. */
const PATTERNS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{64}/],
  ["OpenAI key", /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{40,}/],
  ["Anthropic key", /\bsk-ant-[A-Za-z0-9_-]{40,}/],
  ["AWS access key id", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ["GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})\b/],
  ["Slack token", /\bxox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{20,}/],
  ["Google API key", /\bAIza[0-9A-Za-z_-]{35}\b/],
  ["Centspan key", /\bcs_(?:gateway|ingest|api)_[A-Za-z0-9_-]{43}\b/],
];

export default defineSafetyCheck({
  id: "secrets",
  describe: "Private keys and provider keys in a request's new text",
  async check(newText) {
    const found = PATTERNS.find(([, pattern]) => pattern.test(newText));
    return found ? { allowed: false, reason: `holds what looks like a ${found[0]}` } : { allowed: true, reason: "" };
  },
});
