/** JSON reports, read through a schema: the error names the format and the first field that is wrong. */
import type { z } from "zod";
import { limitReport, refuseReport } from "./refuse-report.ts";

export function parseJsonReport<T extends z.ZodType>(format: string, schema: T, report: string): z.output<T> {
  limitReport(format, report);
  let json: unknown;
  try {
    json = JSON.parse(report);
  } catch (error) {
    throw refuseReport(format, error instanceof Error ? error.message : "is not JSON");
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw refuseReport(
    format,
    `${field === "" ? "the report" : field}: ${issue?.message}`,
    field === "" ? undefined : field,
  );
}
