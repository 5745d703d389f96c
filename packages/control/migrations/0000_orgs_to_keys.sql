CREATE TABLE "jobs" (
	"job" text PRIMARY KEY NOT NULL,
	"watermark_ns" bigint NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"team" text,
	"org_wide" boolean DEFAULT false NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"hint" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp (6) with time zone,
	CONSTRAINT "keys_kind" CHECK ("keys"."kind" IN ('gateway', 'ingest', 'api')),
	CONSTRAINT "keys_secret_hash_length" CHECK (octet_length("keys"."secret_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "orgs" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"workspace" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"department" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "teams_pkey" PRIMARY KEY("workspace","id")
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text PRIMARY KEY NOT NULL,
	"org" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_org_orgs_id_fk" FOREIGN KEY ("org") REFERENCES "public"."orgs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "keys_secret_hash" ON "keys" USING btree ("secret_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "keys_live_name" ON "keys" USING btree ("workspace","name") WHERE "keys"."revoked_at" IS NULL;--> statement-breakpoint
CREATE INDEX "workspaces_org" ON "workspaces" USING btree ("org");