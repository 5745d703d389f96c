CREATE TABLE "recommendations" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"input" jsonb NOT NULL,
	"state" text NOT NULL,
	"proposed_by" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"steps" jsonb NOT NULL,
	"realised" jsonb,
	CONSTRAINT "recommendations_state" CHECK ("recommendations"."state" IN ('proposed', 'accepted', 'applied', 'verified', 'rejected', 'withdrawn'))
);
--> statement-breakpoint
CREATE TABLE "simulations" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"simulation" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "recommendations" ADD CONSTRAINT "recommendations_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "simulations" ADD CONSTRAINT "simulations_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "recommendations_newest" ON "recommendations" USING btree ("workspace","created_at");