/**
 * Opens the control plane: one connection pool behind the ports of the model.
 * Only a question that can't be answered becomes `store_unavailable`.
 */
import type {
  AcceptancePolicyStore,
  ApprovalStore,
  BudgetAccounts,
  BudgetStore,
  CommitmentStore,
  GatewayCosts,
  JobStore,
  KeyStore,
  OrgStore,
  OutcomeSettings,
  PeopleStore,
  PeriodStore,
  PriceTermsStore,
  RecommendationStore,
  RetentionPolicies,
  SimulationStore,
  StudyQueue,
  StudyStore,
  UnratedUnits,
  WorkspaceEnds,
} from "@centspan/model";
import { sql } from "drizzle-orm";
import { createApprovalStore } from "./approval-store.ts";
import { createBudgetAccounts } from "./budget-accounts.ts";
import { createBudgetStore } from "./budget-store.ts";
import { createCommitmentStore } from "./commitment-store.ts";
import { createGatewayCosts } from "./gateway-cost-store.ts";
import { createJobStore } from "./job-store.ts";
import { createKeyStore } from "./key-store.ts";
import { migrateControl } from "./migrate.ts";
import { type DatabaseOptions, openDatabase } from "./open-database.ts";
import { createOrgStore } from "./org-store.ts";
import { createOutcomeSettings } from "./outcome-settings.ts";
import { createPeopleStore } from "./people-store.ts";
import { createPeriodStore } from "./period-store.ts";
import { createPriceTermsStore } from "./price-terms-store.ts";
import { createRecommendationStore } from "./recommendation-store.ts";
import { createRetentionPolicies } from "./retention-store.ts";
import { guardStore } from "./store-errors.ts";
import { createStudyStore } from "./study-store.ts";
import { createUnratedUnits } from "./unrated-store.ts";
import { createWorkspaceEnds } from "./workspace-ends.ts";

export type Control = KeyStore &
  OrgStore &
  PeopleStore &
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
  AcceptancePolicyStore &
  StudyStore &
  StudyQueue &
  WorkspaceEnds &
  GatewayCosts & {
    /** Brings the tables up to date. Safe from several processes at once; repeating it changes nothing. */
    migrate(): Promise<void>;
    /** Resolves when the store answers; `store_unavailable` otherwise. */
    ping(): Promise<void>;
    close(): Promise<void>;
  };

export function openControl(options: DatabaseOptions): Control {
  const { db, close } = openDatabase(options);
  return {
    ...guardStore({
      ...createKeyStore(db),
      ...createOrgStore(db),
      ...createPeopleStore(db),
      ...createWorkspaceEnds(db),
      ...createJobStore(db),
      ...createRecommendationStore(db),
      ...createStudyStore(db),
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
        await db.execute(sql`SELECT 1`);
      },
    }),
    close,
  };
}
