/** Text as it may be recorded: without the secrets that are recognised in it, and no longer than there is room for. */
import { redactSecrets } from "./secret-patterns.ts";

/** What of a secret can stand unrecognised at the end of a text that was cut: less than the shortest form of any. */
export const CUT_MARGIN = 512;

export type Clipped = { text: string; cut: boolean };

/** `wasCut`: the text is the beginning of a longer one. */
export function clipText(text: string, room: number, wasCut = false): Clipped {
  const cut = wasCut || text.length > room;
  const redacted = redactSecrets(text.length > room + CUT_MARGIN ? text.slice(0, room + CUT_MARGIN) : text);
  if (!cut) return { text: redacted, cut: false };
  const isWhole = !wasCut && text.length <= room + CUT_MARGIN;
  const known = isWhole ? redacted.length : Math.max(redacted.length - CUT_MARGIN, 0);
  return { text: redacted.slice(0, Math.min(room, known)), cut: true };
}
