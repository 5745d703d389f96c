/**
 * The lines of a trace file as they stream in, plain or gzipped. Keeps one line in memory, whatever the file's size.
 * A line that is too long, or bytes that are no UTF-8 or no gzip, are refused with the line's number.
 */
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { CentspanError } from "@centspan/base";

export type TraceBytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
export type TraceLine = { text: string; number: number };

const MOST_CHARACTERS = 64 * 1024 * 1024;

export function refuseLine(line: number, field: string, problem: string): CentspanError {
  return new CentspanError("invalid_file", `line ${line}: ${field} ${problem}`, { field });
}

/** Empty lines are counted and left out. */
export async function* readTraceLines(bytes: TraceBytes): AsyncGenerator<TraceLine> {
  let rest = "";
  let number = 0;
  for await (const text of decode(bytes, () => number + 1)) {
    rest += text;
    let start = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", start)) {
      number += 1;
      const line = rest.slice(start, end).trimEnd();
      if (line !== "") yield { text: line, number };
      start = end + 1;
    }
    rest = rest.slice(start);
    if (rest.length > MOST_CHARACTERS) throw refuseLine(number + 1, "line", "is longer than 64 MiB");
  }
  if (rest.trim() !== "") yield { text: rest.trimEnd(), number: number + 1 };
}

async function* decode(bytes: TraceBytes, lineNow: () => number): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of await unzip(bytes)) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    const problem = `could not be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new CentspanError("invalid_file", `line ${lineNow()}: the text ${problem}`, { field: "text", cause });
  }
}

/** By the two bytes that every gzip file begins with. */
async function unzip(bytes: TraceBytes): Promise<TraceBytes> {
  const chunks = Symbol.asyncIterator in bytes ? bytes[Symbol.asyncIterator]() : bytes[Symbol.iterator]();
  let first = await chunks.next();
  while (!first.done && first.value.length === 0) first = await chunks.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value;
  }
  const isGzip = !first.done && first.value[0] === 0x1f && (first.value[1] ?? 0x8b) === 0x8b;
  if (!isGzip) return all();
  const source = Readable.from(all(), { objectMode: false });
  const unzipped = createGunzip();
  source.on("error", (error) => unzipped.destroy(error));
  return source.pipe(unzipped);
}
