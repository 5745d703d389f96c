/**
 * Opens the control plane: one connection pool behind the ports of the model.
 * Nothing is contacted until the first question. Idle connections may break at any time; the next question gets a new
 * one, and only a question that can't be answered becomes `store_unavailable`.
 */
import type {
  BudgetAccounts,
  BudgetStore,
  JobStore,
  KeyStore,
  OrgStore,
  PeriodStore,
  PriceTermsStore,
  RetentionPolicies,
} from "@centspan/model";
import { drizzle } from "drizzle-orm/node-postgres";
import { Pool } from "pg";
import { createBudgetAccounts } from "./budget-accounts.ts";
import { createBudgetStore } from "./budget-store.ts";
import { createJobStore } from "./job-store.ts";
import { createKeyStore } from "./key-store.ts";
import { migrateControl } from "./migrate.ts";
import { createOrgStore } from "./org-store.ts";
import { createPeriodStore } from "./period-store.ts";
import { createPriceTermsStore } from "./price-terms-store.ts";
import { createRetentionPolicies } from "./retention-store.ts";
import { guardStore } from "./store-errors.ts";

type ControlOptions = {
  /** postgres://user:password@host:port/database; the database exists already. */
  url: string;
  maxConnections?: number;
};

export type Control = KeyStore &
  OrgStore &
  JobStore &
  RetentionPolicies &
  BudgetStore &
  BudgetAccounts &
  PeriodStore &
  PriceTermsStore & {
    /** Brings the tables up to date. Safe from several processes at once; repeating it changes nothing. */
    migrate(): Promise<void>;
    /** Resolves when the store answers; `store_unavailable` otherwise. */
    ping(): Promise<void>;
    close(): Promise<void>;
  };

export function openControl(options: ControlOptions): Control {
  const pool = new Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
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
      ...createRetentionPolicies(db),
      ...createBudgetStore(db),
      ...createBudgetAccounts(db),
      ...createPeriodStore(db),
      ...createPriceTermsStore(db),
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
