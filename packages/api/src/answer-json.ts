/**
 * Answers as JSON. Long lists are written piece by piece: others get their turn between, and the text is never there whole.
 */
import { setImmediate } from "node:timers/promises";

/** Some 200 KB of spans. */
const ROWS_PER_PIECE = 500;

export function answerJson(value: unknown, status: number): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  if (!hasLongList(value)) return Response.json(value, { status, headers });
  const pieces = writePieces(value, ROWS_PER_PIECE);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await setImmediate();
      const { done, value: piece } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(piece));
    },
  });
  return new Response(body, { status, headers });
}

const hasLongList = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).some((member) => Array.isArray(member) && member.length > ROWS_PER_PIECE);

/** What JSON.stringify writes of an object, lists among its members by so many rows at once. */
export function* writePieces(value: object, rowsPerPiece: number): Generator<string, undefined> {
  let separator = "";
  yield "{";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const label = `${separator}${JSON.stringify(name)}:`;
    separator = ",";
    if (!Array.isArray(member)) {
      yield label + JSON.stringify(member);
      continue;
    }
    yield `${label}[`;
    for (let start = 0; start < member.length; start += rowsPerPiece) {
      const rows = JSON.stringify(member.slice(start, start + rowsPerPiece)).slice(1, -1);
      yield start === 0 ? rows : `,${rows}`;
    }
    yield "]";
  }
  yield "}";
}
