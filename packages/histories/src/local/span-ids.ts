/** Ids of spans from what a history calls its things, so that the same history gives the same spans wherever it is read. */
import { hash as hashOnce } from "node:crypto";

export const traceIdOf = (format: string, run: string): string =>
  hashOnce("sha256", `${format}\nrun\n${run}`, "hex").slice(0, 32);

export type SpanPart = "run" | "agent" | "turn" | "call" | "grown" | "tool" | "compaction";

export const spanIdOf = (format: string, part: SpanPart, name: string): string =>
  hashOnce("sha256", `${format}\n${part}\n${name}`, "hex").slice(0, 16);
