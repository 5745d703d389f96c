/** A page of OpenAI's organization API: buckets of time with results, which say what they are. */
import type { InvoiceFile, InvoiceLine } from "@centspan/model";
import { z } from "zod";
import { refuse } from "./open-file.ts";
import { count, dayOfBucket, parseFile, requireWhole } from "./read-values.ts";

const pageOf = <Result extends z.ZodType>(result: Result) =>
  z.strictObject({
    object: z.literal("page"),
    data: z.array(
      z.strictObject({
        object: z.literal("bucket"),
        start_time: count,
        end_time: count,
        start_time_iso: z.string().optional(),
        end_time_iso: z.string().optional(),
        results: z.array(result),
      }),
    ),
    has_more: z.boolean(),
    next_page: z.string().nullable().optional(),
  });

const anyPage = z.looseObject({
  data: z.array(z.looseObject({ results: z.array(z.looseObject({ object: z.string() })) })),
});

/** Whether results of the page say that they are that. */
export function hasResultObject(file: InvoiceFile, object: string): boolean {
  const parsed = file.kind === "json" ? anyPage.safeParse(file.json) : null;
  return parsed?.data?.data.some(({ results }) => results.some((result) => result.object === object)) === true;
}

export function readOpenaiPage<Result extends z.ZodType>(
  file: InvoiceFile,
  result: Result,
  toLines: (result: z.output<Result>, at: { row: string; day: string }) => InvoiceLine[],
): InvoiceLine[] {
  const { data, has_more } = parseFile(file, pageOf(result));
  requireWhole(file, has_more);
  return data.flatMap(({ start_time, end_time, results }, bucket) => {
    const day = dayOfBucket(start_time, end_time);
    if (day === null) throw refuse(file.name, `data.${bucket}`, "end_time", "is not within the day of start_time");
    return results.flatMap((each, index) => toLines(each, { row: `data.${bucket}.results.${index}`, day }));
  });
}
