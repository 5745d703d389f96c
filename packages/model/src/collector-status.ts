/** What the collector says of itself at GET /status. Counts are since its start; ages are in seconds. */
import { z } from "zod";
import { SIGNALS } from "./signal.ts";

const count = z.int().nonnegative();
const seconds = z.number().nonnegative();
const signal = z.enum(SIGNALS);
/** Counts by a code: how a request ended (`ok` or an error code), or why a record was refused. */
const countsByCode = z.record(z.string(), count);

export const collectorStatusSchema = z.object({
  version: z.string(),
  uptimeS: seconds,
  spool: z.object({
    /** What waits for the warehouse. */
    bytes: count,
    maxBytes: count,
    frames: count,
    segments: count,
    /** Age of the oldest frame that is being inserted; null while none is. */
    oldestAgeS: seconds.nullable(),
    /** Why data was refused last, where nothing was taken since. */
    refusal: z.object({ ageS: seconds, message: z.string() }).nullable(),
  }),
  loader: z.object({
    /** From durable to stored, for the latest insert of the slowest table; null before the first one. */
    lagS: seconds.nullable(),
    insertedRows: z.object({ spans: count, logs: count, metrics: count }),
    /** Frames that the warehouse refused for what they are: kept as files beside the spool. */
    refusedFrames: count,
    warehouseAway: z.boolean(),
    lastError: z.object({ ageS: seconds, message: z.string() }).nullable(),
  }),
  requests: z.record(signal, countsByCode),
  accepted: z.record(signal, count),
  rejected: z.record(signal, countsByCode),
});

export type CollectorStatus = z.infer<typeof collectorStatusSchema>;

/** `service.name` of the collector's own metrics: a workspace that has nothing else has received nothing. */
export const COLLECTOR_SERVICE = "centspan-collector";
