CREATE TABLE "commitment_lines" (
	"workspace" text NOT NULL,
	"period" text NOT NULL,
	"commitment" text NOT NULL,
	"team" text NOT NULL,
	"status" text NOT NULL,
	"pay_per_token_usd" numeric(38, 12) NOT NULL,
	"cost_usd" numeric(38, 12) NOT NULL,
	"provenance" text NOT NULL,
	CONSTRAINT "commitment_lines_pkey" PRIMARY KEY("workspace","period","commitment","team","status")
);
--> statement-breakpoint
CREATE TABLE "commitments" (
	"workspace" text NOT NULL,
	"id" text NOT NULL,
	"commitment" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "commitments_pkey" PRIMARY KEY("workspace","id")
);
--> statement-breakpoint
ALTER TABLE "commitment_lines" ADD CONSTRAINT "commitment_lines_period" FOREIGN KEY ("workspace","period") REFERENCES "public"."periods"("workspace","period") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "commitments" ADD CONSTRAINT "commitments_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;