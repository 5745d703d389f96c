/**
 * Top-level members of a JSON object, and elements of an array, as the text they stand in, so that a body can be put together from others' parts:
 * numbers keep their digits and members nobody reads stay as they came. For text that `JSON.parse` has taken as an object.
 */
export function readMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = text.indexOf("{") + 1;
  for (;;) {
    at = skipBlanks(text, at);
    if (text[at] !== '"') return members;
    const nameEnd = skipString(text, at);
    const name: string = JSON.parse(text.slice(at, nameEnd));
    const start = skipBlanks(text, text.indexOf(":", nameEnd) + 1);
    const end = skipValue(text, start);
    members.set(name, text.slice(start, end).trimEnd());
    at = skipBlanks(text, end) + 1;
  }
}

/** For text that `JSON.parse` has taken as an array. */
export function readElements(text: string): string[] {
  const elements: string[] = [];
  let at = skipBlanks(text, text.indexOf("[") + 1);
  while (at < text.length && text[at] !== "]") {
    const end = skipValue(text, at);
    elements.push(text.slice(at, end).trimEnd());
    at = skipBlanks(text, end + 1);
  }
  return elements;
}

export const writeElements = (elements: readonly string[]): string => `[${elements.join(",")}]`;

export const writeMembers = (members: ReadonlyMap<string, string>): string =>
  `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;

const BLANKS = " \t\r\n";

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && BLANKS.includes(text.charAt(at))) at += 1;
  return at;
}

/** From an opening quote to behind the closing one. */
function skipString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** To the comma or bracket that ends the value. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    if (depth === 0 && (char === "," || char === "}" || char === "]")) return at;
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    at = char === '"' ? skipString(text, at) : at + 1;
  }
  return at;
}
