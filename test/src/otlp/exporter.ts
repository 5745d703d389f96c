/**
 * Sends export requests as OTLP exporters do: the same bytes again after a broken connection or a retryable status, no
 * sooner than Retry-After says. Anything else that is not 200 is a fault of the test or of the collector, and thrown.
 */
import type { Client } from "undici";

export type ExportRequest = { path: string; body: Uint8Array; headers?: Record<string, string> };
type Answer = { status: number; body: Buffer; retryAfterS: number };

const PROTOBUF = { "content-type": "application/x-protobuf" };
const RETRYABLE = new Set([429, 502, 503, 504]);
const BROKEN = 0;

export type Delivery = {
  taken: boolean;
  retries: number;
  /** What the collector said of records that it refused; empty when it took all. */
  partial: Buffer;
  /** How often it was answered 503, and how often it said when to come back. */
  refusals: number;
  announced: number;
};

/** Repeats until the request is taken or `mayRetry` says no. */
export async function deliver(
  client: Client,
  request: ExportRequest,
  options: { backoffMs: number; mayRetry(): boolean },
): Promise<Delivery> {
  const delivery = { taken: false, retries: 0, partial: Buffer.alloc(0), refusals: 0, announced: 0 };
  for (;;) {
    const { status, body, retryAfterS } = await post(client, request);
    if (status === 200) return { ...delivery, taken: true, partial: body };
    if (status !== BROKEN && !RETRYABLE.has(status)) throw new Error(`${request.path} was answered ${status}: ${body}`);
    if (status !== BROKEN) delivery.refusals += 1;
    if (retryAfterS > 0) delivery.announced += 1;
    if (!options.mayRetry()) return delivery;
    delivery.retries += 1;
    await new Promise((resolve) => setTimeout(resolve, Math.max(retryAfterS * 1000, options.backoffMs)));
  }
}

async function post(client: Client, request: ExportRequest): Promise<Answer> {
  try {
    const { statusCode, headers, body } = await client.request({
      path: request.path,
      method: "POST",
      headers: { ...PROTOBUF, ...request.headers },
      body: request.body,
    });
    const answer = Buffer.from(await body.arrayBuffer());
    return { status: statusCode, body: answer, retryAfterS: Number(headers["retry-after"] ?? 0) };
  } catch (error) {
    if (error instanceof Error && "code" in error) return { status: BROKEN, body: Buffer.alloc(0), retryAfterS: 0 };
    throw error;
  }
}
