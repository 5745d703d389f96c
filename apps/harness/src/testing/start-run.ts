/** A run of a tiny task against a peer, with everything else real; programs run unconfined. */
import { createRandom } from "@centspan/base";
import { onTestFinished } from "vitest";
import { type RunRequest, UNATTENDED } from "../loop/run-request.ts";
import { type RunServices, runTask } from "../loop/run-task.ts";
import { createMechanisms } from "../mechanisms.ts";
import { openUnconfined } from "../sandbox/unconfined.ts";
import { createResponsesClient } from "../transport/responses-client.ts";
import { localRecorder } from "../verify/read-evidence.ts";
import { type PeerOptions, startResponsesPeer } from "./responses-peer.ts";
import type { SpanMemory } from "./span-memory.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { createTinyTask } from "./tiny-task.ts";

export async function startRun(
  memory: SpanMemory,
  peerOptions: PeerOptions,
  changes: Partial<RunServices> = {},
  asked: Partial<RunRequest> = {},
) {
  const peer = await startResponsesPeer(peerOptions);
  const retry = { maxTries: 3, baseDelayMs: 1, maxDelayMs: 50, random: createRandom(1) };
  const client = createResponsesClient({ gatewayUrl: peer.url, connections: 1, retry, mechanisms: createMechanisms() });
  onTestFinished(async () => {
    await client.close();
    await peer.close();
  });
  const services: RunServices = {
    telemetry: memory.telemetry,
    client,
    mechanisms: createMechanisms(),
    windowTokens: 128_000,
    servers: [],
    documents: [],
    outcomes: localRecorder,
    workDir: await createTemporaryFolder(),
    gatewayUrl: peer.url,
    searchPath: process.env.PATH ?? "",
    version: "1.2.3",
    keepCopies: "none",
    openSandbox: async () => openUnconfined(process.env.PATH ?? ""),
    person: null,
    takeSteering: () => [],
    report: () => undefined,
    onStart: () => undefined,
    signal: new AbortController().signal,
    ...changes,
  };
  const task = await createTinyTask();
  const request: RunRequest = {
    ...UNATTENDED,
    task,
    taskId: "payments/double",
    model: "m",
    attempt: 2,
    role: "execute",
    gatewayKey: "k",
    ...asked,
  };
  return { peer, services, request, running: runTask(request, services) };
}
