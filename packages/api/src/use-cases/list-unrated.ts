/** What the worker could not rate, and why. */
import { formatInstant } from "@centspan/base";
import { unratedRowSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";

export const listUnrated = defineRoute({
  id: "listUnrated",
  method: "GET",
  path: "/unrated",
  summary: "Traces and sessions that could not be rated, and are tried again: their calls are in no figure",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(unratedRowSchema), nextCursor: z.null() }),
  async run({ deps, caller }) {
    const units = await deps.control.listUnratedUnits(caller.workspace);
    const data = units.map(({ unit, message, attempts, receivedAtNs, failedAt }) => ({
      kind: unit.kind,
      id: unit.kind === "trace" ? unit.traceId : unit.sessionId,
      message,
      attempts,
      receivedAt: formatInstant(receivedAtNs),
      failedAt: failedAt.toISOString(),
    }));
    return { data, nextCursor: null };
  },
});
