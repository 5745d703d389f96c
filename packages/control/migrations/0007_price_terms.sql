CREATE TABLE "contract_prices" (
	"workspace" text NOT NULL,
	"id" text NOT NULL,
	"contract" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contract_prices_pkey" PRIMARY KEY("workspace","id")
);
--> statement-breakpoint
CREATE TABLE "exchange_rates" (
	"workspace" text NOT NULL,
	"currency" text NOT NULL,
	"from" text NOT NULL,
	"rate" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "exchange_rates_pkey" PRIMARY KEY("workspace","currency","from")
);
--> statement-breakpoint
ALTER TABLE "contract_prices" ADD CONSTRAINT "contract_prices_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "exchange_rates" ADD CONSTRAINT "exchange_rates_workspace_workspaces_id_fk" FOREIGN KEY ("workspace") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;