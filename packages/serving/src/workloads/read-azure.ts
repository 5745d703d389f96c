/**
 * Azure's LLM inference traces of 2023 (Azure/AzurePublicDataset): CSV with TIMESTAMP, ContextTokens and GeneratedTokens.
 * No sessions and no hashes: lengths and arrivals alone. The first request arrives at 0.
 */
import { parseInstant } from "@centspan/base";
import { readTraceLines, refuseLine, type TraceBytes } from "./trace-lines.ts";
import type { TraceRequest } from "./trace-request.ts";

const COLUMNS = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"];

export async function* readAzure(bytes: TraceBytes): AsyncGenerator<TraceRequest> {
  let firstNs: bigint | null = null;
  let isHead = true;
  for await (const { text, number } of readTraceLines(bytes)) {
    const cells = text.split(",");
    if (isHead) {
      isHead = false;
      if (text !== COLUMNS.join(",")) throw refuseLine(number, "header", `must be ${COLUMNS.join(",")}, not ${text}`);
      continue;
    }
    if (cells.length !== COLUMNS.length)
      throw refuseLine(number, "line", `has ${cells.length} cells, not ${COLUMNS.length}`);
    const [timestamp = "", context = "", generated = ""] = cells;
    const atNs = parseInstant(timestamp);
    if (atNs === null) throw refuseLine(number, "TIMESTAMP", `is no time: ${timestamp}`);
    firstNs ??= atNs;
    if (atNs < firstNs) throw refuseLine(number, "TIMESTAMP", `${timestamp} is before the first request`);
    yield {
      arrivalNs: Number(atNs - firstNs),
      promptTokens: readCount(context, number, "ContextTokens", 1),
      outputTokens: readCount(generated, number, "GeneratedTokens", 0),
      blockKeys: [],
    };
  }
}

function readCount(text: string, line: number, field: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw refuseLine(line, field, `must be a whole number of at least ${least}, not ${JSON.stringify(text)}`);
}
