/**
 * The conversation of one run, append-only: a piece is serialized once, when it is added, and never again.
 * Invariant: the request body of a turn, without its closing brackets, is a byte prefix of the next turn's body,
 * so that caches on the way can match it. Everything before `input` is fixed for the whole run.
 */
import { createHash } from "node:crypto";
import { estimateTokens } from "../sandbox/cut-output.ts";

export type ContextSection = "system" | "tools" | "history" | "results";

export type ContextPiece = {
  section: ContextSection;
  /** Where the piece stands in the request body, such as `input[3]`. */
  path: string;
  json: string;
};

export type ContextSettings = { model: string; instructions: string; tools: unknown[]; promptCacheKey: string };

/** The context as sent in one turn. */
export type ContextSnapshot = {
  body: string;
  pieces: readonly ContextPiece[];
  tokens: Record<ContextSection, number>;
  /** Hash over the chain of all pieces: two contexts have the same one when they are the same. */
  fingerprint: string;
};

export type ContextLog = { append(item: { type: string }): void; snapshot(): ContextSnapshot };

const ZERO = "0".repeat(64);
const CLOSING = "]}";

export function createContextLog(settings: ContextSettings): ContextLog {
  const pieces: ContextPiece[] = [];
  const bytes: Record<ContextSection, number> = { system: 0, tools: 0, history: 0, results: 0 };
  let chain = ZERO;
  const add = (section: ContextSection, path: string, json: string): void => {
    pieces.push({ section, path, json });
    bytes[section] += Buffer.byteLength(json);
    chain = createHash("sha256").update(chain).update(section).update(json).digest("hex");
  };
  const instructions = JSON.stringify(settings.instructions);
  const tools = settings.tools.map((tool) => JSON.stringify(tool));
  add("system", "instructions", instructions);
  for (const [index, tool] of tools.entries()) add("tools", `tools[${index}]`, tool);

  let input = "";
  let items = 0;
  const head = openBody(settings, instructions, tools);
  return {
    append(item) {
      const json = JSON.stringify(item);
      add(item.type === "function_call_output" ? "results" : "history", `input[${items}]`, json);
      input += items === 0 ? json : `,${json}`;
      items += 1;
    },
    snapshot: () => ({
      body: head + input + CLOSING,
      pieces: [...pieces],
      tokens: {
        system: estimateTokens(bytes.system),
        tools: estimateTokens(bytes.tools),
        history: estimateTokens(bytes.history),
        results: estimateTokens(bytes.results),
      },
      fingerprint: chain,
    }),
  };
}

function openBody(settings: ContextSettings, instructions: string, tools: string[]): string {
  const fields = [
    `"model":${JSON.stringify(settings.model)}`,
    `"instructions":${instructions}`,
    `"tools":[${tools.join(",")}]`,
    `"tool_choice":"auto"`,
    `"parallel_tool_calls":true`,
    `"stream":true`,
    // Nothing stays with the provider, so reasoning has to travel with the context.
    `"store":false`,
    `"include":["reasoning.encrypted_content"]`,
    `"prompt_cache_key":${JSON.stringify(settings.promptCacheKey)}`,
  ];
  return `{${fields.join(",")},"input":[`;
}
