/**
 * Opens the control plane: one connection pool behind the ports of the model.
 * Nothing is contacted until the first question. Idle connections may break at any time; the next question gets a new
 * one, and only a question that can't be answered becomes `store_unavailable`.
 */
import type {
  ApprovalStore,
  BudgetAccounts,
  BudgetStore,
  CommitmentStore,
  GatewayCosts,
  JobStore,
  KeyStore,
  OrgStore,
  OutcomeSettings,
  PeriodStore,
  PriceTermsStore,
  RecommendationStore,
  RetentionPolicies,
  SimulationStore,
  UnratedUnits,
} from "@centspan/model";
import { drizzle } from "drizzle-orm/node-postgres";
import { Pool } from "pg";
import { createApprovalStore } from "./approval-store.ts";
import { createBudgetAccounts } from "./budget-accounts.ts";
import { createBudgetStore } from "./budget-store.ts";
import { createCommitmentStore } from "./commitment-store.ts";
import { createGatewayCosts } from "./gateway-cost-store.ts";
import { createJobStore } from "./job-store.ts";
import { createKeyStore } from "./key-store.ts";
import { migrateControl } from "./migrate.ts";
import { createOrgStore } from "./org-store.ts";
import { createOutcomeSettings } from "./outcome-settings.ts";
import { createPeriodStore } from "./period-store.ts";
import { createPriceTermsStore } from "./price-terms-store.ts";
import { createRecommendationStore } from "./recommendation-store.ts";
import { createRetentionPolicies } from "./retention-store.ts";
import { guardStore } from "./store-errors.ts";
import { createUnratedUnits } from "./unrated-store.ts";

type ControlOptions = {
  /** postgres://user:password@host:port/database; the database exists already. */
  url: string;
  maxConnections?: number;
  /** After which a statement is given up. */
  patienceMs?: number;
};

export type Control = KeyStore &
  OrgStore &
  JobStore &
  UnratedUnits &
  RetentionPolicies &
  BudgetStore &
  BudgetAccounts &
  PeriodStore &
  PriceTermsStore &
  CommitmentStore &
  ApprovalStore &
  OutcomeSettings &
  RecommendationStore &
  SimulationStore &
  GatewayCosts & {
    /** Brings the tables up to date. Safe from several processes at once; repeating it changes nothing. */
    migrate(): Promise<void>;
    /** Resolves when the store answers; `store_unavailable` otherwise. */
    ping(): Promise<void>;
    close(): Promise<void>;
  };

export function openControl({ patienceMs = 8_000, ...options }: ControlOptions): Control {
  const pool = new Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: 5_000,
    // The server gives up first, so that a statement does not go on of which nobody waits for the end.
    lock_timeout: patienceMs,
    statement_timeout: patienceMs + 1_000,
    query_timeout: patienceMs + 2_000,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is already out of the pool; without a listener it would end the process.
  pool.on("error", () => {});
  const db = drizzle(pool);
  return {
    ...guardStore({
      ...createKeyStore(db),
      ...createOrgStore(db),
      ...createJobStore(db),
      ...createRecommendationStore(db),
      ...createUnratedUnits(db),
      ...createRetentionPolicies(db),
      ...createBudgetStore(db),
      ...createBudgetAccounts(db),
      ...createPeriodStore(db),
      ...createPriceTermsStore(db),
      ...createCommitmentStore(db),
      ...createApprovalStore(db),
      ...createOutcomeSettings(db),
      ...createGatewayCosts(db),
    }),
    ...guardStore({
      migrate: () => migrateControl(options.url),
      ping: async () => {
        await pool.query("SELECT 1");
      },
    }),
    close: () => pool.end(),
  };
}
