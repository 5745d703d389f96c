/** A call's prompt against that of the call before it: what the waste ledger knows of it, and the words to whoever may read them. */
import { comparePrompts, nothingOf } from "@centspan/attribution";
import { CentspanError, formatDecimal, sumDecimals } from "@centspan/base";
import {
  may,
  type PromptCall,
  type PromptComparison,
  promptComparisonSchema,
  type RatedCall,
  type SpanRecord,
} from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toCallRow } from "../rows.ts";
import { titleOf } from "./waste.ts";

export const comparePromptBefore = defineRoute({
  id: "comparePromptBefore",
  method: "GET",
  path: "/traces/{traceId}/spans/{spanId}/prompt",
  summary:
    "A model call's prompt against that of the call before it: the first divergence (section, JSON path, what changed), what of it " +
    "was paid for again and why, and the text there, where its key records content and the caller has content.read",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: promptComparisonSchema,
  async run({ deps: { warehouse }, caller, params: { traceId = "", spanId = "" } }): Promise<PromptComparison> {
    const { workspace, principal } = caller;
    const place = { traceId, spanId };
    const [calls, span, items] = await Promise.all([
      warehouse.listCalls(workspace, place, { limit: 1, cursor: null }),
      warehouse.readSpan(workspace, traceId, spanId),
      warehouse.listWaste(workspace, place, 100),
    ]);
    const [call] = calls.data;
    if (call === undefined)
      throw new CentspanError("not_found", `span ${spanId} of trace ${traceId}: no call of a model`);
    const own = span?.attributes ?? {};
    const repeated = items.filter(({ evidence }) => evidence.repeatedTokens !== undefined);
    const evidence = repeated[0]?.evidence ?? {};
    const before = await findBefore(
      (spanIdBefore) => warehouse.listCalls(workspace, { spanId: spanIdBefore }, { limit: 1, cursor: null }),
      own["centspan.prefix.before_span_id"] ?? evidence.previousSpanId,
      () =>
        warehouse.listCalls(workspace, { traceId, range: { fromNs: 0n, toNs: call.atNs } }, { limit: 1, cursor: null }),
    );
    const spanBefore = before && (await warehouse.readSpan(workspace, before.traceId, before.spanId));
    const readsContent = may(principal, "content.read");
    return {
      call: toPromptCall(call),
      before: before && toPromptCall(before),
      kept: readKept(own),
      section: own["centspan.prefix.diverged_section"] ?? evidence.section ?? "",
      path: own["centspan.prefix.diverged_path"] ?? evidence.path ?? "",
      change: own["centspan.prefix.change"] ?? evidence.change ?? "",
      reasons: readReasons(own) ?? evidence.reasons ?? [],
      sharedPieces: readCount(own, "centspan.prefix.shared_pieces"),
      knownTokens: evidence.knownTokens ?? readCount(own, "centspan.prefix.known_tokens"),
      repeatedTokens: repeated.reduce((sum, item) => sum + (item.evidence.repeatedTokens ?? 0), 0),
      idleSeconds: before && Math.max(0, Number(call.atNs - before.atNs - before.durationNs) / 1e9),
      costUsd: formatDecimal(sumDecimals(repeated.map(({ costUsd }) => costUsd))),
      seconds: repeated.reduce((sum, { seconds }) => sum + seconds, 0),
      causes: repeated.map(({ cause, costUsd, seconds, provenance, confidence }) => ({
        ...{ cause, title: titleOf(cause), seconds, provenance, confidence },
        costUsd: formatDecimal(costUsd),
      })),
      text: readsContent ? compareTexts(spanBefore, span) : nothingOf("hidden"),
    };
  },
});

type Found = { data: RatedCall[] };

/** The one that the gateway compared it with, or else the call before it in its trace. */
async function findBefore(
  find: (spanId: string) => Promise<Found>,
  named: string | undefined,
  findLatest: () => Promise<Found>,
): Promise<RatedCall | null> {
  const { data } = await (named === undefined || named === "" ? findLatest() : find(named));
  return data[0] ?? null;
}

function toPromptCall(call: RatedCall): PromptCall {
  const { traceId, spanId, at, model, buckets, costUsd, provenance } = toCallRow(call);
  return { traceId, spanId, at, model, buckets, costUsd, provenance };
}

type Attributes = SpanRecord["attributes"];

const readKept = ({ "centspan.prefix.kept": kept }: Attributes): boolean | null =>
  kept === undefined ? null : kept === "true";

function readCount(attributes: Attributes, name: string): number | null {
  const count = Number(attributes[name] ?? Number.NaN);
  return Number.isSafeInteger(count) && count >= 0 ? count : null;
}

function readReasons({ "centspan.cache.miss_reasons": said }: Attributes): string[] | null {
  if (said === undefined) return null;
  try {
    return z.array(z.string()).catch([]).parse(JSON.parse(said));
  } catch {
    return null;
  }
}

const compareTexts = (before: SpanRecord | null, span: SpanRecord | null): PromptComparison["text"] =>
  before === null || span === null ? nothingOf("not_recorded") : comparePrompts(before.attributes, span.attributes);
