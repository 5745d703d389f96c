/**
 * The Postgres tables of the control plane: org → workspace → team → key, how long a
 * workspace keeps its signals, and the progress of background jobs.
 * A change here needs `npm run generate` in this package, which writes a new migration; committed ones never change.
 * Invariant: a key's secret is nowhere, only its SHA-256.
 */
import type { KeyKind, KeyRules, Signal } from "@centspan/model";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 6 });
const createdAt = () => instant("created_at").notNull().defaultNow();

export const orgs = pgTable("orgs", {
  id: text("id").primaryKey(),
  createdAt: createdAt(),
});

export const workspaces = pgTable(
  "workspaces",
  {
    id: text("id").primaryKey(),
    org: text("org")
      .notNull()
      .references(() => orgs.id),
    name: text("name").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("workspaces_org").on(table.org)],
);

export const teams = pgTable(
  "teams",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    id: text("id").notNull(),
    name: text("name").notNull(),
    department: text("department").notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ name: "teams_pkey", columns: [table.workspace, table.id] })],
);

export const keys = pgTable(
  "keys",
  {
    id: text("id").primaryKey(),
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    name: text("name").notNull(),
    kind: text("kind").$type<KeyKind>().notNull(),
    team: text("team"),
    orgWide: boolean("org_wide").notNull().default(false),
    rules: jsonb("rules").$type<KeyRules>().notNull().default({}),
    secretHash: bytes("secret_hash").notNull(),
    hint: text("hint").notNull(),
    createdAt: createdAt(),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    uniqueIndex("keys_secret_hash").on(table.secretHash),
    uniqueIndex("keys_live_name").on(table.workspace, table.name).where(sql`${table.revokedAt} IS NULL`),
    check("keys_kind", sql`${table.kind} IN ('gateway', 'ingest', 'api')`),
    check("keys_secret_hash_length", sql`octet_length(${table.secretHash}) = 32`),
  ],
);

export const retentionPolicies = pgTable(
  "retention_policies",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    signal: text("signal").$type<Signal>().notNull(),
    days: integer("days").notNull(),
  },
  (table) => [
    primaryKey({ name: "retention_policies_pkey", columns: [table.workspace, table.signal] }),
    check("retention_policies_signal", sql`${table.signal} IN ('traces', 'logs', 'metrics')`),
    check("retention_policies_days", sql`${table.days} BETWEEN 1 AND 36500`),
  ],
);

export const jobs = pgTable("jobs", {
  job: text("job").primaryKey(),
  watermarkNs: bigint("watermark_ns", { mode: "bigint" }).notNull(),
  updatedAt: instant("updated_at").notNull().defaultNow(),
});
