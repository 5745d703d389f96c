import { CentspanError } from "@centspan/base";
import {
  findExcess,
  type GivenKey,
  keyInputSchema,
  keyRowSchema,
  keyRulesSchema,
  nameActor,
  type Principal,
} from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";
import { toKeyRow } from "../rows.ts";

export const listKeys = defineRoute({
  id: "listKeys",
  method: "GET",
  path: "/keys",
  summary: "Keys of the workspace, without their secrets",
  needs: "figures.read",
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
  summary: "Makes a key that may do no more than who makes it; the answer is the only time its secret is shown",
  needs: "keys.write",
  query: z.strictObject({}),
  body: keyInputSchema,
  answer: keyRowSchema,
  successStatus: 201,
  async run({ deps, caller, body: { name, kind, scopes = null, team, rules = {} } }) {
    requireOwn(caller.principal, { kind, scopes, rules });
    if (team !== undefined && !(await deps.control.listTeams(caller.workspace)).some(({ id }) => id === team)) {
      throw new CentspanError("invalid_request", `body.team: no team ${JSON.stringify(team)} in this workspace`, {
        field: "body.team",
      });
    }
    const key = { workspace: caller.workspace, name, kind, scopes, team: team ?? null, rules };
    return toKeyRow(await deps.control.createKey(key, nameActor(caller.principal)));
  },
});

export const setKeyRules = defineRoute({
  id: "setKeyRules",
  method: "PUT",
  path: "/keys/{keyId}/rules",
  summary: "What a gateway key may do, in place of the rules it had; they count within ten seconds",
  needs: "keys.write",
  query: z.strictObject({}),
  body: keyRulesSchema,
  answer: keyRowSchema,
  async run({ deps, caller, params: { keyId = "" }, body }) {
    requireOwn(caller.principal, { kind: "gateway", scopes: null, rules: body });
    return toKeyRow(await deps.control.setKeyRules(caller.workspace, keyId, body, nameActor(caller.principal)));
  },
});

export const revokeKey = defineRoute({
  id: "revokeKey",
  method: "DELETE",
  path: "/keys/{keyId}",
  summary: "Revokes a key: it stops working within ten seconds",
  needs: "keys.write",
  query: z.strictObject({}),
  body: z.undefined(),
  answer: z.object({ keyId: z.string(), revoked: z.literal(true) }),
  async run({ deps, caller, params: { keyId = "" } }) {
    await deps.control.revokeKey(caller.workspace, keyId, nameActor(caller.principal));
    return { keyId, revoked: true as const };
  },
});

/** Nobody comes to more by a key than they have. */
function requireOwn(giver: Principal, key: GivenKey): void {
  const excess = findExcess(giver, key);
  if (excess.length === 0) return;
  throw new CentspanError("forbidden", `authorization: you lack ${excess.join(", ")}, which the key would have`);
}
