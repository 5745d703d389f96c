import { z } from "zod";
import { defineRoute } from "../route.ts";

export const listWorkspaces = defineRoute({
  id: "listWorkspaces",
  method: "GET",
  path: "/workspaces",
  summary: "Workspaces that whoever asks may read; name one with `workspace=` on any route",
  needs: "figures.read",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({
    data: z.array(z.object({ id: z.string(), name: z.string(), createdAt: z.string() })),
    nextCursor: z.null(),
  }),
  async run({ deps, caller: { principal } }) {
    const all = await deps.control.listWorkspaces(principal.org);
    const own = principal.kind === "person" ? await deps.control.listMemberships(principal.keyId) : [principal];
    const mine = principal.orgWide ? all : all.filter(({ id }) => own.some(({ workspace }) => workspace === id));
    return { data: mine.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })), nextCursor: null };
  },
});
