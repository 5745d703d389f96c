ALTER TABLE "keys" DROP CONSTRAINT "keys_kind";--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_kind" CHECK ("keys"."kind" IN ('gateway', 'ingest', 'gateway-ingest', 'api'));