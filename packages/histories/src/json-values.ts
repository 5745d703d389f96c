/** Values of JSON whose shape is not known. What is not there, or is something else, is undefined, "" or empty, never an error. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const NOTHING: JsonObject = {};

export function objectAt(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isObject(found) ? found : NOTHING;
}

export function textAt(value: JsonObject, name: string): string {
  const found = value[name];
  return typeof found === "string" ? found : "";
}

export function listAt(value: JsonObject, name: string): readonly unknown[] {
  const found = value[name];
  return Array.isArray(found) ? found : [];
}

/** 0 where it is absent or null; NaN for what is no whole number of anything, so that nobody takes it for one. */
export function countAt(value: JsonObject, name: string): number {
  const found = value[name];
  if (found === undefined || found === null) return 0;
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : Number.NaN;
}

export function numberAt(value: JsonObject, name: string): number | null {
  const found = value[name];
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

/** Milliseconds since the epoch of an ISO 8601 text; null where there is none. */
export function instantAt(value: JsonObject, name: string): number | null {
  const at = Date.parse(textAt(value, name));
  return Number.isNaN(at) ? null : at;
}

/** The text of a document's parts that hold text, whatever they are called, or the text itself. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts: string[] = [];
  for (const part of content) if (isObject(part) && typeof part.text === "string") parts.push(part.text);
  return parts.join("\n");
}
