/**
 * What was counted, across files and imports: each call once with its largest usage, each message and tool once. Holds a short
 * hash and a few characters for each, so that a million of them fit where little memory is, and survive as one text.
 */
import { hash as hashOnce } from "node:crypto";
import type { CallObservation, HistoryMemory, RemovalReason } from "@centspan/model";
import { totalOf } from "../usage-total.ts";

export type CallVerdict =
  | { counts: true; addedTokens: number; isFirst: boolean; sharesResponseId: boolean }
  | { counts: false; reason: RemovalReason };

export type Ledger = {
  /** `file` tells copies in other files from the lines of one response. */
  countCall(format: string, file: string, call: CallObservation): CallVerdict;
  /** Whether this is the first time; `kind` tells names of different things apart. */
  countOnce(kind: string, name: string): boolean;
  memoryOf(format: string): HistoryMemory;
  get(kind: string, name: string): string | undefined;
  set(kind: string, name: string, value: string): void;
  save(): string;
};

const VERSION = "1";

/** `saved` of another version, or of something else, is no ledger: everything is counted anew. */
export function createLedger(saved: string | null): Ledger {
  const entries = restore(saved);
  const nameOf = (kind: string, name: string): string =>
    hashOnce("sha256", `${kind}\n${name}`, "base64url").slice(0, 12);
  const get = (kind: string, name: string): string | undefined => entries.get(nameOf(kind, name));
  const set = (kind: string, name: string, value: string): void => {
    entries.set(nameOf(kind, name), value);
  };
  return {
    get,
    set,
    countOnce(kind, name) {
      const key = nameOf(kind, name);
      if (entries.has(key)) return false;
      entries.set(key, "");
      return true;
    },
    countCall(format, file, call) {
      const calls = `call of ${format}`;
      const tokens = totalOf(call.usage);
      const wide = call.wideKey === call.key ? "" : call.wideKey;
      const holder = wide === "" ? undefined : get(`response of ${format}`, wide);
      const known = get(calls, call.key);
      const from = nameOf("file", file).slice(0, 6);
      if (known === undefined && holder !== undefined) {
        const isHolderReplay = holder.startsWith("~");
        if (call.isReplay || isHolderReplay) return settleReplay(call, holder, tokens, { get, set, calls, from, wide });
      }
      if (known !== undefined) {
        const [before = "0", origin] = known.split(" ");
        const added = tokens - Number(before);
        if (added <= 0) return { counts: false, reason: origin === from ? repeatedBy(call) : "copied_history" };
        set(calls, call.key, `${tokens} ${from}`);
        return { counts: true, addedTokens: added, isFirst: false, sharesResponseId: false };
      }
      set(calls, call.key, `${tokens} ${from}`);
      if (wide !== "" && holder === undefined)
        set(`response of ${format}`, wide, `${call.isReplay ? "~" : ""}${call.key}`);
      return { counts: true, addedTokens: tokens, isFirst: true, sharesResponseId: holder !== undefined };
    },
    memoryOf: (format) => ({
      get: (key) => get(format, key),
      set: (key, value) => set(format, key, value),
      has: (key) => get(format, key) !== undefined,
    }),
    save: () => [VERSION, ...[...entries].map(([key, value]) => key + value)].join("\n"),
  };
}

const repeatedBy = ({ key }: CallObservation): RemovalReason =>
  key.startsWith("response:") ? "same_response" : "growing_line";

type Book = Pick<Ledger, "get" | "set"> & { calls: string; from: string; wide: string };

/** A replay adds nothing to the call that it replays; where the replay came first, the call takes its place. */
function settleReplay(
  call: CallObservation,
  holder: string,
  tokens: number,
  { get, set, calls, from }: Book,
): CallVerdict {
  const before = Number((get(calls, holder.replace(/^~/, "")) ?? "0").split(" ")[0]);
  if (call.isReplay || tokens <= before) return { counts: false, reason: "side_chain_replay" };
  set(calls, call.key, `${tokens} ${from}`);
  return { counts: true, addedTokens: tokens - before, isFirst: false, sharesResponseId: false };
}

function restore(saved: string | null): Map<string, string> {
  const entries = new Map<string, string>();
  const [version, ...lines] = saved?.split("\n") ?? [];
  if (version !== VERSION) return entries;
  for (const line of lines) entries.set(line.slice(0, 12), line.slice(12));
  return entries;
}
