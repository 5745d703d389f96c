CREATE TABLE "retention_policies" (
	"workspace" text NOT NULL,
	"signal" text NOT NULL,
	"days" integer NOT NULL,
	CONSTRAINT "retention_policies_pkey" PRIMARY KEY("workspace","signal"),
	CONSTRAINT "retention_policies_signal" CHECK ("retention_policies"."signal" IN ('traces', 'logs', 'metrics')),
	CONSTRAINT "retention_policies_days" CHECK ("retention_policies"."days" BETWEEN 1 AND 36500)
);
--> statement-breakpoint
ALTER TABLE "retention_policies" ADD CONSTRAINT "retention_policies_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;