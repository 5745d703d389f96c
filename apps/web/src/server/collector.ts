/** The collector's own state, which is that of the whole installation. Server only. */
import { readCollectorStatus } from "@centspan/api";
import { CentspanError } from "@centspan/base";
import type { CollectorStatus } from "@centspan/model";
import { z } from "zod";

const environmentSchema = z.object({
  CENTSPAN_OTLP_URL: z.url().default("http://127.0.0.1:4318"),
  /** Where this process reaches it, when that is not the address that people are shown. */
  CENTSPAN_COLLECTOR_URL: z.url().optional(),
  CENTSPAN_INGEST_KEY: z.string().min(1).optional(),
});

/** Null when it does not answer, or does not let this process read its state. */
export async function readCollector(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<CollectorStatus | null> {
  const { CENTSPAN_OTLP_URL, CENTSPAN_COLLECTOR_URL, CENTSPAN_INGEST_KEY } = environmentSchema.parse(environment);
  try {
    return await readCollectorStatus(CENTSPAN_COLLECTOR_URL ?? CENTSPAN_OTLP_URL, CENTSPAN_INGEST_KEY);
  } catch (thrown) {
    if (thrown instanceof CentspanError) return null;
    throw thrown;
  }
}
