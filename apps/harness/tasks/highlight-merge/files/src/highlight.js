import { findMatches } from "./find-matches.js";
import { coveredLength, mergeRanges } from "./ranges.js";

/** The text with matches between the marks, and how much of it they cover. */
export function highlight(text, terms, { open = "<mark>", close = "</mark>" } = {}) {
  const matches = findMatches(text, terms);
  const merged = mergeRanges(matches);
  let html = "";
  let position = 0;
  for (const { start, end } of merged) {
    html += text.slice(position, start) + open + text.slice(start, end) + close;
    position = end;
  }
  html += text.slice(position);
  return { html, matches: matches.length, coverage: text === "" ? 0 : coveredLength(merged) / text.length };
}
