CREATE TABLE "gateway_costs" (
	"gateway" text PRIMARY KEY NOT NULL,
	"cpu_model" text NOT NULL,
	"cpu_us_per_call" double precision NOT NULL,
	"heard_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
