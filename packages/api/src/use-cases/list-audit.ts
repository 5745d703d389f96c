import { auditRowSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";

export const listAudit = defineRoute({
  id: "listAudit",
  method: "GET",
  path: "/audit",
  summary: "Who did what that money depends on, newest first",
  needs: "audit.read",
  query: z.strictObject({ limit: z.coerce.number("is not a number").int().min(1).max(1000).default(100) }),
  body: z.undefined(),
  answer: z.object({ data: z.array(auditRowSchema), nextCursor: z.null() }),
  async run({ deps, caller, query: { limit } }) {
    const entries = await deps.control.listAudit(caller.workspace, limit);
    return { data: entries.map(({ at, ...entry }) => ({ ...entry, at: at.toISOString() })), nextCursor: null };
  },
});
