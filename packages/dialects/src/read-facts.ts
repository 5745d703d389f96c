/** The facts of a model call beside its counts, through the dialect of its span. Unknown is the empty string. */
import { type Decimal, parseDecimal } from "@centspan/base";
import type { Dialect, SpanRecord } from "@centspan/model";
import { normaliseProvider } from "./normalise-provider.ts";

export type ModelFacts = {
  /** The model that answered, or the one asked for where the span does not say. */
  model: string;
  provider: string;
  responseId: string;
  sessionId: string;
  serviceTier: string;
  effort: string;
  /** The sender's own figure, kept beside ours. */
  providedCostUsd: Decimal | null;
};

export function readModelFacts(span: Pick<SpanRecord, "attributes">, dialect: Dialect): ModelFacts {
  const { fields } = dialect;
  const model = stripMarks(readText(span, fields.responseModel) || readText(span, fields.requestModel));
  const provider = readText(span, fields.provider) || (dialect.defaultProvider ?? "");
  return {
    model,
    provider: normaliseProvider(provider, model),
    responseId: dropCommonId(readText(span, fields.responseId)),
    sessionId: readText(span, fields.sessionId),
    serviceTier: readText(span, fields.serviceTier),
    effort: readText(span, fields.effort),
    providedCostUsd: parseAmount(readText(span, fields.cost ?? [])),
  };
}

/** Clients append their own choices to the id in brackets, such as `claude-opus-4-8[1m]`; no provider's id has any. */
function stripMarks(model: string): string {
  const at = model.indexOf("[");
  return at >= 0 && /^(\[[\w-]+\])+$/.test(model.slice(at)) ? model.slice(0, at) : model;
}

/**
 * Small servers number their answers at random below a thousand, or by the second. Such an id is that of several
 * responses, and taking them for one would lose calls.
 */
const dropCommonId = (id: string): string => (/^(chatcmpl-|cmpl-|resp_)\d{1,10}$/.test(id) ? "" : id);

/** The first candidate that is there. */
export function readText(span: Pick<SpanRecord, "attributes">, candidates: readonly string[]): string {
  for (const name of candidates) {
    const value = span.attributes[name];
    if (value !== undefined && value !== "") return value;
  }
  return "";
}

/** Amounts arrive as doubles, whose text may have an exponent; anything else that is no plain decimal is no claim. */
function parseAmount(text: string): Decimal | null {
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (!match) return null;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const at = point <= 0 ? 1 : point;
  return parseDecimal(padded.length > at ? `${padded.slice(0, at)}.${padded.slice(at)}` : padded);
}
