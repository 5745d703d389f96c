/**
 * What HTTP and gRPC share: from the bytes of an export request and the workspace of its credential to the answer.
 * Must not: know how the bytes came, or answer before what was accepted is durable.
 */
import { asCentspanError, CentspanError } from "@centspan/base";
import {
  type Admission,
  BadBody,
  BlockFull,
  describeRejections,
  type Encoding,
  transcodeJson,
  writeExportResponse,
} from "@centspan/ingest";
import type { Signal } from "@centspan/model";
import type { GroupCommit } from "./group-commit.ts";
import type { Stats } from "./stats.ts";

export type ExportRequest = {
  signal: Signal;
  encoding: Encoding;
  workspace: string;
  /** In the pieces that it came in. */
  body: readonly Uint8Array[];
};

/** Resolves with the response message. Rejects with `invalid_request` for a bad body, `store_unavailable` for no room. */
export type TakeExport = (request: ExportRequest) => Promise<Buffer>;

export function createTakeExport(commits: GroupCommit, stats: Stats): TakeExport {
  const join = createJoiner();
  return async ({ signal, encoding, workspace, body: pieces }) => {
    const read = (): { admissions: Admission[]; durable: Promise<void> } => {
      const body = join(pieces);
      if (encoding === "protobuf") {
        const { admission, durable } = commits.add(signal, workspace, body);
        return { admissions: [admission], durable };
      }
      const transcoded = transcodeJson(signal, body);
      const { admission, durable } = commits.add(signal, workspace, transcoded.body);
      return { admissions: [transcoded, admission], durable };
    };
    const { admissions, durable } = translateRefusal(read);
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

const SCRATCH_BYTES = 1024 * 1024;

/**
 * Pieces as one, in a buffer that is used again and again: fresh memory for every body costs more than copying it.
 * The result is valid until the next call, which is long enough: a body is in the columns before anything else happens.
 */
function createJoiner(): (pieces: readonly Uint8Array[]) => Uint8Array {
  const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  return (pieces) => {
    const [first] = pieces;
    if (first !== undefined && pieces.length === 1) return first;
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes > SCRATCH_BYTES) return Buffer.concat(pieces, bytes);
    let at = 0;
    for (const piece of pieces) {
      scratch.set(piece, at);
      at += piece.length;
    }
    return scratch.subarray(0, bytes);
  };
}

function translateRefusal<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof BlockFull) {
      throw new CentspanError("store_unavailable", "too many records already wait to be written", { retryAfterS: 1 });
    }
    if (!(thrown instanceof BadBody)) throw thrown;
    throw new CentspanError("invalid_request", thrown.message, { field: thrown.path || "body", cause: thrown });
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
