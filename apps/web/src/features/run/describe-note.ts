/** A row's note in words. */
import { formatCount, type Note } from "@centspan/ui";
import type { Catalogue } from "#i18n";

export function describeNote(note: Note, t: Catalogue): string {
  const say = t.noteOf;
  switch (note.kind) {
    case "prefix_broken":
      return say.prefixBroken(note.section);
    case "tokenized":
      return say.tokenized(formatCount(note.fresh), formatCount(note.reused));
    case "safety":
      return say.safety(note.policy, note.verdict);
    case "blocks_hit":
      return say.blocksHit(formatCount(note.hit), formatCount(note.total));
    case "prefilled":
    case "decoded":
      return say.tokensOnly(formatCount(note.tokens));
    case "tests":
      return say.tests(formatCount(note.passed), formatCount(note.failed));
    case "exit_code":
      return say.exitCode(String(note.code));
    case "usage":
      return say.usage(formatCount(note.input), formatCount(note.cached), formatCount(note.output));
    case "http_status":
      return say.status(String(note.status));
    case "error":
      return note.error;
  }
}

/** Notes about something that went wrong or was done twice stand out. */
export function needsAttention(note: Note): boolean {
  if (note.kind === "prefix_broken" || note.kind === "error" || note.kind === "http_status") return true;
  return note.kind === "exit_code" || (note.kind === "tests" && note.failed > 0);
}
