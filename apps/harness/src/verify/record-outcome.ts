/** Hands the evidence of a run to the Trace API, which decides and keeps what it means. */
import { CentspanError } from "@centspan/base";
import { OUTCOME_STATUSES, type OutcomeStatus } from "@centspan/model";
import { request } from "undici";
import { z } from "zod";
import { failureOfConnection, failureOfStatus } from "../transport/http-failure.ts";
import { type RetryPolicy, withRetries } from "../transport/retry.ts";
import type { TestEvidence } from "./verify-task.ts";

export type OutcomeSubject = { taskId: string; runId: string; traceId: string | null };

/** Where evidence goes; answers with the status that was recorded. */
export type OutcomeRecorder = {
  record(subject: OutcomeSubject, evidence: TestEvidence, signal: AbortSignal): Promise<OutcomeStatus>;
};

const answerSchema = z.looseObject({ outcomeId: z.string(), status: z.enum(OUTCOME_STATUSES) });
const PEER = "the Trace API";

export function createApiRecorder(options: { apiUrl: string; apiKey: string; retry: RetryPolicy }): OutcomeRecorder {
  const base = `${options.apiUrl.replace(/\/$/, "")}/api/v1/outcomes/junit`;
  return {
    async record(subject, evidence, signal) {
      const query = new URLSearchParams({
        task: subject.taskId,
        run: subject.runId,
        exitCode: String(evidence.exitCode),
      });
      if (subject.traceId !== null) query.set("trace", subject.traceId);
      const answer = await withRetries(options.retry, signal, () =>
        post(`${base}?${query}`, options.apiKey, evidence.report, signal),
      );
      return readAnswer(answer);
    },
  };
}

async function post(url: string, key: string, report: string, signal: AbortSignal): Promise<string> {
  try {
    const { statusCode, headers, body } = await request(url, {
      method: "POST",
      signal,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/xml" },
      body: report,
    });
    const text = await body.text();
    if (statusCode >= 200 && statusCode < 300) return text;
    const retryAfter = headers["retry-after"];
    throw failureOfStatus(PEER, {
      status: statusCode,
      retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
      body: text,
    });
  } catch (error) {
    throw failureOfConnection(PEER, error);
  }
}

function readAnswer(text: string): OutcomeStatus {
  try {
    return answerSchema.parse(JSON.parse(text)).status;
  } catch (error) {
    throw new CentspanError("internal", `${PEER} answered something else than an outcome`, { cause: error });
  }
}
