CREATE TABLE "budget_accounts" (
	"budget" text NOT NULL,
	"subject" text NOT NULL,
	"period_from" timestamp (6) with time zone NOT NULL,
	"spent_usd" numeric(38, 12) NOT NULL,
	CONSTRAINT "budget_accounts_pkey" PRIMARY KEY("budget","subject","period_from")
);
--> statement-breakpoint
CREATE TABLE "budget_alerts" (
	"id" text PRIMARY KEY NOT NULL,
	"budget" text NOT NULL,
	"subject" text NOT NULL,
	"period_from" timestamp (6) with time zone NOT NULL,
	"reason" text NOT NULL,
	"limit_usd" numeric(38, 12) NOT NULL,
	"spent_usd" numeric(38, 12) NOT NULL,
	"forecast_usd" numeric(38, 12),
	"raised_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"claimed_until" timestamp (6) with time zone,
	"closed_at" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE TABLE "budget_leases" (
	"budget" text NOT NULL,
	"subject" text NOT NULL,
	"period_from" timestamp (6) with time zone NOT NULL,
	"holder" text NOT NULL,
	"held_usd" numeric(38, 12) NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "budget_leases_pkey" PRIMARY KEY("budget","subject","period_from","holder"),
	CONSTRAINT "budget_leases_held_usd" CHECK ("budget_leases"."held_usd" >= 0)
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"scope" text NOT NULL,
	"subject" text NOT NULL,
	"period" text NOT NULL,
	"time_zone" text NOT NULL,
	"limit_usd" numeric(38, 12) NOT NULL,
	"enforcement" text NOT NULL,
	"unpriced" text NOT NULL,
	"alerts" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "budgets_limit_usd" CHECK ("budgets"."limit_usd" > 0)
);
--> statement-breakpoint
ALTER TABLE "budget_accounts" ADD CONSTRAINT "budget_accounts_budget" FOREIGN KEY ("budget") REFERENCES "public"."budgets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_alerts" ADD CONSTRAINT "budget_alerts_account" FOREIGN KEY ("budget","subject","period_from") REFERENCES "public"."budget_accounts"("budget","subject","period_from") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budget_leases" ADD CONSTRAINT "budget_leases_account" FOREIGN KEY ("budget","subject","period_from") REFERENCES "public"."budget_accounts"("budget","subject","period_from") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "budget_accounts_most_spent" ON "budget_accounts" USING btree ("budget","period_from","spent_usd" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "budget_alerts_once" ON "budget_alerts" USING btree ("budget","subject","period_from","reason");--> statement-breakpoint
CREATE INDEX "budget_alerts_due" ON "budget_alerts" USING btree ("raised_at") WHERE "budget_alerts"."closed_at" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "budgets_name" ON "budgets" USING btree ("workspace","name");