/** Token counts of one span or log record, through its layout. */
import { type CallLayout, COUNT_FIELDS } from "@centspan/model";
import { normaliseProvider } from "./normalise-provider.ts";
import { parseCount } from "./parse-values.ts";
import { attributeOf, type Reader } from "./reader.ts";
import { type Counts, splitCall, type UsageReading } from "./split-counts.ts";

/** Null when neither input nor output is reported: breakdowns alone are no usage. */
export function readUsage(read: Reader, layout: CallLayout): UsageReading | null {
  const counts: Counts = {};
  for (const field of COUNT_FIELDS) {
    const text = read(layout.fields[field]);
    if (text !== "") counts[field] = parseCount(text);
  }
  if (counts.input === undefined && counts.output === undefined) return null;
  const counting = isCountedBeside(counts, read, layout) ? { ...layout, outputIncludesReasoning: false } : layout;
  return splitCall(counts, counting, hasAmbiguousCached(read, layout));
}

/** Their APIs count reasoning beside the output. */
const COUNT_BESIDE = new Set(["google", "xai"]);

/** Some emitters pass on what the API counted under names that include reasoning: more of it than output proves that. */
function isCountedBeside({ output = 0, reasoning = 0 }: Counts, read: Reader, { fields }: CallLayout): boolean {
  if (!(reasoning > output)) return false;
  const model = read(fields.responseModel) || read(fields.requestModel);
  return COUNT_BESIDE.has(normaliseProvider(read(fields.provider), model));
}

/** Whether the attribute that a cached count was read from is one of those used both ways. */
function hasAmbiguousCached(read: Reader, { fields, ambiguousCached = [] }: CallLayout): boolean {
  return [fields.cacheRead, fields.cacheWrite].some((places) => {
    const used = places?.find((place) => read([place]) !== "");
    return used !== undefined && ambiguousCached.includes(attributeOf(used));
  });
}
