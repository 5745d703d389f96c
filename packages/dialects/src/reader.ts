/** Facts by their places in attributes. A JSON attribute is parsed once per reader, however many places are in it. */
import type { Place } from "@centspan/model";

export type Attributes = Readonly<Record<string, string>>;

/** The text at the first of the places that has one, or the empty string. */
export type Reader = (places?: readonly Place[]) => string;

/** With several layers, such as a span and those above it, a place is looked for in each before the next place is. */
export function createReader(...layers: readonly Attributes[]): Reader {
  let documents: Map<string, unknown> | undefined;
  const parse = (text: string): unknown => {
    documents ??= new Map();
    if (!documents.has(text)) documents.set(text, parseJson(text));
    return documents.get(text);
  };
  return (places = []) => {
    for (const place of places) {
      for (const layer of layers) {
        const text = readPlace(layer, place, parse);
        if (text !== "") return text;
      }
    }
    return "";
  };
}

export const attributeOf = (place: Place): string => (typeof place === "string" ? place : place.attribute);

function readPlace(attributes: Attributes, place: Place, parse: (text: string) => unknown): string {
  if (typeof place === "string") return attributes[place] ?? "";
  const text = attributes[place.attribute] ?? "";
  const found = place.path === undefined || text === "" ? text : writeScalar(follow(parse(text), place.path));
  return place.matching === undefined || place.matching.test(found) ? found : "";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function follow(document: unknown, path: readonly string[]): unknown {
  let at = document;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

const writeScalar = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
