/**
 * A prompt cut into what a provider's cache takes one after the other: system, tools, then each item; of each a hash of
 * what the model sees. Marks, ids and whatever else changes without the model seeing it are left out.
 * Keeps hashes, never texts.
 */
import { hash } from "node:crypto";
import { abbreviateText } from "@centspan/tokens";
import { describePiece, type PieceTraits } from "./describe-piece.ts";

/** Top-level members in which a protocol's prompt stands, and how long its providers' caches keep what nobody asks for. */
export type PromptLayout = { system: string | null; tools: string; items: string; cacheMs(model: string): number };

export type PrefixSection = "system" | "tools" | "history" | "results";

/** Parallel lists, one entry for each piece. Traits are those of system texts and tools; the others have none. */
export type Pieces = { hashes: number[]; sections: PrefixSection[]; traits: (PieceTraits | null)[] };

export type Prompt = {
  system: Pieces;
  tools: Pieces;
  items: Pieces;
  /** Tokens of all of it, and of the system texts and tools it begins with; 0 where nobody counted. */
  tokens: number;
  headTokens: number;
  /** Of each item; null where nobody counted, or where items are not what was counted one by one. */
  itemTokens: readonly number[] | null;
  /** The same for prompts of one agent: its tools by name, and its system text without what a clock changes. */
  family: string;
  /** What else decides whether a prefix can be found, by the reason that a change of it is. */
  parameters: Record<ParameterReason, string>;
  /** Its history was compacted before. */
  compacted: boolean;
  /** It asks for a compaction: what comes next has another history. */
  compacts: boolean;
  cacheMs: number;
};

/** As providers' clients name them. */
export type ParameterReason =
  | "model_changed"
  | "prompt_cache_key_changed"
  | "service_tier_changed"
  | "reasoning_effort_changed"
  | "verbosity_changed"
  | "text_format_changed";

const HOUR_MS = 3_600_000;

export type PromptOptions = {
  tokens?: number;
  headTokens?: number;
  itemTokens?: readonly number[];
  readPiece?(piece: unknown, pieceHash: number): PieceTraits;
};

/** `json` has passed the protocol; `model` and `effort` are those that are asked for upstream. */
export function readPrompt(
  json: unknown,
  layout: PromptLayout,
  model: string,
  effort: string,
  { tokens = 0, headTokens = 0, itemTokens = [], readPiece = describePiece }: PromptOptions = {},
): Prompt {
  const body = Object(json);
  const marks = { hourLong: false };
  const cut = (member: string | null, readSection: (piece: unknown) => PrefixSection): Pieces => {
    const value = member === null ? undefined : body[member];
    const list: unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
    const hashes = list.map((piece) => hashPiece(piece, marks));
    const sections = list.map(readSection);
    const traits = list.map((piece, index) => (isHead(sections[index]) ? readPiece(piece, hashes[index] ?? 0) : null));
    return { hashes, sections, traits };
  };
  const items = cut(layout.items, readItemSection);
  const system = cut(layout.system, () => "system");
  const tools = cut(layout.tools, () => "tools");
  const kept = body.prompt_cache_retention === "24h" ? 24 * HOUR_MS : marks.hourLong ? HOUR_MS : layout.cacheMs(model);
  return {
    system,
    tools,
    items,
    tokens,
    headTokens,
    itemTokens: itemTokens.length === items.hashes.length ? itemTokens : null,
    family: nameFamily(system, tools, items),
    parameters: {
      model_changed: model,
      prompt_cache_key_changed: hashValue(body.prompt_cache_key),
      service_tier_changed: hashValue(body.service_tier),
      reasoning_effort_changed: `${effort} ${hashValue(body.thinking)}`,
      verbosity_changed: hashValue(body.text?.verbosity ?? body.verbosity),
      text_format_changed: hashValue(body.text?.format ?? body.response_format ?? body.output_config?.format),
    },
    compacted: hasType(body[layout.items], /^(context_)?compaction(_summary)?$/),
    compacts: hasType(body[layout.items], /^compaction_trigger$/),
    cacheMs: kept,
  };
}

const isHead = (section: PrefixSection | undefined): boolean => section === "system" || section === "tools";

/** Leading pieces of the items that are instructions. */
export function countHeadItems({ sections }: Pieces): number {
  const first = sections.findIndex((section) => !isHead(section));
  return first < 0 ? sections.length : first;
}

function nameFamily(system: Pieces, tools: Pieces, items: Pieces): string {
  const texts = [...system.traits, ...items.traits.slice(0, countHeadItems(items))].map((one) => one?.timeless);
  return JSON.stringify([texts, tools.traits.map((one) => one?.name).sort()]);
}

/** A format may hold a schema of any length. */
const hashValue = (value: unknown): string =>
  value === undefined || value === null ? "" : hash("sha256", JSON.stringify(value));

const hasType = (items: unknown, type: RegExp): boolean =>
  Array.isArray(items) && items.some((item) => type.test(readType(item)));

const readType = (item: unknown): string => {
  const { type } = Object(item);
  return typeof type === "string" ? type : "";
};

const RESULT_TYPE = /_(output|result)$/;

function readItemSection(item: unknown): PrefixSection {
  const { role, content } = Object(item);
  const type = readType(item);
  if (type === "additional_tools") return "tools";
  if (role === "system" || role === "developer") return "system";
  if (role === "tool" || role === "function" || RESULT_TYPE.test(type)) return "results";
  const holdsResult = Array.isArray(content) && content.some((block) => RESULT_TYPE.test(readType(block)));
  return holdsResult ? "results" : "history";
}

/** 48 bits, which a number holds. */
const hashPiece = (piece: unknown, marks: Marks): number =>
  hash("sha256", writeSeen(piece, marks), "buffer").readUIntBE(0, 6);

type Marks = { hourLong: boolean };

const UNSEEN = new Set([
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "status",
  "cache_control",
  "prompt_cache_breakpoint",
  "metadata",
]);

/**
 * Of items and of the blocks in them. Arguments, inputs and schemas are objects of their own and stay whole. Texts are
 * abbreviated: to escape or to hash a megabyte of them would take as long as all the rest.
 */
function writeSeen(value: unknown, marks: Marks): string {
  if (typeof value === "string") return abbreviateText(value);
  if (Array.isArray(value)) {
    // Where a text is cut into blocks shifts with the marks.
    const isOneText = value.every(isText);
    const blocks = value.map((each) => writeSeen(each, marks));
    return isOneText ? writeSeen(value.map(({ text }) => text).join(""), marks) : `[${blocks.join()}]`;
  }
  if (typeof value !== "object" || value === null) return String(value);
  if ("cache_control" in value) marks.hourLong ||= Object(value.cache_control).ttl === "1h";
  if (isText(value)) return writeSeen(value.text, marks);
  let seen = "{";
  for (const [name, member] of Object.entries(value)) {
    if (UNSEEN.has(name)) continue;
    const isWhole = typeof member === "object" && !Array.isArray(member);
    seen += `${name.length}:${name}=${isWhole ? JSON.stringify(member) : writeSeen(member, marks)}`;
  }
  return `${seen}}`;
}

function isText(block: unknown): block is { text: string } {
  const { type, text } = Object(block);
  return typeof text === "string" && (type === "text" || type === "input_text" || type === "output_text");
}
