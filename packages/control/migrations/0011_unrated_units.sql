CREATE TABLE "unrated_units" (
	"workspace" text NOT NULL,
	"trace_id" text NOT NULL,
	"session_id" text NOT NULL,
	"from_ns" bigint NOT NULL,
	"to_ns" bigint NOT NULL,
	"message" text NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"received_at_ns" bigint NOT NULL,
	"failed_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "unrated_units_pkey" PRIMARY KEY("workspace","trace_id","session_id","from_ns","to_ns")
);
--> statement-breakpoint
ALTER TABLE "periods" ADD COLUMN "unrated_units" integer DEFAULT 0 NOT NULL;