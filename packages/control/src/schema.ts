/**
 * The Postgres tables of the control plane: org → workspace → team → key, how long a
 * workspace keeps its signals, budgets with what was spent of them, closed months, and the progress of background jobs.
 * A change here needs `npm run generate` in this package, which writes a new migration; committed ones never change.
 * Invariant: a key's secret is nowhere, only its SHA-256.
 */
import type {
  AcceptancePolicy,
  AlertChannel,
  ApprovalDecision,
  ApprovalInput,
  AuditEntry,
  BudgetInput,
  Commitment,
  CommitmentLine,
  CompletionRule,
  ContractPrice,
  EvaluationSet,
  ExchangeRate,
  KeyKind,
  KeyRules,
  Permission,
  Recommendation,
  RecommendationInput,
  Signal,
  SimulationRecord,
  Study,
  StudyInput,
  StudyResult,
  StudyState,
} from "@centspan/model";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";

export const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 6 });
/** An amount; its text has all decimals. */
const usd = (name: string) => numeric(name, { precision: 38, scale: 12 });
export const createdAt = () => instant("created_at").notNull().defaultNow();

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
    /** Whose calendar its months follow. */
    timeZone: text("time_zone").notNull().default("UTC"),
    createdAt: createdAt(),
    /** Since when it is as if it were not there; its rows are deleted after it. */
    deletedAt: instant("deleted_at"),
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
    scopes: jsonb("scopes").$type<readonly Permission[]>(),
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
    check("keys_kind", sql`${table.kind} IN ('gateway', 'ingest', 'gateway-ingest', 'api')`),
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

export const budgets = pgTable(
  "budgets",
  {
    id: text("id").primaryKey(),
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    name: text("name").notNull(),
    scope: text("scope").$type<BudgetInput["scope"]>().notNull(),
    subject: text("subject").notNull(),
    period: text("period").$type<BudgetInput["period"]>().notNull(),
    timeZone: text("time_zone").notNull(),
    limitUsd: usd("limit_usd").notNull(),
    enforcement: text("enforcement").$type<BudgetInput["enforcement"]>().notNull(),
    unpriced: text("unpriced").$type<BudgetInput["unpriced"]>().notNull(),
    alerts: jsonb("alerts").$type<BudgetInput["alerts"]>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("budgets_name").on(table.workspace, table.name),
    check("budgets_limit_usd", sql`${table.limitUsd} > 0`),
  ],
);

const accountOf = () => ({
  budget: text("budget").notNull(),
  subject: text("subject").notNull(),
  from: instant("period_from").notNull(),
});

/** Subjects of budgets in their periods. Whoever changes what is held of one locks its row first. */
export const budgetAccounts = pgTable(
  "budget_accounts",
  { ...accountOf(), spentUsd: usd("spent_usd").notNull() },
  (table) => [
    primaryKey({ name: "budget_accounts_pkey", columns: [table.budget, table.subject, table.from] }),
    foreignKey({ name: "budget_accounts_budget", columns: [table.budget], foreignColumns: [budgets.id] }).onDelete(
      "cascade",
    ),
    index("budget_accounts_most_spent").on(table.budget, table.from, table.spentUsd.desc()),
  ],
);

/** What each process holds of an account. */
export const budgetLeases = pgTable(
  "budget_leases",
  {
    ...accountOf(),
    holder: text("holder").notNull(),
    heldUsd: usd("held_usd").notNull(),
    visit: bigint("visit", { mode: "number" }).notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ name: "budget_leases_pkey", columns: [table.budget, table.subject, table.from, table.holder] }),
    foreignKey({
      name: "budget_leases_account",
      columns: [table.budget, table.subject, table.from],
      foreignColumns: [budgetAccounts.budget, budgetAccounts.subject, budgetAccounts.from],
    }).onDelete("cascade"),
    check("budget_leases_held_usd", sql`${table.heldUsd} >= 0`),
  ],
);

/** Of each account one for each reason, and way to tell it: of the limit that it had by then. */
export const budgetAlerts = pgTable(
  "budget_alerts",
  {
    id: text("id").primaryKey(),
    ...accountOf(),
    reason: text("reason").notNull(),
    channel: text("channel").$type<AlertChannel>().notNull(),
    limitUsd: usd("limit_usd").notNull(),
    spentUsd: usd("spent_usd").notNull(),
    forecastUsd: usd("forecast_usd"),
    raisedAt: instant("raised_at").notNull().defaultNow(),
    claimedUntil: instant("claimed_until"),
    closedAt: instant("closed_at"),
  },
  (table) => [
    uniqueIndex("budget_alerts_once").on(table.budget, table.subject, table.from, table.reason, table.channel),
    foreignKey({
      name: "budget_alerts_account",
      columns: [table.budget, table.subject, table.from],
      foreignColumns: [budgetAccounts.budget, budgetAccounts.subject, budgetAccounts.from],
    }).onDelete("cascade"),
    index("budget_alerts_due").on(table.raisedAt).where(sql`${table.closedAt} IS NULL`),
  ],
);

export const jobs = pgTable("jobs", {
  job: text("job").primaryKey(),
  watermarkNs: bigint("watermark_ns", { mode: "bigint" }).notNull(),
  updatedAt: instant("updated_at").notNull().defaultNow(),
});

/** What the worker could not rate: a trace, or a stretch of a session; what does not apply is "" and 0. */
export const unratedUnits = pgTable(
  "unrated_units",
  {
    workspace: text("workspace").notNull(),
    traceId: text("trace_id").notNull(),
    sessionId: text("session_id").notNull(),
    fromNs: bigint("from_ns", { mode: "bigint" }).notNull(),
    toNs: bigint("to_ns", { mode: "bigint" }).notNull(),
    message: text("message").notNull(),
    attempts: integer("attempts").notNull().default(1),
    receivedAtNs: bigint("received_at_ns", { mode: "bigint" }).notNull(),
    failedAt: instant("failed_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({
      name: "unrated_units_pkey",
      columns: [table.workspace, table.traceId, table.sessionId, table.fromNs, table.toNs],
    }),
  ],
);

/** Months that are closed. Rows are made once and never change, but for who answers for what no team owns. */
export const periods = pgTable(
  "periods",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    period: text("period").notNull(),
    timeZone: text("time_zone").notNull(),
    fromNs: bigint("from_ns", { mode: "bigint" }).notNull(),
    toNs: bigint("to_ns", { mode: "bigint" }).notNull(),
    unpricedCalls: integer("unpriced_calls").notNull(),
    quarantinedCalls: integer("quarantined_calls").notNull(),
    unratedUnits: integer("unrated_units").notNull().default(0),
    closedAt: instant("closed_at").notNull().defaultNow(),
    closedBy: text("closed_by").notNull(),
  },
  (table) => [primaryKey({ name: "periods_pkey", columns: [table.workspace, table.period] })],
);

export const statementLines = pgTable(
  "statement_lines",
  {
    workspace: text("workspace").notNull(),
    period: text("period").notNull(),
    team: text("team").notNull(),
    lines: integer("lines").notNull(),
    exactUsd: usd("exact_usd").notNull(),
    amountUsd: numeric("amount_usd", { precision: 38, scale: 2 }).notNull(),
    owner: text("owner"),
  },
  (table) => [
    primaryKey({ name: "statement_lines_pkey", columns: [table.workspace, table.period, table.team] }),
    foreignKey({
      name: "statement_lines_period",
      columns: [table.workspace, table.period],
      foreignColumns: [periods.workspace, periods.period],
    }),
  ],
);

/** What of a closed month's statement comes from commitments. */
export const commitmentLines = pgTable(
  "commitment_lines",
  {
    workspace: text("workspace").notNull(),
    period: text("period").notNull(),
    commitment: text("commitment").notNull(),
    team: text("team").notNull(),
    status: text("status").$type<CommitmentLine["status"]>().notNull(),
    payPerTokenUsd: usd("pay_per_token_usd").notNull(),
    costUsd: usd("cost_usd").notNull(),
    provenance: text("provenance").$type<CommitmentLine["provenance"]>().notNull(),
  },
  (table) => [
    primaryKey({
      name: "commitment_lines_pkey",
      columns: [table.workspace, table.period, table.commitment, table.team, table.status],
    }),
    foreignKey({
      name: "commitment_lines_period",
      columns: [table.workspace, table.period],
      foreignColumns: [periods.workspace, periods.period],
    }),
  ],
);

/** Seats, credits and capacity, whole as they were checked; an end is the one thing that comes later. */
export const commitments = pgTable(
  "commitments",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    id: text("id").notNull(),
    commitment: jsonb("commitment").$type<Commitment>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ name: "commitments_pkey", columns: [table.workspace, table.id] })],
);

/** Contracts with providers, whole as they were checked; an end is the one thing that comes later. */
export const contractPrices = pgTable(
  "contract_prices",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    id: text("id").notNull(),
    contract: jsonb("contract").$type<ContractPrice>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ name: "contract_prices_pkey", columns: [table.workspace, table.id] })],
);

export const exchangeRates = pgTable(
  "exchange_rates",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    currency: text("currency").notNull(),
    from: text("from").notNull(),
    rate: jsonb("rate").$type<ExchangeRate>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ name: "exchange_rates_pkey", columns: [table.workspace, table.currency, table.from] })],
);

/** What a call costs on the processors of the gateways that share this store. */
export const gatewayCosts = pgTable("gateway_costs", {
  gateway: text("gateway").primaryKey(),
  cpuModel: text("cpu_model").notNull(),
  cpuUsPerCall: doublePrecision("cpu_us_per_call").notNull(),
  heardAt: instant("heard_at").notNull().defaultNow(),
});

/** What an hour of a team's review costs. */
export const reviewRates = pgTable(
  "review_rates",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    team: text("team").notNull(),
    usdPerHour: usd("usd_per_hour").notNull(),
  },
  (table) => [
    primaryKey({ name: "review_rates_pkey", columns: [table.workspace, table.team] }),
    check("review_rates_usd_per_hour", sql`${table.usdPerHour} >= 0`),
  ],
);

/** What people are asked to approve. Its link is signed with the key, which nothing else is. */
export const approvals = pgTable("approvals", {
  id: text("id").primaryKey(),
  workspace: text("workspace")
    .notNull()
    .references(() => workspaces.id),
  signingKey: bytes("signing_key").notNull(),
  asked: jsonb("asked").$type<ApprovalInput>().notNull(),
  askedBy: text("asked_by").notNull(),
  expiresAt: instant("expires_at").notNull(),
  decision: jsonb("decision").$type<ApprovalDecision>(),
  decidedAt: instant("decided_at"),
});

/** When runs count as completed, whole as they were checked. */
export const completionRules = pgTable(
  "completion_rules",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    name: text("name").notNull(),
    rule: jsonb("rule").$type<CompletionRule>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ name: "completion_rules_pkey", columns: [table.workspace, table.name] })],
);

/** Sets of tasks with the bar that models are held against. */
export const evaluationSets = pgTable(
  "evaluation_sets",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    name: text("name").notNull(),
    set: jsonb("set").$type<EvaluationSet>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ name: "evaluation_sets_pkey", columns: [table.workspace, table.name] })],
);

/** Recommendations, whole as they were filed; where they stand and who took each step comes later. */
export const recommendations = pgTable(
  "recommendations",
  {
    id: text("id").primaryKey(),
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    input: jsonb("input").$type<RecommendationInput>().notNull(),
    state: text("state").$type<Recommendation["state"]>().notNull(),
    proposedBy: text("proposed_by").notNull(),
    createdAt: createdAt(),
    steps: jsonb("steps").$type<Recommendation["steps"]>().notNull(),
    realised: jsonb("realised").$type<NonNullable<Recommendation["realised"]>>(),
  },
  (table) => [
    index("recommendations_newest").on(table.workspace, table.createdAt),
    check(
      "recommendations_state",
      sql`${table.state} IN ('proposed', 'accepted', 'applied', 'verified', 'rejected', 'withdrawn')`,
    ),
  ],
);

/** What was simulated on request. */
export const simulations = pgTable("simulations", {
  id: text("id").primaryKey(),
  workspace: text("workspace")
    .notNull()
    .references(() => workspaces.id),
  simulation: jsonb("simulation").$type<Omit<SimulationRecord, "id" | "createdAt">>().notNull(),
  createdAt: createdAt(),
});

/** What the optimizer was asked, where it is, and what came of it. `worker` and `heardAt`: who works on it, and lives. */
export const studies = pgTable(
  "studies",
  {
    id: text("id").primaryKey(),
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    state: text("state").$type<StudyState>().notNull(),
    asked: jsonb("asked").$type<StudyInput>().notNull(),
    askedBy: text("asked_by").notNull(),
    createdAt: createdAt(),
    startedAt: instant("started_at"),
    endedAt: instant("ended_at"),
    worker: text("worker"),
    heardAt: instant("heard_at"),
    tries: integer("tries").notNull().default(0),
    isUnwanted: boolean("is_unwanted").notNull().default(false),
    progress: text("progress").notNull().default(""),
    result: jsonb("result").$type<StudyResult>(),
    filed: jsonb("filed").$type<Study["filed"]>().notNull(),
  },
  (table) => [
    index("studies_newest").on(table.workspace, table.createdAt),
    index("studies_open").on(table.createdAt).where(sql`${table.state} IN ('waiting', 'running')`),
    check("studies_state", sql`${table.state} IN ('waiting', 'running', 'done', 'refused', 'cancelled', 'failed')`),
  ],
);

/** What may be applied without a person's word. */
export const acceptancePolicies = pgTable(
  "acceptance_policies",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    name: text("name").notNull(),
    policy: jsonb("policy").$type<AcceptancePolicy>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ name: "acceptance_policies_pkey", columns: [table.workspace, table.name] })],
);

/** Reports that were not taken, by source and reason. */
export const reportRefusals = pgTable(
  "report_refusals",
  {
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    source: text("source").notNull(),
    reason: text("reason").notNull(),
    count: integer("count").notNull(),
    firstAt: instant("first_at").notNull().defaultNow(),
    lastAt: instant("last_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ name: "report_refusals_pkey", columns: [table.workspace, table.source, table.reason] })],
);

/** Who did what that money depends on. Rows are only ever added. */
export const auditLog = pgTable(
  "audit_log",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    workspace: text("workspace")
      .notNull()
      .references(() => workspaces.id),
    at: instant("at").notNull().defaultNow(),
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    subject: text("subject").notNull(),
    details: jsonb("details").$type<AuditEntry["details"]>().notNull(),
  },
  (table) => [index("audit_log_newest").on(table.workspace, table.id)],
);
