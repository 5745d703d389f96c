/**
 * Prompt tokens that were there in the call before and that no cache served, and why: the ground of every cause by which a
 * prompt is computed again. Each miss has one reason, so that no two causes are told of it.
 */
import { formatInstant } from "@centspan/base";
import type { WasteFinding, WasteNeed, WatchedCall, WatchedRun } from "@centspan/model";
import { readCount, readList, readText, secondsOf } from "./attributes.ts";
import type { MissReason } from "./miss-reason.ts";
import { nameCalls } from "./name-calls.ts";
import { countStanding, idleBetween, isOfHistory, listRecordedReasons, readRecordedReason } from "./recorded-misses.ts";
import { readFromCache, writeForAnHour, writeToCache } from "./repairs.ts";
import { isCounted } from "./retries.ts";

type Miss = { at: WatchedCall; reason: MissReason; knownTokens: number; missedTokens: number };

/** What caches of providers serve is a multiple of it; an engine says its own. */
const DEFAULT_GRAIN = 128;
/** Shorter prompts are cached by nobody but an engine that says so. */
const LEAST_CACHED = 1024;
/** Fewer are not worth a word, and may be how prompts are cut. */
const LEAST_MISSED = 256;

/** Of a history, which tells less: where a cache ends is not known to the token. */
const LEAST_RECORDED = 1024;
const LEAST_RECORDED_SHARE = 0.1;
/** An hour is the longest that a prompt can ask for where writing costs more. */
const LONGEST_LIFETIME_S = 3600;

/** Findings of one reason. Times follow from how long the prompt's computation took, where spans say that. */
export function* findMisses(run: WatchedRun, wanted: MissReason): Generator<WasteFinding> {
  const sinceOf = new Map<string, string>();
  for (const at of run.calls) {
    const miss = readMiss(at, run);
    if (miss?.reason !== wanted) continue;
    const place = readPlace(at);
    const name = JSON.stringify([at.thread, place]);
    const sinceAt = sinceOf.get(name) ?? formatInstant(at.call.atNs);
    sinceOf.set(name, sinceAt);
    yield {
      at,
      repair: readFromCache(miss.missedTokens),
      needs: [...listWrites(miss)],
      seconds: timeOf(miss),
      // A summary is new text, of which it is not known how long it is.
      confidence: isObserved(at) && wanted !== "compaction" ? "certain" : "likely",
      evidence: {
        ...place,
        ...nameCalls(at),
        ...listRecordedReasons(at, wanted),
        sinceAt,
        knownTokens: miss.knownTokens,
        cachedTokens: at.call.buckets.cacheRead,
        repeatedTokens: miss.missedTokens,
        ...((wanted === "expired" || wanted === "resumed") && at.before && { idleSeconds: idleBetween(at.before, at) }),
        ...(wanted === "routed" && at.before && { from: readServer(at.before) ?? "", to: readServer(at) ?? "" }),
      },
    };
  }
}

function readMiss(at: WatchedCall, run: WatchedRun): Miss | null {
  const { attributes, call } = at;
  const before = findServed(at);
  // Without a word of a gateway on what stayed of the prompt nothing is said of it, but for what a history tells.
  const kept = readText(attributes, "centspan.prefix.kept");
  const isRecorded = kept === null && isOfHistory(at);
  if ((kept === null && !isRecorded) || isCounted(at)) return null;
  const said = readCount(attributes, "centspan.prefix.known_tokens");
  if (said === null && before === null) return null;
  const blockTokens = readBlockTokens(at);
  const grain = blockTokens ?? DEFAULT_GRAIN;
  const stood = isRecorded ? countStanding(at, run) : countKnown(at, before, said);
  const known = Math.min(stood, at.promptTokens);
  const floor = (tokens: number): number => Math.floor(tokens / grain) * grain;
  const least = isRecorded ? Math.max(LEAST_RECORDED, known * LEAST_RECORDED_SHARE) : LEAST_MISSED;
  if (floor(known) - call.buckets.cacheRead < least) return null;
  if (blockTokens === null && floor(known) < LEAST_CACHED) return null;
  const reason = isRecorded
    ? readHistoryReason(at, run)
    : kept === "true"
      ? readKeptReason(at, run)
      : readBrokenReason(at, run);
  if (reason === null) return null;
  // Engines keep what they generated, too; what was summed up is gone.
  const generated = blockTokens === null || reason === "compaction" ? 0 : (before?.call.buckets.outputText ?? 0);
  const knownTokens = floor(Math.min(known + generated, at.promptTokens));
  return { at, reason, knownTokens, missedTokens: knownTokens - call.buckets.cacheRead };
}

const readHistoryReason = (at: WatchedCall, run: WatchedRun): MissReason =>
  isEverCached(at, run) ? readRecordedReason(at) : "never_cached";

/** The call before of which it is known that its prompt was computed: one that was given up may not have come to that. */
function findServed({ before }: WatchedCall): WatchedCall | null {
  let served = before;
  while (served !== null && isCounted(served)) served = served.before;
  return served;
}

/** `said` is of the call right before. */
function countKnown({ before }: WatchedCall, served: WatchedCall | null, said: number | null): number {
  const own = served?.promptTokens ?? 0;
  return before === served ? (said ?? own) : Math.min(said ?? own, own);
}

const readReasons = ({ attributes }: WatchedCall): string[] =>
  readList(attributes, "centspan.cache.miss_reasons") ?? [];

function readBrokenReason(at: WatchedCall, { compactions }: WatchedRun): MissReason | null {
  const isSummedUp = at.before !== null && compactions.has(at.before);
  if (isSummedUp || readReasons(at).includes("compaction")) return "compaction";
  const section = readText(at.attributes, "centspan.prefix.diverged_section");
  if (section === "tools" || section === "system") return section;
  return section === null ? null : "history";
}

function readKeptReason(at: WatchedCall, run: WatchedRun): MissReason | null {
  const reasons = readReasons(at);
  if (reasons.some((reason) => reason !== "ttl_passed")) return "settings";
  if (reasons.length > 0 || hasExpired(at)) return "expired";
  if (!isEverCached(at, run)) return "never_cached";
  const [from, to] = [at.before && readServer(at.before), readServer(at)];
  return from !== null && to !== null && from !== to ? "routed" : "evicted";
}

const isEverCached = ({ thread }: WatchedCall, { calls }: WatchedRun): boolean =>
  calls.some(
    ({ thread: other, call: { buckets } }) =>
      other === thread && buckets.cacheRead + buckets.cacheWrite5m + buckets.cacheWrite1h > 0,
  );

/** The replica that computed the prompt, or the address that answered. */
function readServer(at: WatchedCall): string | null {
  const [lookup] = at.stages("inference.kv.lookup");
  const replica = lookup && readText(lookup.attributes, "centspan.replica.id");
  if (replica) return replica;
  const route = at.stages("api.route").at(-1);
  return (route && readText(route.attributes, "centspan.route.choice")) ?? null;
}

/** By the cache itself. */
function hasExpired(at: WatchedCall): boolean {
  const [lookup] = at.stages("inference.kv.lookup");
  return lookup !== undefined && (readCount(lookup.attributes, "centspan.kv.expired_blocks") ?? 0) > 0;
}

function readBlockTokens(at: WatchedCall): number | null {
  const [lookup] = at.stages("inference.kv.lookup");
  return lookup === undefined ? null : readCount(lookup.attributes, "centspan.kv.block_tokens");
}

const isObserved = (at: WatchedCall): boolean =>
  readText(at.attributes, "centspan.prefix.kept") === "false" ||
  readReasons(at).length > 0 ||
  readBlockTokens(at) !== null;

function readPlace({ attributes }: WatchedCall) {
  const section = readText(attributes, "centspan.prefix.diverged_section");
  const path = readText(attributes, "centspan.prefix.diverged_path");
  const change = readText(attributes, "centspan.prefix.change");
  const reasons = readList(attributes, "centspan.cache.miss_reasons");
  return { ...(section && { section }), ...(path && { path }), ...(change && { change }), ...(reasons && { reasons }) };
}

/** What is read from a cache was written there before: where that costs more than computing, not for nothing. */
function* listWrites({ at, reason }: Miss): Generator<WasteNeed> {
  const { before } = at;
  if (before === null) return;
  if (reason === "never_cached") yield { at: before, repair: writeToCache(countFresh(before)) };
  if (reason !== "expired" || isOutOfReach(at)) return;
  // A longer lifetime is paid for by each call that wrote of it, back to where it was written anew.
  for (let writer: WatchedCall | null = before; writer !== null; writer = writer.before) {
    yield { at: writer, repair: writeForAnHour };
    if (writer.call.buckets.cacheRead === 0) return;
  }
}

/** A recorded conversation that was silent for longer than any lifetime that can be asked for: it had to go on before. */
const isOutOfReach = (at: WatchedCall): boolean =>
  isOfHistory(at) && at.before !== null && idleBetween(at.before, at) > LONGEST_LIFETIME_S;

/** Tokens that the call before it did not have. */
const countFresh = ({ promptTokens, before }: WatchedCall): number =>
  Math.max(0, promptTokens - (before?.promptTokens ?? 0));

/** The part of the prefill that the missed tokens took. */
function timeOf({ at, missedTokens }: Miss): number {
  const prefills = at.stages("inference.prefill");
  const tokens = prefills.reduce(
    (sum, { attributes }) => sum + (readCount(attributes, "centspan.prefill.tokens") ?? 0),
    0,
  );
  const seconds = prefills.reduce((sum, span) => sum + secondsOf(span), 0);
  return tokens === 0 ? 0 : (seconds * Math.min(missedTokens, tokens)) / tokens;
}
