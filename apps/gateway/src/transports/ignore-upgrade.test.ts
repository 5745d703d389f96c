import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { CHAT, createGatewayClient } from "../testing/gateway-client.ts";
import { openTestGateway } from "../testing/open-test-gateway.ts";

it("serves a client that offers HTTP/2 with its requests, whatever their size and on a connection that stays", async () => {
  const test = await openTestGateway();
  try {
    const client = await createGatewayClient(test);
    test.peer.answer((response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"));
    const warnings: string[] = [];
    process.on("warning", ({ message }) => warnings.push(message));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (const length of [1, 300_000, ...Array<number>(20).fill(1)]) {
      const headers = {
        ...client.common,
        connection: "Upgrade, HTTP2-Settings",
        upgrade: "h2c",
        "http2-settings": "AAEAAEAAAAIAAAAA",
      };
      const sent = request(client.url + CHAT.path, { method: "POST", agent, headers });
      sent.end(JSON.stringify({ ...CHAT.body, user: "u".repeat(length) }));
      const [answer]: IncomingMessage[] = await once(sent, "response");
      expect([answer?.statusCode, answer && (await text(answer))]).toEqual([200, "{}"]);
    }
    agent.destroy();
    expect(test.peer.requests).toHaveLength(22);
    expect(warnings).toEqual([]);
  } finally {
    await test.close();
  }
});
