CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workspace" text NOT NULL,
	"at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"details" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "periods" (
	"workspace" text NOT NULL,
	"period" text NOT NULL,
	"time_zone" text NOT NULL,
	"from_ns" bigint NOT NULL,
	"to_ns" bigint NOT NULL,
	"unpriced_calls" integer NOT NULL,
	"quarantined_calls" integer NOT NULL,
	"closed_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"closed_by" text NOT NULL,
	CONSTRAINT "periods_pkey" PRIMARY KEY("workspace","period")
);
--> statement-breakpoint
CREATE TABLE "statement_lines" (
	"workspace" text NOT NULL,
	"period" text NOT NULL,
	"team" text NOT NULL,
	"lines" integer NOT NULL,
	"exact_usd" numeric(38, 12) NOT NULL,
	"amount_usd" numeric(38, 2) NOT NULL,
	"owner" text,
	CONSTRAINT "statement_lines_pkey" PRIMARY KEY("workspace","period","team")
);
--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "time_zone" text DEFAULT 'UTC' NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "periods" ADD CONSTRAINT "periods_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "statement_lines" ADD CONSTRAINT "statement_lines_period" FOREIGN KEY ("workspace","period") REFERENCES "public"."periods"("workspace","period") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_newest" ON "audit_log" USING btree ("workspace","id");