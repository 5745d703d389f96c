/**
 * HTTP requests over a few keep-alive connections, several under way on each. A server that closes a connection after an
 * answer gets the rest over a new one. Each request has a deadline: a hang is an error that names the request.
 */
import { connect } from "node:net";

export type HttpRequest = { head: string; body: Uint8Array };
export type HttpAnswer = { status: number; headers: string; body: Buffer };

const DEPTH = 16;
const DEADLINE_MS = 30_000;

type Pending = { index: number; request: HttpRequest; sentAtMs: number };

/** `next` gives requests until it gives null; `onAnswer` is called once for each. */
export async function runPipelines(
  url: string,
  connections: number,
  next: () => { index: number; request: HttpRequest } | null,
  onAnswer: (index: number, answer: HttpAnswer) => void,
): Promise<void> {
  const unanswered: Pending[] = [];
  const take = (): Pending | null => {
    const again = unanswered.shift();
    if (again !== undefined) return { ...again, sentAtMs: performance.now() };
    const fresh = next();
    return fresh === null ? null : { ...fresh, sentAtMs: performance.now() };
  };
  const lane = async (): Promise<void> => {
    for (let first = take(); first !== null; first = take())
      unanswered.unshift(...(await runConnection(url, first, take, onAnswer)));
  };
  await Promise.all(Array.from({ length: connections }, lane));
}

/** Resolves, when the connection is over, with what it left unanswered. */
function runConnection(
  url: string,
  first: Pending,
  take: () => Pending | null,
  onAnswer: (index: number, answer: HttpAnswer) => void,
): Promise<Pending[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const pending: Pending[] = [];
    let received = Buffer.alloc(0);
    let answered = 0;
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    const send = (item: Pending): void => {
      pending.push(item);
      socket.write(`${item.request.head}content-length: ${item.request.body.length}\r\n\r\n`);
      socket.write(item.request.body);
    };
    const fail = (message: string): void => {
      socket.destroy();
      reject(new Error(message));
    };
    const watch = setInterval(() => {
      const oldest = pending[0];
      if (oldest !== undefined && performance.now() - oldest.sentAtMs > DEADLINE_MS)
        fail(`request ${oldest.index} was not answered within ${DEADLINE_MS} ms`);
    }, 1000);
    const fill = (): void => {
      while (pending.length < DEPTH) {
        const item = take();
        if (item === null) break;
        send(item);
      }
      if (pending.length === 0) socket.end();
    };
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      for (let parsed = parseAnswer(received); parsed !== null; parsed = parseAnswer(received)) {
        received = received.subarray(parsed.length);
        const item = pending.shift();
        if (item === undefined) return fail("an answer to nothing");
        answered += 1;
        onAnswer(item.index, parsed.answer);
      }
      fill();
    });
    // A server that refuses a body may close before it has read it all.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(watch);
      if (answered === 0) reject(new Error(`the connection ended without an answer to request ${first.index}`));
      else resolve(pending);
    });
    send(first);
    fill();
  });
}

function parseAnswer(bytes: Buffer): { answer: HttpAnswer; length: number } | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const headers = bytes.toString("latin1", 0, end);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1] ?? 0);
  const contentLength = Number(/\r\ncontent-length: (\d+)/i.exec(headers)?.[1] ?? Number.NaN);
  if (Number.isNaN(contentLength)) throw new Error(`an answer without a length:\n${headers}`);
  const length = end + 4 + contentLength;
  if (bytes.length < length) return null;
  return { answer: { status, headers, body: bytes.subarray(end + 4, length) }, length };
}
