import { once } from "node:events";
import { createServer } from "node:http";
import { expect, it } from "vitest";
import { readCollectorStatus } from "./read-collector-status.ts";

/** Whatever answers at the address: a collector is tested in its own room. */
async function withPeer(status: number, body: string, work: (url: string) => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization ?? "-"}`);
    response.writeHead(status).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  await work(`http://127.0.0.1:${address.port}`);
  server.close();
  return seen;
}

it("shows its key and says what kind is wanted", async () => {
  const seen = await withPeer(401, "{}", (url) =>
    expect(readCollectorStatus(url, "cs_ingest_x")).rejects.toMatchObject({
      code: "unauthenticated",
      message: expect.stringContaining("kind ingest"),
    }),
  );
  expect(seen).toEqual(["/status Bearer cs_ingest_x"]);
});

it.each([
  [404, "not found"],
  [200, "<html>"],
  [200, '{"version": "1"}'],
])("takes an answer of %i with %j for no collector", async (status, body) => {
  await withPeer(status, body, (url) =>
    expect(readCollectorStatus(url)).rejects.toMatchObject({
      code: "upstream_failed",
      message: expect.stringContaining(`answered ${status} and no status`),
    }),
  );
});

it("says that nothing answers", async () => {
  await expect(readCollectorStatus("http://127.0.0.1:1")).rejects.toMatchObject({ code: "not_ready" });
});
