/**
 * What HTTP and gRPC share: from the bytes of an export request and what its credential says to the answer.
 * Must not: know how the bytes came, or answer before what was accepted is durable.
 */
import { asCentspanError, CentspanError } from "@centspan/base";
import {
  type Admission,
  BadBody,
  BlockFull,
  describeRejections,
  type Encoding,
  writeExportResponse,
} from "@centspan/ingest";
import type { Signal } from "@centspan/model";
import type { Origin } from "./find-origin.ts";
import type { GroupCommit } from "./group-commit.ts";
import { createBadBody, type JsonReader } from "./json-reader.ts";
import type { Stats } from "./stats.ts";

export type ExportRequest = {
  signal: Signal;
  encoding: Encoding;
  origin: Origin;
  /** In the pieces that it came in. */
  body: readonly Uint8Array[];
};

/** Resolves with the response message. Rejects with `invalid_request` for a bad body, `store_unavailable` for no room. */
export type TakeExport = (request: ExportRequest) => Promise<Buffer>;

export function createTakeExport(commits: GroupCommit, json: Pick<JsonReader, "read">, stats: Stats): TakeExport {
  return async ({ signal, encoding, origin, body }) => {
    const read = async (): Promise<{ admissions: Admission[]; durable: Promise<void> }> => {
      const transcoded = encoding === "json" ? await json.read(signal, body) : null;
      const { admission, durable } = commits.add(signal, origin, transcoded?.body ?? body);
      return { admissions: transcoded ? [transcoded, admission] : [admission], durable };
    };
    const { admissions, durable } = await translateRefusal(read);
    await durable;
    let rejected = 0;
    for (const admission of admissions) {
      rejected += admission.rejected;
      stats.countAccepted(signal, admission.accepted);
      if (admission.rejected > 0) stats.countRejected(signal, admission.rejectedBy);
    }
    const reasons = admissions.flatMap((admission) => admission.reasons);
    return writeExportResponse(signal, encoding, rejected, describeRejections({ rejected, reasons }));
  };
}

async function translateRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof BlockFull) {
      throw new CentspanError("store_unavailable", "too many records already wait to be written", { retryAfterS: 1 });
    }
    if (!(thrown instanceof BadBody)) throw thrown;
    throw createBadBody(thrown, thrown);
  }
}

/** Counts how a request ends, whichever step it ends in. */
export async function counted<T>(stats: Stats, signal: Signal, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    stats.countRequest(signal, "ok");
    return result;
  } catch (thrown) {
    stats.countRequest(signal, asCentspanError(thrown).code);
    throw thrown;
  }
}

/** google.rpc.Code of an error: what gRPC answers with, and what stands in the body of an HTTP answer. */
export function toRpcCode({ status }: CentspanError): number {
  const codes: Partial<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 405: 12, 413: 8, 415: 3, 429: 8 };
  return codes[status] ?? (status === 500 ? 13 : 14);
}
