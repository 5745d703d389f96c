/** Bytes, cut anywhere, to lines. Holds no more than the line that is not finished; one beyond the limit is skipped, not held. */

export type LineSplitter = {
  /** Calls `onLine` for each line that ends in the chunk; null stands for one that was too long. */
  take(chunk: Uint8Array, onLine: (line: string | null, bytes: number) => void): void;
  /** What came after the last end of a line. */
  rest(): { text: string; bytes: number };
};

/** No agent writes a longer one; a text of JavaScript may not be much longer. */
export const MOST_LINE_BYTES = 128 * 1024 * 1024;

const NEWLINE = 10;

export function createLineSplitter(mostBytes = MOST_LINE_BYTES): LineSplitter {
  let parts: Uint8Array[] = [];
  let held = 0;
  const hold = (part: Uint8Array): void => {
    held += part.length;
    if (held <= mostBytes) parts.push(part);
    else parts = [];
  };
  return {
    take(chunk, onLine) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        const part = chunk.subarray(start, end);
        start = end + 1;
        const bytes = held + part.length;
        const line = bytes > mostBytes ? null : held === 0 ? decode(part) : decode(Buffer.concat([...parts, part]));
        parts = [];
        held = 0;
        onLine(line, bytes + 1);
      }
      // A copy: the caller may use its buffer again.
      if (start < chunk.length) hold(chunk.slice(start));
    },
    rest: () => ({ text: held > mostBytes ? "" : decode(Buffer.concat(parts)), bytes: held }),
  };
}

const decode = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
