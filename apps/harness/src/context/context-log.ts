/**
 * The conversation of one run, append-only: a piece is serialized once, when it is added, and never again.
 * Invariant: the prompt of a turn is a prefix of the next one's, so that caches on the way can match it. What stands
 * before the items is fixed for the whole run as long as the tools and the note stay the same texts.
 */
import { createHash } from "node:crypto";
import { estimateTokens } from "../sandbox/cut-output.ts";

export const SECTIONS = ["system", "tools", "history", "results"] as const;
export type ContextSection = (typeof SECTIONS)[number];

export type ContextPiece = {
  section: ContextSection;
  /** Where the piece stands in the request body, such as `input[3]`. */
  path: string;
  json: string;
};

export type ContextItem = { type: string };

export type ContextSettings = { model: string; instructions: string; promptCacheKey: string };

/** A request as JSON texts: the members before `input`, and the items of `input`. */
export type Prompt = { head: string; items: readonly string[] };

/** The context as sent in one turn. */
export type ContextSnapshot = Prompt & {
  pieces: readonly ContextPiece[];
  tokens: Record<ContextSection, number>;
  /** Hash over the chain of a section's pieces. */
  fingerprints: Record<ContextSection, string>;
  /** Over all of them in their order: two contexts have the same one when they are the same. */
  fingerprint: string;
};

export type ContextLog = {
  append(item: ContextItem): void;
  /** `tools` are the JSON texts of the tools in the order in which they are sent; a `note` stands behind the instructions. */
  snapshot(tools: readonly string[], note?: string): ContextSnapshot;
};

export function createContextLog(settings: ContextSettings): ContextLog {
  const items: string[] = [];
  const pieces: ContextPiece[] = [];
  const chains = { all: startChain(), history: startChain(), results: startChain() };
  return {
    append(item) {
      const section = item.type === "function_call_output" ? "results" : "history";
      const piece: ContextPiece = { section, path: `input[${items.length}]`, json: JSON.stringify(item) };
      items.push(piece.json);
      pieces.push(piece);
      chains.all.add(piece);
      chains[section].add(piece);
    },
    snapshot(tools, note = "") {
      const instructions = JSON.stringify(settings.instructions + note);
      const system: ContextPiece = { section: "system", path: "instructions", json: instructions };
      const toolPieces = tools.map(
        (json, index): ContextPiece => ({ section: "tools", path: `tools[${index}]`, json }),
      );
      const sections = {
        system: chainOf([system]),
        tools: chainOf(toolPieces),
        history: chains.history,
        results: chains.results,
      };
      return {
        head: writeHead(settings, instructions, tools),
        items: [...items],
        pieces: [system, ...toolPieces, ...pieces],
        tokens: mapSections((section) => estimateTokens(sections[section].bytes())),
        fingerprints: mapSections((section) => sections[section].hash()),
        fingerprint: sha256(sections.system.hash(), sections.tools.hash(), chains.all.hash()),
      };
    },
  };
}

const mapSections = <T>(read: (section: ContextSection) => T): Record<ContextSection, T> => ({
  system: read("system"),
  tools: read("tools"),
  history: read("history"),
  results: read("results"),
});

const sha256 = (...texts: string[]): string => {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text);
  return hash.digest("hex");
};

function chainOf(pieces: readonly ContextPiece[]) {
  const chain = startChain();
  for (const piece of pieces) chain.add(piece);
  return chain;
}

function startChain() {
  let chain = "0".repeat(64);
  let bytes = 0;
  return {
    add({ section, json }: ContextPiece): void {
      bytes += Buffer.byteLength(json);
      chain = sha256(chain, section, json);
    },
    hash: () => chain,
    bytes: () => bytes,
  };
}

/** Everything that decides how the model answers, in one order. How the answer travels is the transport's to add. */
function writeHead(settings: ContextSettings, instructions: string, tools: readonly string[]): string {
  const members = [
    `"model":${JSON.stringify(settings.model)}`,
    `"instructions":${instructions}`,
    `"tools":[${tools.join(",")}]`,
    `"tool_choice":"auto"`,
    `"parallel_tool_calls":true`,
    // Nothing stays with the provider, so reasoning has to travel with the context.
    `"store":false`,
    `"include":["reasoning.encrypted_content"]`,
    `"prompt_cache_key":${JSON.stringify(settings.promptCacheKey)}`,
  ];
  return members.join(",");
}
