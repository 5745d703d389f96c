import { CentspanError } from "@centspan/base";
import { keyInputSchema, keyRowSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toKeyRow } from "../rows.ts";

export const listKeys = defineRoute({
  id: "listKeys",
  method: "GET",
  path: "/keys",
  summary: "Keys of the workspace, without their secrets",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ data: z.array(keyRowSchema), nextCursor: z.null() }),
  async run({ deps, caller }) {
    return { data: (await deps.control.listKeys(caller.workspace)).map(toKeyRow), nextCursor: null };
  },
});

export const createKey = defineRoute({
  id: "createKey",
  method: "POST",
  path: "/keys",
  summary: "Makes a key; the answer is the only time its secret is shown",
  allow: ["api"],
  query: z.strictObject({}),
  body: keyInputSchema,
  answer: keyRowSchema,
  successStatus: 201,
  async run({ deps, caller, body: { name, kind, team } }) {
    if (team !== undefined && !(await deps.control.listTeams(caller.workspace)).some(({ id }) => id === team)) {
      throw new CentspanError("invalid_request", `body.team: no team ${JSON.stringify(team)} in this workspace`, {
        field: "body.team",
      });
    }
    return toKeyRow(await deps.control.createKey({ workspace: caller.workspace, name, kind, team: team ?? null }));
  },
});

export const revokeKey = defineRoute({
  id: "revokeKey",
  method: "DELETE",
  path: "/keys/{keyId}",
  summary: "Revokes a key: it stops working within ten seconds",
  allow: ["api"],
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ keyId: z.string(), revoked: z.literal(true) }),
  async run({ deps, caller, params: { keyId = "" } }) {
    await deps.control.revokeKey(caller.workspace, keyId);
    return { keyId, revoked: true as const };
  },
});
