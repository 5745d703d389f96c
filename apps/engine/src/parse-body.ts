/** Reads a request body with its schema; an error names the field as a person would write it. */
import { CentspanError } from "@centspan/base";
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { path, message } = findDeepest(result.error.issues[0]);
  const field = formatPath(path) || "body";
  throw new CentspanError("invalid_request", `${field}: ${message}`, { field });
}

/** Where none of several shapes fits, the one that fits furthest, then with the fewest faults, says best what is wrong. */
function findDeepest(issue: Issue | undefined): { path: PropertyKey[]; message: string } {
  if (!issue) return { path: [], message: "is not valid" };
  if (issue.code !== "invalid_union") return issue;
  const branches = issue.errors.map((faults) => ({ ...findDeepest(faults[0]), faults: faults.length }));
  const [best] = branches.sort((a, b) => b.path.length - a.path.length || a.faults - b.faults);
  if (!best || best.path.length === 0) {
    return { path: issue.path, message: "is missing or has none of the shapes it may have" };
  }
  return { path: [...issue.path, ...best.path], message: best.message };
}

const formatPath = (path: PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? String(part) : `.${String(part)}`))
    .join("");
