/**
 * The way back of `place-secrets.ts`: where a host sends a secret as it got it, the placeholder stands again.
 * Invariant: however an answer is cut into parts, the whole comes out as if it had been replaced in one piece; no more is
 * held back than what may be the beginning of a secret.
 */
import { Transform } from "node:stream";

/** Placeholders by secret, which are ASCII. */
export type Placed = ReadonlyMap<string, string>;

/** The longest secret wins where one contains another. */
export function hideSecrets(text: string, placed: Placed): string {
  const secrets = [...placed.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(secrets.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  return text.replace(pattern, (secret) => placed.get(secret) ?? "");
}

/** Bytes that are no text pass as they are. */
export function createHider(placed: Placed): Transform {
  let held = "";
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      const text = hideSecrets(held + part.toString("latin1"), placed);
      const room = text.length - countPending(text, placed);
      held = text.slice(room);
      if (room > 0) this.push(Buffer.from(text.slice(0, room), "latin1"));
      done();
    },
    flush(done) {
      if (held !== "") this.push(Buffer.from(held, "latin1"));
      done();
    },
  });
}

/** Characters at the end with which a secret may begin. */
function countPending(text: string, placed: Placed): number {
  const secrets = [...placed.keys()];
  const longest = Math.max(...secrets.map((secret) => secret.length - 1));
  for (let count = Math.min(longest, text.length); count > 0; count--) {
    const end = text.slice(-count);
    if (secrets.some((secret) => secret.startsWith(end))) return count;
  }
  return 0;
}
