/** A report of Anthropic's admin API: buckets of time with results, told apart by the fields that those have. */
import { parseInstant } from "@centspan/base";
import type { InvoiceFile, InvoiceLine } from "@centspan/model";
import { z } from "zod";
import { refuse } from "./open-file.ts";
import { dayOfBucket, parseFile, requireWhole } from "./read-values.ts";

const reportOf = <Result extends z.ZodType>(result: Result) =>
  z.strictObject({
    data: z.array(z.strictObject({ starting_at: z.string(), ending_at: z.string(), results: z.array(result) })),
    has_more: z.boolean(),
    next_page: z.string().nullable().optional(),
  });

const anyReport = z.looseObject({
  data: z.array(z.looseObject({ starting_at: z.string(), results: z.array(z.looseObject({})) })),
});

export function hasResultField(file: InvoiceFile, field: string): boolean {
  const parsed = file.kind === "json" ? anyReport.safeParse(file.json) : null;
  return parsed?.data?.data.some(({ results }) => results.some((result) => field in result)) === true;
}

export function readAnthropicReport<Result extends z.ZodType>(
  file: InvoiceFile,
  result: Result,
  toLines: (result: z.output<Result>, at: { row: string; day: string }) => InvoiceLine[],
): InvoiceLine[] {
  const { data, has_more } = parseFile(file, reportOf(result));
  requireWhole(file, has_more);
  return data.flatMap(({ starting_at, ending_at, results }, bucket) => {
    const day = readDay(file, `data.${bucket}`, starting_at, ending_at);
    return results.flatMap((each, index) => toLines(each, { row: `data.${bucket}.results.${index}`, day }));
  });
}

const SECOND_NS = 1_000_000_000n;

function readDay(file: InvoiceFile, row: string, startingAt: string, endingAt: string): string {
  const [fromNs, toNs] = [startingAt, endingAt].map(parseInstant);
  if (fromNs == null) throw refuse(file.name, row, "starting_at", `${startingAt} is not an instant`);
  if (toNs == null) throw refuse(file.name, row, "ending_at", `${endingAt} is not an instant`);
  const day = dayOfBucket(Number(fromNs / SECOND_NS), Number(toNs / SECOND_NS));
  if (day === null) throw refuse(file.name, row, "ending_at", "is not within the day of starting_at");
  return day;
}
