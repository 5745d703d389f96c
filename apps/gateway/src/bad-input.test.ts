/** What nobody should send, over real sockets: bounded in time and memory, and answered in the shape of the path. */
import { once } from "node:events";
import { connect } from "node:net";
import { waitUntil } from "@centspan/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { countTokensProtocol } from "./count-tokens.ts";
import { PROTOCOLS } from "./protocols/registry.ts";
import { createGatewayClient, type GatewayClient, RESPONSES } from "./testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "./testing/open-test-gateway.ts";
import { exchange, openSocket, writeHead } from "./testing/raw-client.ts";
import { RESPONSES_EVENTS, startStream } from "./testing/upstream-peer.ts";

let test: TestGateway;
let client: GatewayClient;
/** A gateway that waits a short time for bodies. */
let hasty: string;

beforeAll(async () => {
  test = await openTestGateway();
  client = await createGatewayClient(test);
  hasty = await test.open({ maxBodyMs: 200 });
});
afterAll(() => test.close());
beforeEach(() => {
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
});

const ROUTES = [...PROTOCOLS, countTokensProtocol].map(({ route }) => route);
const isAnthropic = (path: string): boolean => path.startsWith("/v1/messages");
/** An error with that code, as clients of the path read errors. */
const shapeAt = (path: string, code: string) =>
  isAnthropic(path)
    ? { type: "error", error: { type: expect.any(String), message: expect.any(String), code } }
    : { error: { type: expect.any(String), message: expect.any(String), code, param: expect.anything() } };

const headOf = (path: string, ...more: string[]): string => writeHead(client.key, path, ...more);

describe("a body", () => {
  it.each(ROUTES)("that drips, or never comes, is waited for a while: %s", async (path) => {
    for (const drip of [" ", ""]) {
      const { status, body } = await exchange(hasty, headOf(path, "content-length: 100000"), drip);
      expect([status, body]).toMatchObject([408, shapeAt(path, "request_timeout")]);
    }
    const chunked = await exchange(hasty, headOf(path, "transfer-encoding: chunked"), "1\r\n \r\n");
    expect(chunked.status).toBe(408);
  });

  it.each(ROUTES)("of another type, not UTF-8, nested without end or no JSON is refused: %s", async (path) => {
    const post = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
      const response = await fetch(client.url + path, {
        method: "POST",
        body,
        headers: { ...client.common, ...headers },
      });
      return [response.status, await response.json()];
    };
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
      expect(await post("{}", { "content-type": type })).toMatchObject([415, shapeAt(path, "unsupported_media_type")]);
    }
    const bad: (string | Uint8Array<ArrayBuffer>)[] = [
      Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d),
      `{"model":"m","input":${"[".repeat(1_000_000)}`,
      `{"model":"m","a":${'{"a":'.repeat(300)}1${"}".repeat(300)}}`,
      "",
      "nul",
    ];
    for (const body of bad) expect(await post(body)).toMatchObject([400, shapeAt(path, "invalid_request")]);
    expect(test.peer.requests).toEqual([]);
  });
});

describe("a name in a header", () => {
  const names = ["task", "task-type", "run", "role", "repository", "harness-version", "session"].map(
    (n) => `x-centspan-${n}`,
  );
  it.each([...names, "session-id", "x-claude-code-session-id"])(
    "that is too long is refused, and named: %s",
    async (name) => {
      for (const path of ROUTES) {
        const response = await fetch(client.url + path, {
          method: "POST",
          body: "{}",
          headers: { ...client.common, [name]: "r".repeat(513) },
        });
        expect([response.status, await response.json()]).toMatchObject([400, shapeAt(path, "invalid_request")]);
      }
    },
  );

  it("that is too long is refused on the way out as well", async () => {
    const head = `CONNECT api.example.com:443 HTTP/1.1\r\nhost: api.example.com:443\r\nx-centspan-run: ${"r".repeat(513)}\r\n\r\n`;
    expect(await exchange(client.url, head)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", field: "x-centspan-run" },
    });
  });

  it("may be as long as a budget's subject, in any script, and has no control characters", async () => {
    const post = async (run: string) => {
      const headers = { ...client.common, "x-centspan-run": Buffer.from(run).toString("latin1") };
      const response = await client.post(RESPONSES, headers);
      return [response.status, (await response.text()).includes("x-centspan-run")];
    };
    expect(await post("\u{1f600}".repeat(512))).toEqual([200, false]);
    expect(await post("\u{1f600}".repeat(513))).toEqual([400, true]);
    expect(await post("a\tb")).toEqual([400, true]);
    expect(await post("a\u0085b")).toEqual([400, true]);
  });
});

describe("what is no HTTP", () => {
  it.each<[string, string, string, number, string]>([
    ["noise", "/", "\x16\x03\x01 noise\r\n\r\n", 400, "invalid_request"],
    ["a header without a colon", "/v1/messages", "host: g\r\nwrong header\r\n\r\n", 400, "invalid_request"],
    ["a header with a null in it", "/v1/responses", "host: g\r\nx-centspan-task: a\0b\r\n\r\n", 400, "invalid_request"],
    [
      "a lone line feed in a header",
      "/v1/messages",
      "host: g\r\nx-centspan-task: a\rx-evil: 1\r\n\r\n",
      400,
      "invalid_request",
    ],
    [
      "two lengths",
      "/v1/messages?beta=true",
      "host: g\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
      400,
      "invalid_request",
    ],
    ["endless headers", "/v1/messages", `host: g\r\nx-a: ${"a".repeat(70_000)}\r\n\r\n`, 413, "payload_too_large"],
  ])("is refused in the shape of its path: %s", async (_what, path, rest, status, code) => {
    const head = path === "/" ? rest : `POST ${path} HTTP/1.1\r\n${rest}`;
    const answer = await exchange(client.url, head);
    expect(answer.status).toBe(status);
    // Of headers that are too large the beginning is not known any more.
    if (code !== "payload_too_large")
      expect(Object.keys(Object(answer.body))).toEqual(isAnthropic(path) ? ["type", "error"] : ["error"]);
    expect(Object(answer.body).error).toMatchObject({ code });
  });

  it("in the midst of a body ends the request, and nothing goes upstream", async () => {
    const { status, body } = await exchange(
      client.url,
      `${headOf("/v1/messages", "transfer-encoding: chunked")}2\r\n{}\r\nnot a length\r\n`,
    );
    expect([status, body]).toMatchObject([400, { type: "error" }]);
    expect(test.peer.requests).toEqual([]);
  });

  it("all together hold no more than there is room for", async () => {
    const at = await test.open({ maxHeldBytes: 3_000_000 });
    const waiting = Array.from({ length: 5 }, () => {
      const socket = connect(Number(new URL(at).port), "127.0.0.1");
      let text = "";
      socket
        .on("error", () => undefined)
        .on("data", (chunk) => {
          text += chunk;
        });
      socket.write(headOf("/v1/responses", "content-length: 4000000") + " ".repeat(700_000));
      return { socket, answer: () => text };
    });
    const refused = await waitUntil("one too many", () => waiting.map(({ answer }) => answer()).find(Boolean));
    expect(refused).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1\r\n.*"overloaded"/s);
    const large = { path: "/v1/responses", body: { model: "m", input: "x".repeat(1_000_000) } };
    const { socket, messages, closed } = await openSocket(at, client);
    socket.send(JSON.stringify({ type: "response.create", ...large.body }));
    await closed;
    expect(messages.at(-1)).toContain("overloaded");
    for (const each of waiting) each.socket.destroy();
    // One whose answer has begun needs its body no more.
    test.peer.answer((response) => void startStream(response).write(RESPONSES_EVENTS.created));
    const streams = await Promise.all(
      Array.from({ length: 5 }, () =>
        waitUntil("room again", async () => {
          const response = await client.post(large, {}, at);
          return response.status === 200 && response;
        }),
      ),
    );
    for (const stream of streams) await stream.body?.cancel();
  });

  it("keeps nobody else waiting", async () => {
    const attackers = Array.from({ length: 50 }, () =>
      exchange(hasty, headOf("/v1/responses", "content-length: 9"), " "),
    );
    const response = await client.post({ path: "/v1/responses", body: { model: "m", input: "hi" } }, {}, hasty);
    expect(response.status).toBe(200);
    // Nine blanks are a body without sense, and may be late.
    for (const { status } of await Promise.all(attackers)) expect([400, 408]).toContain(status);
  });
});

it("a client that reads nothing of its answer is let go, and so is the upstream", async () => {
  const at = await test.open({ maxStallMs: 200 });
  test.peer.answer(async (response) => {
    startStream(response);
    const event = `data: ${JSON.stringify({ type: "response.output_text.delta", delta: "x".repeat(100_000) })}\n\n`;
    while (!response.destroyed) if (!response.write(event)) await once(response, "drain").catch(() => undefined);
  });
  const trace = createTrace();
  const [request, response] = await client.open(RESPONSES, trace, at);
  response.pause();
  await waitUntil("the upstream is told", () => test.peer.cancelled() === 1);
  expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({ "centspan.stream.aborted": true });
  request.destroy();
});
