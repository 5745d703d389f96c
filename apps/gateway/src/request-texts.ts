/**
 * What checks read of a request: every text in it, whichever member carries it and whatever the client calls it, so that
 * nothing need be added here when a protocol grows. What is left out is listed here, and nowhere else: bytes, words that a
 * protocol gives, and the credentials of tools that somebody else runs. Token ids are numbers, which nobody here reads.
 */

/** One for each item of a list and each other member, in their order: a history is known again item by item. */
export function* listTexts(json: unknown): Generator<string> {
  for (const [name, member] of Object.entries(Object(json))) {
    if (!PROTOCOL_WORD.test(name)) yield name;
    for (const piece of Array.isArray(member) ? member : [member]) {
      if (typeof piece === "number") continue;
      const credentials = CREDENTIALS[`${name} ${Object(piece).type}`] ?? [];
      const texts: string[] = [];
      collect(piece, name, credentials, texts);
      if (texts.length > 0) yield texts.join("\n");
    }
  }
}

function collect(value: unknown, member: string, credentials: readonly string[], texts: string[]): void {
  if (typeof value === "string") {
    if (value !== "" && !isChoice(member, value) && !isBytes(value)) texts.push(value);
  } else if (Array.isArray(value)) {
    for (const each of value) collect(each, member, credentials, texts);
  } else if (typeof value === "object" && value !== null) {
    const members: Record<string, unknown> = Object(value);
    for (const name of Object.keys(members)) {
      if (credentials.includes(name)) continue;
      if (!PROTOCOL_WORD.test(name)) texts.push(name);
      collect(members[name], name, credentials, texts);
    }
  }
}

/** As protocols name members and choices. No secret looks so. */
const PROTOCOL_WORD = /^[a-z_]{1,40}$/;
/** Members whose values are such words. */
const CHOICES = new Set(["type", "role", "status"]);

const isChoice = (member: string, value: string): boolean => CHOICES.has(member) && PROTOCOL_WORD.test(value);

/** Images, files and what is encrypted: long, and nothing but base64. */
const BYTES = /^(?:data:[^,]{0,200};base64,)?[A-Za-z0-9+/_-]+={0,2}$/;
const LEAST_BYTES = 1024;
const isBytes = (value: string): boolean => value.length >= LEAST_BYTES && BYTES.test(value);

/** By the list and the type of what stands in it: for whoever runs such a tool, and seen by no model. */
const CREDENTIALS: Partial<Record<string, readonly string[]>> = {
  "tools mcp": ["authorization", "headers"],
  "tools shell": ["domain_secrets"],
  "tools code_interpreter": ["domain_secrets"],
  "mcp_servers url": ["authorization_token"],
};
