/** The facts of a model call beside its counts, through the dialect of its record. Unknown is the empty string. */
import type { Decimal } from "@centspan/base";
import type { CallLayout } from "@centspan/model";
import { normaliseProvider } from "./normalise-provider.ts";
import { parseAmount, parseLatencyMs } from "./parse-values.ts";
import type { Reader } from "./reader.ts";
import type { Recognised } from "./recognise.ts";
import { regionOf } from "./region-of.ts";

export type ModelFacts = {
  /** The model that answered, or the one asked for where the record does not say. */
  model: string;
  provider: string;
  responseId: string;
  requestId: string;
  sessionId: string;
  serviceTier: string;
  region: string;
  effort: string;
  keyId: string;
  key: string;
  team: string;
  /** The sender's own figure, kept beside ours. */
  providedCostUsd: Decimal | null;
};

export function readModelFacts(
  read: Reader,
  { dialect, layout: { fields } }: Recognised<Pick<CallLayout, "fields">>,
): ModelFacts {
  const model = stripMarks(read(fields.responseModel) || read(fields.requestModel));
  return {
    model,
    provider: normaliseProvider(read(fields.provider) || (dialect.defaultProvider ?? ""), model),
    responseId: dropCommonId(read(fields.responseId)),
    requestId: read(fields.requestId),
    sessionId: read(fields.sessionId),
    serviceTier: read(fields.serviceTier),
    region: read(fields.region) || regionOf(read(fields.serverAddress)),
    effort: read(fields.effort),
    keyId: read(fields.keyId),
    key: read(fields.key),
    team: read(fields.team),
    providedCostUsd: parseAmount(read(fields.costUsd)),
  };
}

/** Null where the record does not say; an instant needs the start of its span. */
export function readFirstTokenMs(
  read: Reader,
  { layout }: Recognised<CallLayout>,
  startedAtNs: bigint | null,
): number | null {
  for (const { place, unit } of layout.firstToken ?? []) {
    const ms = parseLatencyMs(read([place]), unit, startedAtNs);
    if (ms !== null) return ms;
  }
  return null;
}

/** Clients append their own choices to the id in brackets, such as `claude-opus-4-8[1m]`; no provider's id has any. */
function stripMarks(model: string): string {
  const at = model.indexOf("[");
  return at >= 0 && /^(\[[\w-]+\])+$/.test(model.slice(at)) ? model.slice(0, at) : model;
}

/**
 * Small servers number their answers at random below a thousand, or by the second, or call all of them the same. Such an
 * id is that of several responses, and taking them for one would lose calls.
 */
const dropCommonId = (id: string): string => (COMMON_ID.test(id) ? "" : id);
const COMMON_ID = /^([a-z]*[-_])?(\d{0,10}|default|local|none|null|undefined|unknown|nan|test)$/i;
