/** Who a key is: what somebody asks who was handed one. */
import { keyRulesSchema, listPermissions, permissionSchema } from "@centspan/model";
import { z } from "zod";
import { defineRoute } from "../route.ts";

export const selfSchema = z.object({
  keyId: z.string(),
  key: z.string(),
  kind: z.string(),
  workspace: z.string(),
  team: z.string().nullable(),
  rules: keyRulesSchema,
  permissions: z.array(permissionSchema),
});

export const readSelf = defineRoute({
  id: "readSelf",
  method: "GET",
  path: "/self",
  summary: "The key that asks: its workspace, team, rules and permissions",
  needs: null,
  query: z.strictObject({}),
  body: z.undefined(),
  answer: selfSchema,
  async run({ caller: { workspace, principal } }) {
    const { keyId, keyName, kind, team, rules } = principal;
    return { keyId, key: keyName, kind, workspace, team, rules, permissions: listPermissions(principal) };
  },
});
