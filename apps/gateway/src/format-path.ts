/** Where in a body something stands, as a person would write it: `input[0].content[1].text`. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.map((part, i) => (typeof part === "number" ? `[${part}]` : `${i === 0 ? "" : "."}${String(part)}`)).join("");
