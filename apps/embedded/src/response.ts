/**
 * How answers look: ClickHouse's headers, compression, exceptions before and within a result. A result is held back up
 * to a buffer's worth, so that an early exception still gets its own status; later ones are written behind the rows in
 * the form that clients of ClickHouse 25.11 and newer look for, and the connection is cut so that none takes it as whole.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { hostname } from "node:os";
import type { Readable, Transform, Writable } from "node:stream";
import { createBrotliCompress, createDeflate, createGzip } from "node:zlib";
import type { ChdbResult } from "chdb";
import { ClickHouseException, exceptionText, httpStatus, toClickHouseException } from "./exceptions.ts";

/** What `wait_end_of_query` may hold in memory. */
export const MAX_HELD_BYTES = 256 * 1024 * 1024;

const COMPRESSORS = new Map<string, () => Transform>([
  ["gzip", createGzip],
  ["deflate", createDeflate],
  ["br", createBrotliCompress],
]);

export type Reply = {
  response: ServerResponse;
  version: string;
  encoding: string | undefined;
  startedNs: bigint;
};

export function acceptedEncoding(request: IncomingMessage, wantsCompression: boolean): string | undefined {
  if (!wantsCompression) return undefined;
  const accepted = request.headers["accept-encoding"]?.toString().split(/\s*,\s*/) ?? [];
  return accepted.map((entry) => entry.split(";")[0] ?? "").find((name) => COMPRESSORS.has(name));
}

export function setIdentityHeaders(response: ServerResponse, queryId: string, timezone: string): void {
  response.setHeader("X-ClickHouse-Query-Id", queryId);
  response.setHeader("X-ClickHouse-Timezone", timezone);
  response.setHeader("X-ClickHouse-Server-Display-Name", hostname());
}

export function setFormatHeaders(response: ServerResponse, format: string): void {
  response.setHeader("X-ClickHouse-Format", format);
  response.setHeader("Content-Type", contentType(format));
}

/** Sends rows as they come. Throws what ended the statement early if nothing was sent yet. */
export async function sendRows(
  reply: Reply,
  rows: Readable,
  finished: Promise<ChdbResult>,
  holdBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const tag = randomBytes(8).toString("hex");
  const held: Buffer[] = [];
  let heldBytes = 0;
  let out: Outlet | undefined;
  for await (const chunk of rows) {
    if (out) await write(out.rows, chunk, signal);
    else {
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes < holdBytes) continue;
      if (heldBytes > MAX_HELD_BYTES) {
        const message = `wait_end_of_query holds at most ${MAX_HELD_BYTES} bytes; read the result as a stream`;
        throw new ClickHouseException(307, "TOO_MANY_BYTES", message);
      }
      reply.response.setHeader("X-ClickHouse-Exception-Tag", tag);
      out = start(reply);
      await write(out.rows, Buffer.concat(held.splice(0)), signal);
    }
  }
  try {
    const result = await finished;
    if (!out) sendWhole(reply, Buffer.concat(held), readSummary(result));
    else out.rows.end();
  } catch (error) {
    if (!out) throw error;
    await breakOff(reply, out, tag, toClickHouseException(error));
  }
}

export function sendWhole(reply: Reply, body: Uint8Array, summary: Record<string, string>): void {
  const elapsedNs = String(process.hrtime.bigint() - reply.startedNs);
  reply.response.setHeader("X-ClickHouse-Summary", JSON.stringify({ ...summary, elapsed_ns: elapsedNs }));
  start(reply).rows.end(body);
}

export function sendException(reply: Reply, exception: ClickHouseException): void {
  const { response } = reply;
  response.statusCode = httpStatus(exception);
  response.setHeader("X-ClickHouse-Exception-Code", String(exception.code));
  response.setHeader("Content-Type", "text/plain; charset=UTF-8");
  if (response.statusCode === 401) response.setHeader("WWW-Authenticate", 'Basic realm="ClickHouse"');
  if (response.statusCode === 503) response.setHeader("Retry-After", "1");
  start(reply).rows.end(exceptionText(exception, reply.version));
}

export function readSummary(result: ChdbResult): Record<string, string> {
  return { read_rows: String(result.rowsRead), read_bytes: String(result.bytesRead) };
}

/** chDB counts the rows of the file it inserts as read; rows that materialized views add are not among them. */
export function writtenSummary(result: ChdbResult): Record<string, string> {
  const rows = String(result.rowsRead);
  const bytes = String(result.bytesRead);
  return {
    read_rows: rows,
    read_bytes: bytes,
    written_rows: rows,
    written_bytes: bytes,
    result_rows: rows,
    result_bytes: bytes,
  };
}

/** Where rows go in: the response itself, or the compressor before it. */
type Outlet = { rows: Writable; compressor: Transform | undefined };

function start(reply: Reply): Outlet {
  const create = reply.encoding && COMPRESSORS.get(reply.encoding);
  if (!create) return { rows: reply.response, compressor: undefined };
  reply.response.setHeader("Content-Encoding", reply.encoding ?? "");
  const compressor = create();
  compressor.pipe(reply.response);
  return { rows: compressor, compressor };
}

async function write(out: Writable, chunk: Buffer, signal: AbortSignal): Promise<void> {
  if (!out.write(chunk)) await once(out, "drain", { signal });
}

async function breakOff(
  { response, version }: Reply,
  { compressor }: Outlet,
  tag: string,
  exception: ClickHouseException,
): Promise<void> {
  const text = Buffer.from(exceptionText(exception, version));
  const block = `\r\n__exception__\r\n${tag}\r\n${text}${text.length} ${tag}\r\n__exception__\r\n`;
  if (compressor) {
    // The compressed stream gets its end, the HTTP message around it does not.
    compressor.unpipe(response);
    compressor.end(block);
    for await (const chunk of compressor) response.write(chunk);
  } else response.write(block);
  await new Promise((resolve) => response.write("", resolve));
  response.socket?.end();
}

function contentType(format: string): string {
  if (/^JSON.*EachRow|^JSONLines|^NDJSON/.test(format)) return "application/x-ndjson; charset=UTF-8";
  if (format.startsWith("JSON")) return "application/json; charset=UTF-8";
  if (format.startsWith("CSV")) return "text/csv; charset=UTF-8";
  if (/^TSV|^TabSeparated/.test(format)) return "text/tab-separated-values; charset=UTF-8";
  if (/^(Native|RowBinary|Parquet|Arrow|ORC|Avro|MsgPack|Protobuf|BSON|Npy|RawBLOB)/.test(format)) {
    return "application/octet-stream";
  }
  return "text/plain; charset=UTF-8";
}
