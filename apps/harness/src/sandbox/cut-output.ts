/**
 * Tool output within a token limit and within bounded memory, however much a program writes. What is cut is kept whole in
 * a file, where there is one for it.
 * Invariant: what is shown depends only on the bytes, not on how they were chunked, and never splits a character.
 * The rule (a token is four bytes; half the limit from the head, half from the tail, a marker between) is that of
 * current coding agents.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export const TOOL_OUTPUT_TOKENS = 10_000;
export const BYTES_PER_TOKEN = 4;
/** More than this of one output is not kept either. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

export type CutOutput = { text: string; totalBytes: number; truncated: boolean };
export type OutputBuffer = {
  append(chunk: Uint8Array): void;
  /** To be called once, after the last chunk. */
  finish(): CutOutput;
  /** All of it at once. */
  write(text: string): CutOutput;
};

/** Where an output that is cut is kept whole, and the id by which the model can ask for more of it. */
export type KeptOutput = { file: string; id: string };

export type OutputOptions = { limitTokens?: number; kept?: KeptOutput };

export function createOutputBuffer({ limitTokens = TOOL_OUTPUT_TOKENS, kept }: OutputOptions = {}): OutputBuffer {
  const limitBytes = limitTokens * BYTES_PER_TOKEN;
  const halfBytes = limitBytes / 2;
  const start: Uint8Array[] = [];
  const file = kept === undefined ? null : createKeptFile(kept.file);
  let startBytes = 0;
  let tail = Buffer.alloc(0);
  let totalBytes = 0;
  const buffer: OutputBuffer = {
    append(chunk) {
      if (totalBytes <= limitBytes && totalBytes + chunk.byteLength > limitBytes) {
        for (const part of start) file?.write(part);
        file?.write(chunk);
      } else if (totalBytes > limitBytes) file?.write(chunk);
      totalBytes += chunk.byteLength;
      if (startBytes < limitBytes) {
        // Copied, because streams reuse their buffers and a view would keep a large one alive.
        const taken = Buffer.from(chunk.subarray(0, limitBytes - startBytes));
        start.push(taken);
        startBytes += taken.byteLength;
      }
      tail = Buffer.concat([tail, chunk.subarray(-halfBytes)]);
      if (tail.byteLength > halfBytes) tail = tail.subarray(tail.byteLength - halfBytes);
    },
    finish() {
      file?.close();
      const whole = Buffer.concat(start);
      if (totalBytes <= limitBytes) return { text: whole.toString("utf8"), totalBytes, truncated: false };
      const head = whole.subarray(0, characterStartBefore(whole, halfBytes));
      const end = tail.subarray(characterStartAfter(tail, 0));
      const marker = describeCut(head.byteLength, totalBytes - end.byteLength, kept?.id);
      return { text: `${head.toString("utf8")}${marker}${end.toString("utf8")}`, totalBytes, truncated: true };
    },
    write(text) {
      buffer.append(Buffer.from(text));
      return buffer.finish();
    },
  };
  return buffer;
}

function describeCut(from: number, to: number, id: string | undefined): string {
  const more = id === undefined ? "" : `; read_more ${JSON.stringify({ id, from })} shows what follows`;
  return `\n[… ${to - from} bytes, about ${estimateTokens(to - from)} tokens, cut here${more} …]\n`;
}

/** Made when the first byte comes: most outputs are never cut. */
function createKeptFile(path: string) {
  let handle: number | null = null;
  let bytes = 0;
  return {
    write(chunk: Uint8Array): void {
      if (handle === null) {
        mkdirSync(dirname(path), { recursive: true });
        handle = openSync(path, "w");
      }
      const part = chunk.subarray(0, MAX_KEPT_BYTES - bytes);
      bytes += part.byteLength;
      writeSync(handle, part);
    },
    close(): void {
      if (handle !== null) closeSync(handle);
    },
  };
}

/** UTF-8 continuation bytes are 10xxxxxx; a character has at most three of them (RFC 3629). */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

export function characterStartBefore(bytes: Uint8Array, at: number): number {
  let index = at;
  while (index > at - 3 && isContinuation(bytes[index])) index--;
  return index;
}

export function characterStartAfter(bytes: Uint8Array, at: number): number {
  let index = at;
  while (index < at + 3 && isContinuation(bytes[index])) index++;
  return index;
}
