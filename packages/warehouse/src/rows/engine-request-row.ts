/** A request of an engine as the readers of spans ask for it, whichever spans tell of it. */
import type { EngineRequest } from "@centspan/model";
import { readCount } from "../counts.ts";

export type EngineRequestRow = {
  trace: string;
  arrived_ns: string;
  ended_ns: string;
  prompt: string;
  output: string;
  known: string;
  keys: string;
  priority: string;
  thread: string;
};

/** Of one that has ended, in wall time. */
export const readEngineRequest = (service: string, row: EngineRequestRow) =>
  ({
    service,
    traceId: row.trace,
    arrivedAtNs: BigInt(row.arrived_ns),
    endedAtNs: BigInt(row.ended_ns),
    timeScale: 1,
    promptTokens: readCount(row.prompt),
    outputTokens: readCount(row.output),
    knownBlocks: Number(row.known || "0"),
    blockKeys: row.keys,
    priority: row.priority === "batch" ? "batch" : "interactive",
    thread: row.thread,
  }) satisfies EngineRequest;
