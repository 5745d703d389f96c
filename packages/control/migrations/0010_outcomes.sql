CREATE TABLE "approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"signing_key" "bytea" NOT NULL,
	"asked" jsonb NOT NULL,
	"asked_by" text NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"decision" jsonb,
	"decided_at" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE TABLE "completion_rules" (
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"rule" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "completion_rules_pkey" PRIMARY KEY("workspace","name")
);
--> statement-breakpoint
CREATE TABLE "evaluation_sets" (
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"set" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "evaluation_sets_pkey" PRIMARY KEY("workspace","name")
);
--> statement-breakpoint
CREATE TABLE "report_refusals" (
	"workspace" text NOT NULL,
	"source" text NOT NULL,
	"reason" text NOT NULL,
	"count" integer NOT NULL,
	"first_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"last_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "report_refusals_pkey" PRIMARY KEY("workspace","source","reason")
);
--> statement-breakpoint
CREATE TABLE "review_rates" (
	"workspace" text NOT NULL,
	"team" text NOT NULL,
	"usd_per_hour" numeric(38, 12) NOT NULL,
	CONSTRAINT "review_rates_pkey" PRIMARY KEY("workspace","team"),
	CONSTRAINT "review_rates_usd_per_hour" CHECK ("review_rates"."usd_per_hour" >= 0)
);
--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "completion_rules" ADD CONSTRAINT "completion_rules_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "evaluation_sets" ADD CONSTRAINT "evaluation_sets_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "report_refusals" ADD CONSTRAINT "report_refusals_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_rates" ADD CONSTRAINT "review_rates_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;