/**
 * Tool output within a token limit and within bounded memory, however much a program writes.
 * Invariant: what is kept depends only on the bytes, not on how they were chunked, and never splits a character.
 * The rule (a token is four bytes; half the limit from the head, half from the tail, a marker between) is that of
 * current coding agents.
 */
export const TOOL_OUTPUT_TOKENS = 10_000;
const BYTES_PER_TOKEN = 4;

export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

export type CutOutput = { text: string; totalBytes: number; truncated: boolean };
export type OutputBuffer = { append(chunk: Uint8Array): void; finish(): CutOutput };

export function createOutputBuffer(limitTokens = TOOL_OUTPUT_TOKENS): OutputBuffer {
  const limitBytes = limitTokens * BYTES_PER_TOKEN;
  const halfBytes = limitBytes / 2;
  const start: Uint8Array[] = [];
  let startBytes = 0;
  let tail = Buffer.alloc(0);
  let totalBytes = 0;
  return {
    append(chunk) {
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
      const whole = Buffer.concat(start);
      if (totalBytes <= limitBytes) return { text: whole.toString("utf8"), totalBytes, truncated: false };
      const head = whole.subarray(0, characterStartBefore(whole, halfBytes));
      const end = tail.subarray(characterStartAfter(tail, 0));
      const cutBytes = totalBytes - head.byteLength - end.byteLength;
      const marker = `\n[… ${cutBytes} bytes, about ${estimateTokens(cutBytes)} tokens, cut here …]\n`;
      return { text: `${head.toString("utf8")}${marker}${end.toString("utf8")}`, totalBytes, truncated: true };
    },
  };
}

export function cutOutput(text: string, limitTokens = TOOL_OUTPUT_TOKENS): CutOutput {
  const buffer = createOutputBuffer(limitTokens);
  buffer.append(Buffer.from(text));
  return buffer.finish();
}

/** UTF-8 continuation bytes are 10xxxxxx; a character has at most three of them (RFC 3629). */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function characterStartBefore(bytes: Uint8Array, at: number): number {
  let index = at;
  while (index > at - 3 && isContinuation(bytes[index])) index--;
  return index;
}

function characterStartAfter(bytes: Uint8Array, at: number): number {
  let index = at;
  while (index < at + 3 && isContinuation(bytes[index])) index++;
  return index;
}
