/** Ranges `{ start, end }`, half-open. */

/** The smallest sorted list of ranges that covers the same positions. */
export function mergeRanges(ranges) {
  let merged = ranges.filter((range) => range.start < range.end);
  for (let joined = joinOnePair(merged); joined !== null; joined = joinOnePair(merged)) {
    merged = joined;
  }
  return merged.map(({ start, end }) => ({ start, end })).sort((a, b) => a.start - b.start);
}

/** The list with one pair of touching ranges joined, or null when there is none. */
function joinOnePair(ranges) {
  for (let i = 0; i < ranges.length; i += 1) {
    for (let j = i + 1; j < ranges.length; j += 1) {
      const a = ranges[i];
      const b = ranges[j];
      if (a.start > b.end || b.start > a.end) continue;
      const rest = ranges.filter((_, index) => index !== i && index !== j);
      return [...rest, { start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) }];
    }
  }
  return null;
}

/** How many positions a list of merged ranges covers. */
export function coveredLength(merged) {
  return merged.reduce((sum, range) => sum + range.end - range.start, 0);
}
