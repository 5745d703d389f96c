/**
 * Stage api.validate: the body against its protocol, then against what its key may do, then against what its model takes; the
 * error names the field as a person would write it.
 */
import { CentspanError } from "@centspan/base";
import { setAttributes } from "@centspan/telemetry";
import type { z } from "zod";
import { type Exchange, runStage } from "../exchange.ts";
import { formatPath } from "../format-path.ts";
import type { InferenceRequest } from "../protocols/protocol.ts";
import { applyRules } from "./apply-rules.ts";
import { checkSemantics } from "./check-semantics.ts";

export function validate(exchange: Exchange, json: unknown): Promise<InferenceRequest> {
  return runStage(exchange, "api.validate", (span) => {
    const result = exchange.protocol.readRequest(json);
    if (result.success) {
      const request = applyRules(exchange, result.data, json);
      setAttributes(span, checkSemantics(exchange.protocol, request, json));
      return request;
    }
    const { path, message } = chooseIssue(result.error.issues);
    const field = path.length === 0 ? "body" : formatPath(path);
    throw new CentspanError("invalid_request", `${field}: ${message}`, { field });
  });
}

type Issue = Pick<z.core.$ZodIssue, "path" | "message">;

/** The first complaint; of a union's alternatives the one that got furthest, which is the one that was meant. */
function chooseIssue(issues: readonly z.core.$ZodIssue[]): Issue {
  const [first] = issues;
  if (!first) return { path: [], message: "is not what the protocol takes" };
  if (first.code !== "invalid_union") return first;
  const inner = first.errors
    .filter((alternative) => alternative.length > 0)
    .sort((a, b) => rankAlternative(a) - rankAlternative(b))
    .map(chooseIssue)[0];
  return inner ? { path: [...first.path, ...inner.path], message: inner.message } : first;
}

/** Alternatives that fail at their `type` or `role` were not meant; neither were those with more to complain about. */
function rankAlternative(issues: readonly z.core.$ZodIssue[]): number {
  const isOther = issues.some(
    (issue) => issue.path.length === 0 || (issue.path.length === 1 && issue.path[0] === "type"),
  );
  return (isOther ? 100 : 0) + issues.length;
}
