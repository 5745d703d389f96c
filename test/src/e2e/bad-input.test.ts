import { expect, inject, it } from "vitest";
import { getApi } from "../stack/api.ts";
import { runProcess } from "../stack/processes.ts";

const post = (url: string, body: string, key: string, type = "application/json") =>
  fetch(url, { method: "POST", headers: { authorization: `Bearer ${key}`, "content-type": type }, body });

const good = JSON.stringify({ model: "scripted-strong", input: "hello" });

it("answers an unknown key with 401, wherever a key is taken", async () => {
  const { gatewayUrl, otlpUrl, webUrl } = inject("connection");
  const unknown = "cs_gateway_unknown";
  const answers = await Promise.all([
    post(`${gatewayUrl}/v1/responses`, good, unknown),
    post(`${gatewayUrl}/v1/chat/completions`, '{"model":"m","messages":[{"role":"user","content":"x"}]}', unknown),
    post(`${otlpUrl}/v1/traces`, "{}", unknown),
    post(`${webUrl}/api/v1/outcomes`, "{}", unknown),
    fetch(`${webUrl}/api/v1/calls`),
  ]);
  expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401, 401]);
});

it("lets no kind of key do another kind's work", async () => {
  const { gatewayUrl, webUrl, apiKey, gatewayKey, ingestKey } = inject("connection");
  expect((await getApi("/calls", gatewayKey)).status).toBe(403);
  expect((await getApi("/calls", ingestKey)).status).toBe(403);
  expect((await post(`${gatewayUrl}/v1/responses`, good, apiKey)).status).toBeGreaterThanOrEqual(401);
  expect((await fetch(`${webUrl}/api/v1/keys`, { method: "DELETE" })).status).toBe(405);
});

it("answers a wrong body with 400 and names the field", async () => {
  const { gatewayUrl, webUrl, apiKey, gatewayKey } = inject("connection");
  const cases: [string, string, string, string][] = [
    [`${gatewayUrl}/v1/responses`, '{"input":"x"}', gatewayKey, "model"],
    [
      `${gatewayUrl}/v1/chat/completions`,
      '{"model":"m","messages":[{"role":"robot","content":"x"}]}',
      gatewayKey,
      "messages",
    ],
    [`${gatewayUrl}/v1/responses`, "{", gatewayKey, "body"],
    [
      `${webUrl}/api/v1/outcomes`,
      '{"subject":{"task":"t"},"kind":"tests","status":"great","source":"s"}',
      apiKey,
      "status",
    ],
    [`${webUrl}/api/v1/outcomes`, '{"subject":{},"kind":"tests","status":"passed","source":"s"}', apiKey, "subject"],
    [`${webUrl}/api/v1/keys`, '{"name":"Not Good","kind":"api"}', apiKey, "name"],
  ];
  for (const [url, body, key, field] of cases) {
    const answer = await post(url, body, key);
    expect([url, answer.status]).toEqual([url, 400]);
    expect(await answer.text()).toContain(field);
  }
});

it("names a query parameter that is wrong", async () => {
  for (const [path, field] of [
    ["/cost?groupBy=colour", "groupBy"],
    ["/cost", "groupBy"],
    ["/calls?from=yesterday", "from"],
    ["/calls?limit=0", "limit"],
    ["/calls?cursor=nonsense", "cursor"],
    ["/calls?colour=red", "colour"],
    ["/cost?groupBy=day&tz=Mars/Olympus", "tz"],
  ]) {
    expect(await getApi(path ?? "")).toMatchObject({ status: 400, body: { code: "invalid_request", field } });
  }
});

it("says which port is taken and what to do", async () => {
  const { code, output } = await runProcess([
    "apps/cli/dist/main.js",
    "up",
    "--data",
    `${inject("dataDir")}-other`,
    "--port-base",
    String(inject("portBase")),
  ]);
  expect(code).toBe(1);
  expect(output).toContain(String(inject("portBase")));
  expect(output).toContain("--port-base");
});
