CREATE TABLE "acceptance_policies" (
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"policy" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "acceptance_policies_pkey" PRIMARY KEY("workspace","name")
);
--> statement-breakpoint
CREATE TABLE "studies" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"state" text NOT NULL,
	"asked" jsonb NOT NULL,
	"asked_by" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (6) with time zone,
	"ended_at" timestamp (6) with time zone,
	"worker" text,
	"heard_at" timestamp (6) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"is_unwanted" boolean DEFAULT false NOT NULL,
	"progress" text DEFAULT '' NOT NULL,
	"result" jsonb,
	"filed" jsonb NOT NULL,
	CONSTRAINT "studies_state" CHECK ("studies"."state" IN ('waiting', 'running', 'done', 'refused', 'cancelled', 'failed'))
);
--> statement-breakpoint
ALTER TABLE "acceptance_policies" ADD CONSTRAINT "acceptance_policies_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "studies" ADD CONSTRAINT "studies_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "studies_newest" ON "studies" USING btree ("workspace","created_at");--> statement-breakpoint
CREATE INDEX "studies_open" ON "studies" USING btree ("created_at") WHERE "studies"."state" IN ('waiting', 'running');