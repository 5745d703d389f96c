/** A report in the format of an outcome source, tied to a subject by query parameters: one route per source. */
import { deriveId } from "@centspan/base";
import { type Outcome, type OutcomeSource, outcomeRowSchema, subjectSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute, parseInput, type Route } from "../route.ts";
import { toOutcomeRow } from "../rows.ts";
import { storeOutcomes } from "./store-outcomes.ts";

const text = z.string().min(1).max(500).optional();

export const createReportRoute = (source: OutcomeSource): Route =>
  defineRoute({
    id: `postReport_${source.id}`,
    method: "POST",
    path: `/outcomes/${source.id}`,
    summary: `${source.describe}. \`exitCode\` is that of the process that wrote it.`,
    needs: "outcomes.write",
    query: z.strictObject({
      task: text,
      run: text,
      session: text,
      trace: text,
      commit: text,
      pullRequest: text,
      patchId: text,
      repository: text,
      branch: text,
      name: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("which of several reports of the subject it is, such as a shard: each counts by its last word"),
      exitCode: z.coerce.number().int().min(-1).max(255).optional(),
    }),
    body: z.string().min(1, "must hold the report"),
    bodyType: source.mediaType,
    bodyIsText: true,
    reportOf: source.id,
    answer: outcomeRowSchema,
    successStatus: 201,
    async run({ deps, caller, query, body }) {
      const subject = parseInput(
        subjectSchema,
        {
          task: query.task,
          runId: query.run,
          sessionId: query.session,
          traceId: query.trace,
          commit: query.commit,
          pullRequest: query.pullRequest,
          patchId: query.patchId,
          repository: query.repository,
          branch: query.branch,
        },
        "",
      );
      const { evidence, ...finding } = source.read(body, query.exitCode ?? null);
      const name: Record<string, string> = query.name === undefined ? {} : { name: query.name };
      const outcome: Outcome = {
        ...finding,
        evidence: { ...evidence, ...name },
        subject,
        weight: 1,
        source: source.id,
        atNs: deps.clock.nowNs(),
        // The same report about the same subject is the same outcome, however often it is posted.
        outcomeId: deriveId(
          "outcome",
          caller.workspace,
          source.id,
          JSON.stringify([subject, query.exitCode, ...Object.values(name)]),
          body,
        ),
      };
      const [stored = outcome] = await storeOutcomes({ deps, caller }, [outcome]);
      return toOutcomeRow(stored);
    },
  });
