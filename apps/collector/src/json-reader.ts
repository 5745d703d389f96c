/**
 * Bodies in JSON → protobuf. What is large takes seconds, in which nobody else would be answered: it is read in a thread of
 * its own, one at a time, whose memory goes with it. What is small is read at once, as that costs less than a thread.
 * Closing ends the thread; bodies that were waiting are refused, to be sent again.
 */
import { Worker } from "node:worker_threads";
import { CentspanError } from "@centspan/base";
import { type Admission, transcodeJson } from "@centspan/ingest";
import type { Signal } from "@centspan/model";
import { createPlaces } from "./places.ts";

type Transcoded = { body: Uint8Array } & Admission;
/** What the thread says. */
type Answer = { transcoded: Transcoded } | { refused: { path: string; message: string } };

export type JsonReader = {
  /** Rejects with `invalid_request` or BadBody where it is none, and with `store_unavailable` when closed. */
  read(signal: Signal, pieces: readonly Uint8Array[]): Promise<Transcoded>;
  close(): Promise<void>;
};

/** Some 50 ms of work. */
const READ_AT_ONCE_BYTES = 1024 * 1024;

export function createJsonReader(): JsonReader {
  const enterPlace = createPlaces(1);
  let thread: Worker | undefined;
  let isClosed = false;

  const readApart = (signal: Signal, pieces: readonly Uint8Array[]): Promise<Transcoded> =>
    new Promise((resolve, reject) => {
      const leave = enterPlace(() => {
        if (isClosed) {
          reject(createClosed());
          setImmediate(() => leave());
          return;
        }
        const json = Buffer.concat(pieces);
        thread = new Worker(new URL("./read-json.worker.js", import.meta.url), {
          workerData: { signal, json },
          transferList: [json.buffer],
        });
        thread.once("message", (answer: Answer) => {
          if ("transcoded" in answer) resolve(answer.transcoded);
          else reject(createBadBody(answer.refused));
        });
        thread.once("error", reject);
        thread.once("exit", () => {
          reject(createClosed());
          leave();
        });
      });
    });

  return {
    async read(signal, pieces) {
      const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
      return bytes > READ_AT_ONCE_BYTES ? readApart(signal, pieces) : transcodeJson(signal, Buffer.concat(pieces));
    },
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

/** A body that is refused as a whole. */
export const createBadBody = ({ path, message }: { path: string; message: string }, cause?: unknown): CentspanError =>
  new CentspanError("invalid_request", message, { field: path || "body", cause });

const createClosed = (): CentspanError =>
  new CentspanError("store_unavailable", "the collector is closing", { retryAfterS: 1 });
