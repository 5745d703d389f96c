/** Semantic versions: `{ numbers: [major, minor, patch], prerelease: string[] }`. */

export function parseVersion(text) {
  const [core, ...rest] = text.trim().replace(/^v/, "").split("-");
  const numbers = core.split(".").map(Number);
  if (numbers.length !== 3 || numbers.some((part) => !Number.isSafeInteger(part))) {
    throw new RangeError(`not a version: ${JSON.stringify(text)}`);
  }
  const prerelease = rest.length === 0 ? [] : rest.join("-").split(".");
  return { numbers, prerelease };
}

/** Negative when a comes before b, positive when after, 0 when they have the same precedence. */
export function compareVersions(a, b) {
  const left = parseVersion(a);
  const right = parseVersion(b);
  for (let i = 0; i < 3; i += 1) {
    if (left.numbers[i] !== right.numbers[i]) return left.numbers[i] - right.numbers[i];
  }
  return comparePrerelease(left.prerelease, right.prerelease);
}

function comparePrerelease(left, right) {
  const a = left.join(".");
  const b = right.join(".");
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
