/**
 * The report of a SWE-bench evaluation: which instances are resolved. An instance is a task of the same name. One that
 * could not be evaluated, or whose patch is empty, is not resolved; one that was not submitted is no outcome.
 */
import { deriveId } from "@centspan/base";
import { defineOutcomeFeed, type OutcomeStatus, type SubjectFinding } from "@centspan/model";
import { z } from "zod";
import { parseJsonReport } from "../parse-json-report.ts";
import { refuseReport } from "../refuse-report.ts";

const ids = z.array(z.string().min(1).max(500)).max(100_000);

const reportSchema = z.looseObject({
  resolved_ids: ids,
  unresolved_ids: ids,
  empty_patch_ids: ids.default([]),
  error_ids: ids.default([]),
  /** Its own count of what it lists. */
  submitted_instances: z.int().nonnegative().optional(),
});

const LISTS = ["resolved_ids", "unresolved_ids", "empty_patch_ids", "error_ids"] as const;

/** What being in a list of the report means. */
const VERDICTS = {
  resolved_ids: "passed",
  unresolved_ids: "failed",
  empty_patch_ids: "failed",
  error_ids: "failed",
} as const satisfies Record<(typeof LISTS)[number], OutcomeStatus>;

export default defineOutcomeFeed({
  id: "swebench",
  describe: "SWE-bench evaluation report: resolved and unresolved instances, each a task of that name",
  read({ body }) {
    const report = parseJsonReport("SWE-bench", reportSchema, body);
    const verdicts = new Map<string, (typeof LISTS)[number]>();
    for (const list of LISTS)
      for (const id of report[list]) {
        const before = verdicts.get(id);
        if (before !== undefined && before !== list)
          throw refuseReport("SWE-bench", `${list}: ${id} is in ${before} too`, list);
        verdicts.set(id, list);
      }
    const { submitted_instances: submitted } = report;
    if (submitted !== undefined && submitted < verdicts.size)
      throw refuseReport(
        "SWE-bench",
        `submitted_instances: is ${submitted}, but ${verdicts.size} instances are listed`,
        "submitted_instances",
      );
    const reportId = deriveId("report", body);
    return [...verdicts].map(
      ([id, list]): SubjectFinding => ({
        kind: "tests",
        status: VERDICTS[list],
        evidence: { list },
        subject: { task: id },
        identity: `${reportId} ${id}`,
        atNs: null,
      }),
    );
  },
});
