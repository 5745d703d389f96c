import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseSplitter } from "./sse-splitter.ts";

function split(chunks: readonly Buffer[], maxEventBytes?: number) {
  const splitter = createSseSplitter(maxEventBytes);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

const line = fc.constantFrom("data: a", "data:b", "data: €한", "event: x", ": ping", "", "data", "data: {}\r");
const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n"))).map((lines) => lines.flat().join(""));

/** The slow, obvious reading: all lines at once, an event at each blank one. Every line of the stream is ended. */
function readWhole(text: string): string[] {
  const events: string[] = [];
  let lines: string[] = [];
  const isData = (line: string): boolean => line.startsWith("data:");
  const join = (): string =>
    lines
      .filter(isData)
      .map((one) => one.slice(5).replace(/^ /, ""))
      .join("\n");
  for (const one of text.split("\n").slice(0, -1)) {
    const content = one.replace(/\r$/, "");
    lines.push(content);
    if (content !== "") continue;
    events.push(join());
    lines = [];
  }
  return lines.length > 0 ? [...events, join()] : events;
}

describe("createSseSplitter", () => {
  it("gives the same events however the stream is cut, and every byte", () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), (text, places) => {
        const bytes = Buffer.from(text);
        const pieces = split(cut(bytes, places));
        expect(Buffer.concat(pieces.map((piece) => piece.bytes))).toEqual(bytes);
        expect(pieces.map((piece) => piece.data)).toEqual(readWhole(text));
      }),
    );
  });

  it("passes on an event that is too long, and reads the next one", () => {
    const text = `data: ${"x".repeat(100)}\n\ndata: y\n\n`;
    const pieces = split(cut(Buffer.from(text), [30, 60, 90]), 40);
    expect(Buffer.concat(pieces.map((piece) => piece.bytes)).toString()).toBe(text);
    expect(pieces.map((piece) => piece.data).filter((data) => data !== null)).toEqual(["y"]);
  });
});
