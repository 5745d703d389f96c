import { once } from "node:events";
import { connect } from "node:net";
import type { Control } from "@centspan/control";
import { waitUntil } from "@centspan/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient, RESPONSES } from "../testing/gateway-client.ts";
import { createTrace, openTestGateway, type TestGateway } from "../testing/open-test-gateway.ts";
import { RESPONSES_EVENTS, startStream } from "../testing/upstream-peer.ts";
import { createCallCost } from "./learn-cost.ts";
import { type Fleet, openFleet } from "./open-fleet.ts";
import { serveAgentCheck } from "./serve-agent-check.ts";

let test: TestGateway;
const open: { close(): unknown }[] = [];
beforeAll(async () => {
  test = await openTestGateway();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});
afterAll(() => test.close());

/** A gateway on such a processor, whose calls cost so much. */
function join(cpuModel: string, cpuUs: number | null, store: Pick<Control, "shareGatewayCost"> = test.control): Fleet {
  const cost = { called: () => undefined, learn: () => undefined, cpuUs: () => cpuUs };
  const fleet = openFleet({ store, cpuModel, cost });
  open.push(fleet);
  return fleet;
}

describe("gateways that share a control plane", () => {
  it("weigh by what a call costs on their generation of processor", async () => {
    const newer = [join("newer", 300), join("newer", 500)];
    const older = [join("older", 800), join("older", null)];
    const stranger = join("unheard of", null);
    const all = [...newer, ...older, stranger];
    for (const fleet of [...all, ...all]) await fleet.visit();
    // One that has done nothing yet is taken for what its generation is; one of which nobody knows, for the best.
    expect(all.map((fleet) => fleet.weight())).toEqual([100, 100, 50, 50, 100]);
  });

  it("keep what they heard while the store is away", async () => {
    const older = join("older", 900);
    await older.visit();
    const before = older.weight();
    test.gate.shut();
    await expect(older.visit()).rejects.toThrow(expect.objectContaining({ code: "store_unavailable" }));
    await test.gate.open();
    expect(older.weight()).toBe(before);
  });
});

it("a load balancer is told the weight by whoever it asks, whatever it says", async () => {
  let weight = 100;
  const agent = await serveAgentCheck({ host: "127.0.0.1", port: 0 }, () => weight);
  open.push(agent);
  const ask = async (): Promise<string> => {
    const socket = connect(agent.port, "127.0.0.1").setEncoding("utf8");
    socket.write("be/gateway-1\n");
    const [line]: string[] = await once(socket, "data");
    await once(socket.resume(), "close");
    return line ?? "";
  };
  expect(await ask()).toBe("100%\n");
  weight = 50;
  expect(await ask()).toBe("50%\n");
});

it("a gateway's health says its weight, and each of its calls counts", async () => {
  let calls = 0;
  const url = await test.open({ fleet: { weight: () => 50, called: () => void calls++ } });
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok", weight: 50 });
  await fetch(`${url}/v1/chat/completions`, { method: "POST", body: "{}" });
  await waitUntil("the call", async () => calls === 1);

  const client = await createGatewayClient(test);
  test.peer.answer((response) => void startStream(response).end(Object.values(RESPONSES_EVENTS).join("")));
  const trace = createTrace();
  await (await client.post(RESPONSES, trace, url)).text();
  expect(await client.readAttributes(trace.traceId, "chat m")).toMatchObject({ "centspan.cpu.weight": 50 });
});

it("what a call costs is learned while there is enough to do", () => {
  const usage = { cpuUs: 0, busyMs: 0, idleMs: 0 };
  const cost = createCallCost(() => ({ ...usage }));
  const work = (calls: number, cpuUs: number, busyMs: number): number | null => {
    for (let at = 0; at < calls; at++) cost.called();
    usage.cpuUs += cpuUs;
    usage.busyMs += busyMs;
    usage.idleMs += 1_000 - busyMs;
    cost.learn();
    return cost.cpuUs();
  };
  expect(work(10, 50_000, 500)).toBeNull();
  expect(work(100, 50_000, 50)).toBeNull();
  expect(work(100, 50_000, 500)).toBe(500);
  expect(work(100, 100_000, 500)).toBe(600);
  expect(work(1, 9_000_000, 900)).toBe(600);
});
