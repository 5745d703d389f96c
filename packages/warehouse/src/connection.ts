/**
 * The only place that talks to ClickHouse: rows in and out over HTTP, with deadlines and error translation.
 * Invariants: 64-bit integers and decimals cross as strings, so nothing is lost to floating point; an insert resolves
 * when its part is written, and may be repeated because every table ignores a repeated row.
 */
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { CentspanError } from "@centspan/base";
import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { writeJson } from "./write-json.ts";

export type QueryParams = Record<string, unknown>;
export type Row = Record<string, unknown>;
/** Lists of one length, of the values of each member of a row. */
export type Columns<Row> = { [Name in keyof Row]: Row[Name][] };

export type Connection = {
  query<T>(sql: string, params?: QueryParams): Promise<T[]>;
  /** The rows by column, for many of them: names are sent once, and text is read in one go. */
  queryColumns<T>(sql: string, params?: QueryParams): Promise<Columns<T>>;
  insert(table: string, rows: readonly Row[]): Promise<void>;
  /** The rows some at a time, for more than should be there at once. */
  stream<T>(sql: string, params?: QueryParams): AsyncGenerator<T[]>;
  /** An INSERT of many rows: `rows` follow the statement as they are, unless it says itself where they come from. */
  runInsert(
    sql: string,
    given: {
      rows?: Readable;
      params?: QueryParams;
      settings: Readonly<Record<string, string>>;
      deadlineMs?: number;
    },
  ): Promise<void>;
  /** Any other statement; what may copy or rewrite a table asks for COPY_DEADLINE_MS. */
  command(sql: string, params?: QueryParams, deadlineMs?: number): Promise<void>;
  /** Creates the database of the address where it does not exist. */
  ensureDatabase(): Promise<void>;
  close(): Promise<void>;
};

const INSERT_DEADLINE_MS = 30_000;
/** Half a million rows take a second or two; behind a store that catches up with its merges, many times that. */
const COMMAND_DEADLINE_MS = 120_000;
export const COPY_DEADLINE_MS = 3_600_000;
const QUERY_DEADLINE_S = 25;
/** Parameters count: ids of some ten thousand rows, or prices of as many classes of calls. */
const QUERY_BYTES = "100000000";

export function openConnection(url: string): Connection {
  const options = {
    url,
    application: "centspan",
    // What fails is thrown, with its cause; the client's own log would say it twice, parameters included.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      // No version of a row is in another partition than the row is (schema.ts), so FINAL need not look there.
      do_not_merge_across_partitions_select_final: 1 as const,
    },
  };
  // Long lists of ids are for the body: addresses are short, at servers and at proxies.
  const patient = createClient({ ...options, request_timeout: COPY_DEADLINE_MS, use_multipart_params_auto: true });
  const client = createClient({
    ...options,
    request_timeout: INSERT_DEADLINE_MS,
    max_open_connections: 20,
    json: { stringify: writeJson },
    use_multipart_params_auto: true,
    clickhouse_settings: {
      ...options.clickhouse_settings,
      output_format_json_quote_64bit_integers: 1,
      output_format_json_quote_decimals: 1,
      // An absent row of a LEFT JOIN reads as empty values; readers rely on it, so no server default may decide.
      join_use_nulls: 0,
    },
  });
  return {
    query: (sql, params = {}) =>
      translated(async () => {
        const result = await client.query({ ...toQuery(sql, params), format: "JSONCompact" });
        return toRows(JSON.parse(await result.text()));
      }),
    async *stream<T>(sql: string, params: QueryParams = {}) {
      try {
        const result = await client.query({ ...toQuery(sql, params), format: "JSONEachRow" });
        for await (const rows of result.stream<T>()) yield rows.map((row) => row.json());
      } catch (thrown) {
        throw translate(thrown);
      }
    },
    queryColumns: (sql, params = {}) =>
      translated(async () => {
        const result = await client.query({ ...toQuery(sql, params), format: "JSONColumnsWithMetadata" });
        const { meta, data } = JSON.parse(await result.text());
        // Of no rows no columns are sent.
        for (const { name } of meta) data[name] ??= [];
        return data;
      }),
    insert: (table, rows) =>
      translated(async () => {
        if (rows.length === 0) return;
        await client.insert({
          table,
          values: rows,
          format: "JSONEachRow",
          clickhouse_settings: {
            ...tellWorkspace(rows[0]),
            async_insert: 0,
            wait_end_of_query: 1,
            // One batch may span many months; that is no reason to refuse it.
            max_partitions_per_insert_block: "0",
            date_time_input_format: "basic",
          },
          abort_signal: AbortSignal.timeout(INSERT_DEADLINE_MS),
        });
      }),
    runInsert: (query, { rows, params = {}, settings, deadlineMs = COMMAND_DEADLINE_MS }) =>
      translated(async () => {
        const { stream } = await patient.exec({
          query,
          query_params: params,
          clickhouse_settings: { ...tellWorkspace(params), max_query_size: QUERY_BYTES, ...settings },
          abort_signal: AbortSignal.timeout(deadlineMs),
          ...(rows && { values: rows }),
        });
        // The socket is free again when the answer, which says nothing, is at its end.
        await finished(stream.resume());
      }),
    command: (query, params = {}, deadlineMs = COMMAND_DEADLINE_MS) =>
      translated(async () => {
        await patient.command({ query, query_params: params, abort_signal: AbortSignal.timeout(deadlineMs) });
      }),
    ensureDatabase: () => translated(() => ensureDatabase(url)),
    close: async () => {
      await Promise.all([client.close(), patient.close()]);
    },
  };
}

/** What a text says has the type that whoever asks says it has. */
type Parsed = ReturnType<typeof JSON.parse>;

/** Names are sent once and text is read in one go: half the time of a document a row. */
function toRows({ meta, data }: { meta: { name: string }[]; data: unknown[][] }): Parsed[] {
  return data.map((values) => {
    const row: Parsed = {};
    for (let at = 0; at < meta.length; at += 1) row[meta[at]?.name ?? ""] = values[at];
    return row;
  });
}

/** Of a statement that runs, only this tells whose rows it writes. */
const tellWorkspace = ({ workspace }: Row = {}) => (typeof workspace === "string" ? { log_comment: workspace } : {});

const toQuery = (query: string, query_params: QueryParams) => ({
  query,
  query_params,
  clickhouse_settings: { max_execution_time: QUERY_DEADLINE_S, max_query_size: QUERY_BYTES },
});

async function ensureDatabase(url: string): Promise<void> {
  const address = new URL(url);
  const database = decodeURIComponent(address.pathname.slice(1));
  if (database === "") return;
  address.pathname = "/";
  // A connection to a database that doesn't exist yet is refused: this one names none.
  const client = createClient({ url: address.href, log: { level: ClickHouseLogLevel.OFF } });
  try {
    await client.command({
      query: "CREATE DATABASE IF NOT EXISTS {database:Identifier}",
      query_params: { database },
    });
  } finally {
    await client.close();
  }
}

/** Conditions of the server that pass by themselves: too busy, out of memory or space, shutting down, read-only. */
const AWAY_TYPES = new Set([
  "TIMEOUT_EXCEEDED",
  "SOCKET_TIMEOUT",
  "NETWORK_ERROR",
  "TOO_MANY_SIMULTANEOUS_QUERIES",
  "MEMORY_LIMIT_EXCEEDED",
  "NOT_ENOUGH_SPACE",
  "CANNOT_WRITE_TO_FILE_DESCRIPTOR",
  "TOO_MANY_PARTS",
  "TABLE_IS_READ_ONLY",
  "KEEPER_EXCEPTION",
  "ALL_CONNECTION_TRIES_FAILED",
  "ABORTED",
  "QUERY_WAS_CANCELLED",
]);
/** The client's only plain Error that is a mistake of ours. */
const MISUSE = /^Unsupported value in query/;

/**
 * A server's own words come as ClickHouseError. A plain Error is what Node says about a socket, what the client says
 * about time that ran out, or an answer that no ClickHouse wrote, such as a proxy's or that of one still starting.
 */
function isAway(thrown: unknown): boolean {
  if (thrown instanceof ClickHouseError) return AWAY_TYPES.has(thrown.type ?? "");
  if (!(thrown instanceof Error)) return false;
  if (thrown.constructor === Error || thrown instanceof AggregateError) return !MISUSE.test(thrown.message);
  return isAway(thrown.cause);
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw translate(thrown);
  }
}

const translate = (thrown: unknown): unknown =>
  isAway(thrown)
    ? new CentspanError("store_unavailable", "The warehouse (ClickHouse) does not answer.", {
        retryAfterS: 2,
        cause: thrown,
      })
    : thrown;
