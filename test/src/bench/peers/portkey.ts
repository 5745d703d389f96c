/**
 * Our gateway beside Portkey's, small calls through each to the same upstream, in turn. Not part of the gate. Others' code runs
 * where it reaches nothing but loopback:
 *
 *   (cd test/bench/peers && npm ci --workspaces=false --ignore-scripts --engine-strict=false)
 *   unshare -n sh -c 'ip link set lo up && node --import tsx test/src/bench/peers/portkey.ts'
 */
import { findFreePorts, startProcess } from "../../stack/processes.ts";
import { round } from "../bench.ts";
import { bodyOf, createWay, runClosed, type Way } from "../gateway/gateway.ts";
import { startGatewayStack, startPeer } from "../gateway/gateway-stack.ts";
import { readCpuUs } from "../process-cost.ts";

const ROUNDS = 5;
const ROUND_S = 3;
const WARM_UPS = 3;

const peer = await startPeer();
const stack = await startGatewayStack({
  upstreams: [{ name: "peer", provider: "peer", protocols: ["openai-chat"], replicas: [{ url: peer.url }] }],
});
const port = await findFreePorts(1);
const portkey = startProcess(
  ["test/bench/peers/node_modules/@portkey-ai/gateway/build/start-server.js", "--headless", `--port=${port}`],
  { NODE_ENV: "production" },
);
await portkey.waitFor(/Ready for connections/, 60_000);
const ours = await stack.startGateway();

const contestants: { name: string; way: Way; pid: number }[] = [
  { name: "centspan", way: createWay(ours.url, { authorization: `Bearer ${stack.key}` }), pid: ours.pid },
  {
    name: "portkey",
    way: createWay(`http://127.0.0.1:${port}`, {
      authorization: "Bearer dummy",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `${peer.url}/v1`,
    }),
    pid: portkey.child.pid ?? 0,
  },
];

try {
  const results: Record<string, { rps: number[]; perCore: number[] }> = {};
  for (let turn = -WARM_UPS; turn < ROUNDS; turn++) {
    for (const { name, way, pid } of contestants) {
      const before = readCpuUs(pid);
      const rps = await runClosed(way, bodyOf("whole"), ROUND_S);
      const cores = (readCpuUs(pid) - before) / 1e6 / ROUND_S;
      // The first turns warm up.
      if (turn < 0) continue;
      results[name] ??= { rps: [], perCore: [] };
      results[name].rps.push(rps);
      results[name].perCore.push(rps / cores);
    }
  }
  const best = (name: string, figure: "rps" | "perCore"): number => Math.max(...(results[name]?.[figure] ?? [0]));
  console.log(
    JSON.stringify({
      centspanRps: round(best("centspan", "rps")),
      portkeyRps: round(best("portkey", "rps")),
      centspanRpsPerCore: round(best("centspan", "perCore")),
      portkeyRpsPerCore: round(best("portkey", "perCore")),
      times: round(best("centspan", "rps") / best("portkey", "rps")),
    }),
  );
} finally {
  for (const { way } of contestants) await way.close();
  portkey.child.kill("SIGTERM");
  await portkey.exited;
  await stack.end();
  await peer.end();
}
