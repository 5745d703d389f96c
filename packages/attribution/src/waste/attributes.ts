/** What causes of waste read of spans, from text to values. Absent or unreadable is null, never a default. */
import type { SpanRecord } from "@centspan/model";

/** All that is read of a span's attributes: what the store has to give. */
export const wasteAttributes = [
  "centspan.prefix.fingerprint",
  "centspan.prefix.kept",
  "centspan.prefix.diverged_section",
  "centspan.prefix.diverged_path",
  "centspan.prefix.change",
  "centspan.prefix.known_tokens",
  "centspan.prefix.before_span_id",
  "centspan.cache.miss_reasons",
  "centspan.tools.offered",
  "centspan.tools.offered_tokens",
  "centspan.tools.used",
  "centspan.context.oversized_tokens",
  "centspan.route.choice",
  "centspan.replica.id",
  "centspan.kv.block_tokens",
  "centspan.kv.expired_blocks",
  "centspan.prefill.tokens",
  "centspan.retry.ordinal",
  "centspan.stream.aborted",
  "centspan.usage.missing",
  "centspan.tokens.new",
  "centspan.safety.policy",
  "centspan.cpu.weight",
  "centspan.decode.interference_ms",
  "centspan.decode.rejected_ms",
  "centspan.time_scale",
  "centspan.tool.read_only",
  "centspan.tool.input_hash",
  "centspan.tool.output_hash",
  "centspan.tool.output_bytes",
  "centspan.tool.sent_bytes",
  "centspan.thread.id",
  "centspan.history.marks",
  "centspan.provider.request_id",
  "centspan.turn.number",
  "gen_ai.tool.name",
  "gen_ai.operation.name",
] as const;

export type WasteAttribute = (typeof wasteAttributes)[number];
type Attributes = Readonly<Record<string, string>>;

export const readText = (attributes: Attributes, name: WasteAttribute): string | null => attributes[name] ?? null;

export const readFlag = (attributes: Attributes, name: WasteAttribute): boolean => attributes[name] === "true";

export function readNumber(attributes: Attributes, name: WasteAttribute): number | null {
  const text = attributes[name];
  const value = Number(text);
  return text === undefined || text === "" || !Number.isFinite(value) ? null : value;
}

/** Of tokens, bytes, blocks or times; null too for what counts nothing, which a span may say all the same. */
export function readCount(attributes: Attributes, name: WasteAttribute): number | null {
  const value = readNumber(attributes, name);
  return value !== null && isCount(value) ? value : null;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Null where one of them counts nothing. */
export function readCounts(attributes: Attributes, name: WasteAttribute): number[] | null {
  const counts = readList(attributes, name)?.map(Number) ?? null;
  return counts?.every(isCount) === false ? null : counts;
}

/** Of texts or of numbers, as text. */
export function readList(attributes: Attributes, name: WasteAttribute): string[] | null {
  const text = attributes[name];
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map(String) : null;
  } catch {
    return null;
  }
}

export const secondsOf = ({ startedAtNs, endedAtNs }: Pick<SpanRecord, "startedAtNs" | "endedAtNs">): number =>
  Math.max(0, Number(endedAtNs - startedAtNs) / 1e9);
