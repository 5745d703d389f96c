import { createHmac } from "node:crypto";
import { createWallClock } from "@centspan/base";
import { beforeAll, expect, it } from "vitest";
import { createTraceApi } from "./index.ts";
import { useApi } from "./testing/use-api.ts";

const { warehouse, control } = useApi("hooks");
const api = createTraceApi({ warehouse, control, clock: createWallClock() });

const BODY = JSON.stringify({
  action: "completed",
  repository: { full_name: "acme/shop" },
  workflow_run: {
    id: 7,
    run_attempt: 1,
    conclusion: "success",
    head_sha: "0123456789abcdef0123456789abcdef01234567",
    updated_at: "2026-11-30T08:00:00Z",
  },
});
const sign = (secret: string, body = BODY) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

let keyId: string;
let webhookSecret: string;
beforeAll(async () => {
  await control.ensureWorkspace("hooks", { id: "hooks", name: "Hooks" });
  const key = await control.createKey({ workspace: "hooks", name: "ci", kind: "ingest", team: null }, "tests");
  keyId = key.keyId;
  webhookSecret = (await control.findSigner(keyId))?.webhookSecret ?? "";
});

const deliver = (named: string, headers: Record<string, string>, body = BODY, feed = "github") =>
  api.handle(
    new Request(`http://api.test/api/v1/outcomes/${feed}?key=${named}`, {
      method: "POST",
      headers: { "x-github-event": "workflow_run", ...headers },
      body,
    }),
  );
const stored = async () => (await warehouse.listOutcomes("hooks", {})).map(({ source, status }) => [source, status]);

it("takes a delivery signed with the key's webhook secret, once however often it comes", async () => {
  for (const _time of [1, 2]) {
    const answer = await deliver(keyId, { "x-hub-signature-256": sign(webhookSecret) });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ data: [{ status: "passed", source: "github" }] });
  }
  expect(await stored()).toEqual([["github", "passed"]]);
});

it("has nothing to say of an event that is no outcome", async () => {
  const answer = await deliver(keyId, { "x-hub-signature-256": sign(webhookSecret), "x-github-event": "ping" });
  expect(await answer.json()).toEqual({ data: [], nextCursor: null });
});

it("refuses a delivery that another secret signed, that was changed, or that nobody signed", async () => {
  const revoked = await control.createKey({ workspace: "hooks", name: "old", kind: "ingest", team: null }, "tests");
  const secretOfRevoked = (await control.findSigner(revoked.keyId))?.webhookSecret ?? "";
  await control.revokeKey("hooks", revoked.keyId, "tests");
  const refused = await Promise.all([
    deliver(keyId, { "x-hub-signature-256": sign("another") }),
    deliver(keyId, { "x-hub-signature-256": sign(webhookSecret) }, BODY.replace("success", "failure")),
    deliver(keyId, {}),
    deliver("key_unknown", { "x-hub-signature-256": sign(webhookSecret) }),
    deliver(revoked.keyId, { "x-hub-signature-256": sign(secretOfRevoked) }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  expect(await stored()).toEqual([["github", "passed"]]);
});

it("refuses keys that may not report outcomes, and a report that has no signature of its own", async () => {
  const gateway = await control.createKey({ workspace: "hooks", name: "calls", kind: "gateway", team: null }, "tests");
  const secret = (await control.findSigner(gateway.keyId))?.webhookSecret ?? "";
  expect((await deliver(gateway.keyId, { "x-hub-signature-256": sign(secret) })).status).toBe(403);
  expect((await deliver(keyId, { "x-hub-signature-256": sign(webhookSecret) }, "{}", "swebench")).status).toBe(401);
});

it("says which field of a signed delivery is not as the host sends it", async () => {
  const body = BODY.replace("acme/shop", "");
  const answer = await deliver(keyId, { "x-hub-signature-256": sign(webhookSecret, body) }, body);
  expect(await answer.json()).toMatchObject({ code: "invalid_file", field: "repository.full_name" });
});

it("refuses a delivery that says otherwise of what was said before, and lists whatever was refused", async () => {
  const other = BODY.replace("success", "failure");
  const answer = await deliver(keyId, { "x-hub-signature-256": sign(webhookSecret, other) }, other);
  expect(answer.status).toBe(409);
  expect((await warehouse.listOutcomes("hooks", {})).map(({ status }) => status)).toEqual(["passed"]);
  const refused = await control.listRefusals("hooks");
  expect(refused.map(({ source, reason }) => [source, reason.slice(0, 40)])).toEqual(
    expect.arrayContaining([
      ["github", "body: says failed of what the same event"],
      ["github", "key: the delivery is not signed with the"],
    ]),
  );
});

it("gives up a report of 200 MB before it has read it", async () => {
  const key = await control.createKey({ workspace: "hooks", name: "big", kind: "ingest", team: null }, "tests");
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 1;
      if (sent > 200) controller.close();
      else controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    },
  });
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${key.secret}` },
    body: endless,
    duplex: "half",
  } as const;
  const answer = await api.handle(new Request("http://api.test/api/v1/outcomes/junit?task=t", init));
  expect(answer.status).toBe(413);
  expect(sent).toBeLessThan(20);
  expect((await control.listRefusals("hooks")).map(({ source }) => source)).toContain("junit");
});

it("restores by the revert of a revert what the revert took back, and takes it back again by the next", async () => {
  const merge = async (number: number, text: string) => {
    const body = JSON.stringify({
      action: "closed",
      repository: { full_name: "acme/turned" },
      pull_request: {
        number,
        merged: true,
        merge_commit_sha: null,
        head: { sha: `${number}`.padEnd(40, "0") },
        body: text,
        updated_at: `2026-11-29T0${number}:00:00Z`,
      },
    });
    const headers = { "x-hub-signature-256": sign(webhookSecret, body), "x-github-event": "pull_request" };
    expect((await deliver(keyId, headers, body)).status).toBe(201);
  };
  const lastWord = async (number: number) =>
    (await warehouse.listOutcomes("hooks", { subject: { pullRequest: `acme/turned#${number}` } }))[0]?.status;
  await merge(1, "Reverts #5");
  expect(await lastWord(5)).toBe("failed");
  for (const _time of [1, 2]) await merge(2, "Reverts acme/turned#1");
  expect([await lastWord(1), await lastWord(5)]).toEqual(["failed", "passed"]);
  await merge(3, "Reverts #2");
  expect([await lastWord(1), await lastWord(5)]).toEqual(["passed", "failed"]);
});

it("agents can't approve their own work: an ingest key gets no link, and says nothing of approvals", async () => {
  const key = await control.createKey({ workspace: "hooks", name: "agent", kind: "ingest", team: null }, "tests");
  const post = (path: string, body: object) =>
    api.handle(
      new Request(`http://api.test/api/v1/outcomes${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.secret}` },
        body: JSON.stringify(body),
      }),
    );
  const said = { subject: { task: "own" }, status: "passed", source: "agent", evidence: { by: "cfo@acme.test" } };
  expect((await post("/approvals", { subject: said.subject, question: "Is it right?" })).status).toBe(403);
  expect((await post("", { ...said, kind: "approved" })).status).toBe(403);
  expect((await post("", { ...said, kind: "completed" })).status).toBe(201);
});
