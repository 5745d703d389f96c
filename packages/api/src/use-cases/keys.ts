import { CentspanError } from "@centspan/base";
import { keyInputSchema, keyRowSchema, keyRulesSchema, nameActor } from "@centspan/model";
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
  async run({ deps, caller, body: { name, kind, team, rules = {} } }) {
    if (team !== undefined && !(await deps.control.listTeams(caller.workspace)).some(({ id }) => id === team)) {
      throw new CentspanError("invalid_request", `body.team: no team ${JSON.stringify(team)} in this workspace`, {
        field: "body.team",
      });
    }
    const key = { workspace: caller.workspace, name, kind, team: team ?? null, rules };
    return toKeyRow(await deps.control.createKey(key, nameActor(caller.principal)));
  },
});

export const setKeyRules = defineRoute({
  id: "setKeyRules",
  method: "PUT",
  path: "/keys/{keyId}/rules",
  summary: "What a gateway key may do, in place of the rules it had; they count within ten seconds",
  allow: ["api"],
  query: z.strictObject({}),
  body: keyRulesSchema,
  answer: keyRowSchema,
  run: async ({ deps, caller, params: { keyId = "" }, body }) =>
    toKeyRow(await deps.control.setKeyRules(caller.workspace, keyId, body, nameActor(caller.principal))),
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
    await deps.control.revokeKey(caller.workspace, keyId, nameActor(caller.principal));
    return { keyId, revoked: true as const };
  },
});
