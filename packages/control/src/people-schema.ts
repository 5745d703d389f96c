/**
 * The Postgres tables of people: who they are, how they sign in, and what they are members of. The columns of the first four are
 * those that the sign-in library (better-auth) writes; the others are ours.
 * Invariant: a password is nowhere, only its scrypt hash, and of an invitation's link only the SHA-256 of its token.
 */
import type { MemberRole } from "@centspan/model";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bytes, createdAt, instant, workspaces } from "./schema.ts";

const updatedAt = () => instant("updated_at").notNull().defaultNow();

export const people = pgTable(
  "people",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    /** By a provider that was asked; an invitation's link tells nothing of whose the address is. */
    emailVerified: boolean("email_verified").notNull().default(false),
    image: text("image"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("people_email").on(table.email),
    check("people_email_case", sql`${table.email} = lower(${table.email})`),
  ],
);

const ofPerson = () =>
  text("person")
    .notNull()
    .references(() => people.id, { onDelete: "cascade" });

export const sessions = pgTable(
  "sessions",
  {
    id: text("id").primaryKey(),
    userId: ofPerson(),
    token: text("token").notNull(),
    expiresAt: instant("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("sessions_token").on(table.token), index("sessions_person").on(table.userId)],
);

/** Ways to sign in: a password (provider `credential`) or what an OpenID provider calls the person. */
export const signInAccounts = pgTable(
  "sign_in_accounts",
  {
    id: text("id").primaryKey(),
    userId: ofPerson(),
    providerId: text("provider").notNull(),
    accountId: text("account").notNull(),
    password: text("password_hash"),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: instant("access_token_expires_at"),
    refreshTokenExpiresAt: instant("refresh_token_expires_at"),
    scope: text("scope"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("sign_in_accounts_account").on(table.providerId, table.accountId),
    index("sign_in_accounts_person").on(table.userId),
  ],
);

/** What a sign-in at a provider has to come back with. */
export const signInStates = pgTable(
  "sign_in_states",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: instant("expires_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("sign_in_states_identifier").on(table.identifier)],
);

/** Tries to sign in, of an address of mail or of the network, since when they are counted. */
export const signInTries = pgTable("sign_in_tries", {
  subject: text("subject").primaryKey(),
  tries: integer("tries").notNull(),
  since: instant("since").notNull().defaultNow(),
});

const role = () => text("role").$type<MemberRole>().notNull();
const ofWorkspace = () =>
  text("workspace")
    .notNull()
    .references(() => workspaces.id);

export const members = pgTable(
  "members",
  { workspace: ofWorkspace(), person: ofPerson(), role: role(), since: instant("since").notNull().defaultNow() },
  (table) => [
    primaryKey({ name: "members_pkey", columns: [table.workspace, table.person] }),
    index("members_person").on(table.person),
    check("members_role", sql`${table.role} IN ('owner', 'finance', 'engineer', 'viewer')`),
  ],
);

export const invitations = pgTable(
  "invitations",
  {
    id: text("id").primaryKey(),
    workspace: ofWorkspace(),
    email: text("email").notNull(),
    role: role(),
    isReset: boolean("is_reset").notNull().default(false),
    tokenHash: bytes("token_hash").notNull(),
    invitedBy: text("invited_by").notNull(),
    createdAt: createdAt(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("invitations_token_hash").on(table.tokenHash),
    uniqueIndex("invitations_email").on(table.workspace, table.email),
    check("invitations_role", sql`${table.role} IN ('owner', 'finance', 'engineer', 'viewer')`),
  ],
);
