import { z } from "zod";
import { defineRoute } from "../route.ts";

export const listWorkspaces = defineRoute({
  id: "listWorkspaces",
  method: "GET",
  path: "/workspaces",
  summary: "Workspaces this key may read; name one with `workspace=` on any route",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({
    data: z.array(z.object({ id: z.string(), name: z.string(), createdAt: z.string() })),
    nextCursor: z.null(),
  }),
  async run({ deps, caller: { principal } }) {
    const all = await deps.control.listWorkspaces(principal.org);
    const mine = principal.orgWide ? all : all.filter(({ id }) => id === principal.workspace);
    return { data: mine.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })), nextCursor: null };
  },
});
