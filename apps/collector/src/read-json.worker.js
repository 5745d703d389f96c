/**
 * The thread that reads one large body. It answers with the protobuf and what was refused, or with what is wrong with all
 * of it, and is over.
 * JavaScript, so that a thread can start from it with or without a bundle. What it says is defined in json-reader.ts.
 */
import { parentPort, workerData } from "node:worker_threads";
import { BadBody, transcodeJson } from "@centspan/ingest";

const { signal, json } = workerData;
try {
  const transcoded = transcodeJson(signal, json);
  parentPort?.postMessage({ transcoded }, [transcoded.body.buffer]);
} catch (thrown) {
  if (!(thrown instanceof BadBody)) throw thrown;
  parentPort?.postMessage({ refused: { path: thrown.path, message: thrown.message } });
}
