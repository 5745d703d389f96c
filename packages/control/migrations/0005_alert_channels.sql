DROP INDEX "budget_alerts_once";--> statement-breakpoint
ALTER TABLE "budget_alerts" ADD COLUMN "channel" text NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "budget_alerts_once" ON "budget_alerts" USING btree ("budget","subject","period_from","reason","channel");