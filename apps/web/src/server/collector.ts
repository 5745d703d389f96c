/** The collector's own state, which is that of the whole installation. Server only. */
import { readCollectorStatus } from "@centspan/api";
import { CentspanError } from "@centspan/base";
import type { CollectorStatus } from "@centspan/model";
import { z } from "zod";

const environmentSchema = z.object({
  CENTSPAN_OTLP_URL: z.url().default("http://127.0.0.1:4318"),
  /** Where this process reaches it, when that is not the address that people are shown. */
  CENTSPAN_COLLECTOR_URL: z.url().optional(),
  /** Empty counts as not set, as compose files pass on what nobody said. */
  CENTSPAN_INGEST_KEY: z.string().optional(),
});

/** `problem` says, in English, why there is no status. */
export type Collector = { status: CollectorStatus } | { problem: string };

export async function readCollector(environment: Readonly<Record<string, string | undefined>>): Promise<Collector> {
  const { CENTSPAN_OTLP_URL, CENTSPAN_COLLECTOR_URL, CENTSPAN_INGEST_KEY } = environmentSchema.parse(environment);
  try {
    const key = CENTSPAN_INGEST_KEY || undefined;
    return { status: await readCollectorStatus(CENTSPAN_COLLECTOR_URL ?? CENTSPAN_OTLP_URL, key) };
  } catch (thrown) {
    if (thrown instanceof CentspanError) return { problem: thrown.message };
    throw thrown;
  }
}
