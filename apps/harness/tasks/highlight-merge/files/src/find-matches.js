/** Every occurrence of every term, overlapping ones included, ignoring case. */
export function findMatches(text, terms) {
  const haystack = text.toLowerCase();
  const matches = [];
  for (const term of terms) {
    const needle = term.toLowerCase();
    if (needle === "") continue;
    for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1)) {
      matches.push({ start: at, end: at + needle.length });
    }
  }
  return matches;
}
