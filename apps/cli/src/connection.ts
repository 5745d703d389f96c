/**
 * `connection.json` in the data folder: addresses and keys of the local stack for scripts. Holds secrets: mode 600.
 */
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import { z } from "zod";

const connectionSchema = z.object({
  webUrl: z.string(),
  gatewayUrl: z.string(),
  otlpUrl: z.string(),
  /** Absent in files of before there was gRPC. */
  otlpGrpcUrl: z.string().optional(),
  engineUrl: z.string(),
  clickhouseUrl: z.string(),
  databaseUrl: z.string(),
  apiKey: z.string(),
  /** What the optimizer agent files with; of no use in files of before there was one. */
  optimizerKey: z.string().default(""),
  ingestKey: z.string(),
  /** What the gateway sends its spans with; of no use in files of before there was one. */
  gatewayIngestKey: z.string().default(""),
  gatewayKey: z.string(),
  /** Gateway keys of the demo's teams, by team. */
  teamKeys: z.record(z.string(), z.string()),
});
export type Connection = z.infer<typeof connectionSchema>;

export const connectionPath = (dataDir: string): string => join(dataDir, "connection.json");

export function readConnection(dataDir: string): Connection | null {
  let text: string;
  try {
    text = readFileSync(connectionPath(dataDir), "utf8");
  } catch {
    return null;
  }
  const parsed = connectionSchema.safeParse(parseOrNull(text));
  return parsed.success ? parsed.data : null;
}

const parseOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** Written whole and renamed into place, so that a reader never sees half of it. */
export function writeConnection(dataDir: string, connection: Connection): void {
  const draft = `${connectionPath(dataDir)}.new`;
  writeFileSync(draft, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, connectionPath(dataDir));
}

/** Where the stores are: CLICKHOUSE_URL and DATABASE_URL when both are set, else the local stack's. */
export function locateStores(dataDir: string): Pick<Connection, "clickhouseUrl" | "databaseUrl"> & { webUrl?: string } {
  const { CLICKHOUSE_URL, DATABASE_URL } = process.env;
  if (CLICKHOUSE_URL !== undefined && DATABASE_URL !== undefined) {
    return { clickhouseUrl: CLICKHOUSE_URL, databaseUrl: DATABASE_URL };
  }
  const connection = readConnection(dataDir);
  if (connection !== null) return connection;
  throw new CentspanError(
    "not_found",
    `no ${connectionPath(dataDir)}: start the stack with \`npm start\`, name its data folder with --data DIR, or set CLICKHOUSE_URL and DATABASE_URL`,
  );
}
