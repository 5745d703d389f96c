/**
 * What the process is started with: command line first, environment second, default third.
 * Must not touch the disk or the network.
 */
import { parseArgs } from "node:util";
import { CentspanError } from "@centspan/base";

export type Options = {
  dataDir: string;
  host: string;
  clickhousePort: number;
  postgresPort: number;
  /** Asked of every ClickHouse request when set; without it the loopback address is the protection. */
  clickhousePassword: string | undefined;
  /** Limit of one request body after decompression. */
  maxBodyBytes: number;
};

export const USAGE = `centspan embedded: chDB behind the ClickHouse HTTP interface, and a PostgreSQL.

  --data DIR               where both keep their files            (CENTSPAN_DATA)
  --clickhouse-port N      default 18123, 0 = any free port       (CENTSPAN_CLICKHOUSE_PORT)
  --postgres-port N        default 15432, 0 = any free port       (CENTSPAN_POSTGRES_PORT)
  --host ADDRESS           of the ClickHouse interface, default 127.0.0.1 (CENTSPAN_CLICKHOUSE_HOST)
  --max-body-bytes N       largest request body, default 4294967296 (CENTSPAN_MAX_BODY_BYTES)
  CENTSPAN_CLICKHOUSE_PASSWORD  password of the ClickHouse user \`default\`, none by default
  Started with an IPC channel (stdio "ipc"), it ends when its parent does.
  UV_THREADPOOL_SIZE       at least 64, or the process starts itself again with that
`;

const FLAGS = {
  data: { type: "string" },
  host: { type: "string" },
  "clickhouse-port": { type: "string" },
  "postgres-port": { type: "string" },
  "max-body-bytes": { type: "string" },
  help: { type: "boolean" },
} as const;

/** Returns undefined when only the usage was asked for. */
export function parseOptions(argv: string[], env: NodeJS.ProcessEnv): Options | undefined {
  const values = parseFlags(argv);
  if (values.help) return undefined;
  const dataDir = values.data ?? env.CENTSPAN_DATA;
  if (!dataDir) {
    throw new CentspanError("invalid_request", "Name the data directory with --data DIR or CENTSPAN_DATA.", {
      field: "--data",
    });
  }
  return {
    dataDir,
    host: values.host ?? env.CENTSPAN_CLICKHOUSE_HOST ?? "127.0.0.1",
    clickhousePort: wholeNumber(
      "--clickhouse-port",
      values["clickhouse-port"] ?? env.CENTSPAN_CLICKHOUSE_PORT,
      18_123,
      65_535,
    ),
    postgresPort: wholeNumber("--postgres-port", values["postgres-port"] ?? env.CENTSPAN_POSTGRES_PORT, 15_432, 65_535),
    clickhousePassword: env.CENTSPAN_CLICKHOUSE_PASSWORD || undefined,
    maxBodyBytes: wholeNumber(
      "--max-body-bytes",
      values["max-body-bytes"] ?? env.CENTSPAN_MAX_BODY_BYTES,
      4 * 1024 ** 3,
      Number.MAX_SAFE_INTEGER,
    ),
  };
}

function parseFlags(argv: string[]) {
  try {
    return parseArgs({ args: argv, options: FLAGS, strict: true }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CentspanError("invalid_request", reason, { cause });
  }
}

function wholeNumber(option: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max) {
    throw new CentspanError("invalid_request", `${option} must be a whole number from 0 to ${max}, not "${text}".`, {
      field: option,
    });
  }
  return value;
}
