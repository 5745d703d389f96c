/**
 * Keys: what a presented secret stands for, and the list of keys of a workspace. Each change of one is in the audit log.
 * Invariants: a secret leaves only createKey; a lookup does the same work whether the secret is known or not.
 */
import { CentspanError, createId } from "@centspan/base";
import type { Key, KeyStore } from "@centspan/model";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { insertAudit } from "./period-store.ts";
import { keys, teams, workspaces } from "./schema.ts";
import { createSecret, deriveWebhookSecret, hashSecret, hintOf } from "./secrets.ts";
import { violatedConstraint } from "./store-errors.ts";
import { type Database, transact } from "./transact.ts";

const publicColumns = {
  keyId: keys.id,
  workspace: keys.workspace,
  name: keys.name,
  kind: keys.kind,
  scopes: keys.scopes,
  team: keys.team,
  hint: keys.hint,
  createdAt: keys.createdAt,
  revokedAt: keys.revokedAt,
  rules: keys.rules,
};

const principalColumns = {
  keyId: keys.id,
  keyName: keys.name,
  kind: keys.kind,
  scopes: keys.scopes,
  workspace: keys.workspace,
  org: workspaces.org,
  team: keys.team,
  orgWide: keys.orgWide,
  rules: keys.rules,
};

export function createKeyStore(db: Database): KeyStore {
  return {
    async findPrincipal(secret) {
      const [principal] = await db
        .select(principalColumns)
        .from(keys)
        .innerJoin(workspaces, eq(workspaces.id, keys.workspace))
        .where(and(eq(keys.secretHash, hashSecret(secret)), isNull(keys.revokedAt)));
      return principal ?? null;
    },

    async findSigner(keyId) {
      const [found] = await db
        .select({ principal: principalColumns, secretHash: keys.secretHash })
        .from(keys)
        .innerJoin(workspaces, eq(workspaces.id, keys.workspace))
        .where(and(eq(keys.id, keyId), isNull(keys.revokedAt)));
      return found ? { principal: found.principal, webhookSecret: deriveWebhookSecret(found.secretHash) } : null;
    },

    listKeys: (workspace) =>
      db
        .select(publicColumns)
        .from(keys)
        .where(eq(keys.workspace, workspace))
        .orderBy(asc(keys.createdAt), asc(keys.id)),

    async createKey(key, actor) {
      const secret = createSecret(key.kind);
      const row = { ...key, id: createId("key"), secretHash: hashSecret(secret), hint: hintOf(secret) };
      try {
        const created = await transact(db, async (tx) => {
          // A key may be the first that is heard of a team.
          if (key.team !== null) {
            const team = { workspace: key.workspace, id: key.team, name: key.team, department: "" };
            await tx.insert(teams).values(team).onConflictDoNothing();
          }
          const [inserted] = await tx.insert(keys).values(row).returning(publicColumns);
          const { name, kind, scopes, team, rules, orgWide } = row;
          const details = {
            name,
            kind,
            scopes: scopes?.join(" ") ?? "",
            team: team ?? "",
            rules: JSON.stringify(rules ?? {}),
            orgWide: String(orgWide ?? false),
          };
          await insertAudit(tx, key.workspace, { actor, action: "key.created", subject: row.id, details });
          return requireKey(inserted, row.id);
        });
        return { ...created, secret };
      } catch (thrown) {
        throw explainViolation(thrown, key);
      }
    },

    setKeyRules: (workspace, keyId, rules, actor) =>
      transact(db, async (tx) => {
        const [changed] = await tx
          .update(keys)
          .set({ rules })
          .where(and(eq(keys.workspace, workspace), eq(keys.id, keyId)))
          .returning(publicColumns);
        const key = requireKey(changed, keyId);
        const details = { name: key.name, rules: JSON.stringify(rules) };
        await insertAudit(tx, workspace, { actor, action: "key.rules", subject: keyId, details });
        return key;
      }),

    revokeKey: (workspace, keyId, actor) =>
      transact(db, async (tx) => {
        const [revoked] = await tx
          .update(keys)
          // The first revocation is the one that counts.
          .set({ revokedAt: sql`coalesce(${keys.revokedAt}, now())` })
          .where(and(eq(keys.workspace, workspace), eq(keys.id, keyId)))
          .returning(publicColumns);
        const { name } = requireKey(revoked, keyId);
        await insertAudit(tx, workspace, { actor, action: "key.revoked", subject: keyId, details: { name } });
      }),
  };
}

function requireKey(key: Key | undefined, keyId: string): Key {
  if (key === undefined) throw new CentspanError("not_found", `There is no key ${keyId} in this workspace.`);
  return key;
}

function explainViolation(thrown: unknown, key: { workspace: string; name: string }): unknown {
  const constraint = violatedConstraint(thrown);
  if (constraint === "keys_live_name") {
    return new CentspanError("conflict", `name: a key named ${key.name} exists already`, { field: "name" });
  }
  if (constraint?.endsWith("_workspace_workspaces_id_fk")) {
    return new CentspanError("not_found", `There is no workspace ${key.workspace}.`);
  }
  return thrown;
}
