/**
 * Cuts a byte stream into server-sent events without changing a byte: the pieces joined are the stream.
 * Facts: html.spec.whatwg.org, "Parsing an event stream"; lines end in LF or CRLF.
 * Invariant: at most `maxEventBytes` are held back; a longer event is given out in parts, without data.
 */
export type StreamPiece = {
  bytes: Buffer;
  /** The event's data lines joined; null where the piece is part of an event that is too long. */
  data: string | null;
};

export type SseSplitter = {
  /** The events that this chunk completes. */
  push(chunk: Buffer): StreamPiece[];
  /** What is left when the stream ends. */
  end(): StreamPiece[];
};

const LF = 10;
const CR = 13;

export function createSseSplitter(maxEventBytes = 32 * 1024 * 1024): SseSplitter {
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Bytes of the line being read that came with earlier chunks, line ends aside. */
  let lineBytes = 0;
  let oversized = false;

  const take = (part: Buffer): StreamPiece => {
    const bytes = held.length === 0 ? part : Buffer.concat([...held, part]);
    held = [];
    heldBytes = 0;
    return { bytes, data: oversized ? null : readData(bytes) };
  };

  return {
    push(chunk) {
      const pieces: StreamPiece[] = [];
      let eventStart = 0;
      let lineStart = 0;
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, lineStart)) {
        const isBlank = lineBytes + countContent(chunk, lineStart, at) === 0;
        lineBytes = 0;
        lineStart = at + 1;
        if (!isBlank) continue;
        pieces.push(take(chunk.subarray(eventStart, lineStart)));
        oversized = false;
        eventStart = lineStart;
      }
      lineBytes += countContent(chunk, lineStart, chunk.length);
      const rest = chunk.subarray(eventStart);
      held.push(rest);
      heldBytes += rest.length;
      oversized ||= heldBytes > maxEventBytes;
      if (oversized && heldBytes > 0) pieces.push(take(Buffer.alloc(0)));
      return pieces;
    },
    end: () => (heldBytes === 0 ? [] : [take(Buffer.alloc(0))]),
  };
}

/** Bytes from `start` up to `end`, a carriage return just before `end` not counted. */
const countContent = (chunk: Buffer, start: number, end: number): number =>
  end - start - (end > start && chunk[end - 1] === CR ? 1 : 0);

function readData(event: Buffer): string {
  const data: string[] = [];
  for (const line of event.toString().split(/\r?\n/)) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
  }
  return data.join("\n");
}
