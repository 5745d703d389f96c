/** What the gateway's benchmarks run against: its stores, a collector for its spans, upstreams, and the gateway itself. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startIngestStack } from "../../stack/ingest-stack.ts";
import { findFreePorts, type Running, startProcess } from "../../stack/processes.ts";

const READY = /^\{"ready":true.*$/m;
const START_DEADLINE_MS = 60_000;

export type GatewayStack = {
  gatewayUrl: string;
  gatewayPid: number;
  /** Secret of a gateway key. */
  key: string;
  end(): Promise<void>;
};

export type UpstreamsFile = { upstreams: object[]; retries?: number };

/** `env` is the gateway's, beside where its stores and its collector are. */
export async function startGatewayStack(
  upstreams: UpstreamsFile,
  env: Record<string, string> = {},
): Promise<GatewayStack> {
  const stack = await startIngestStack();
  const folder = mkdtempSync(join(tmpdir(), "centspan-gateway-"));
  let gateway: Running | undefined;
  const end = async (): Promise<void> => {
    gateway?.child.kill("SIGTERM");
    await gateway?.exited;
    await stack.end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const file = join(folder, "upstreams.json");
    writeFileSync(file, JSON.stringify(upstreams));
    const key = await stack.createKey("bench", "gateway");
    gateway = startProcess(["apps/gateway/dist/main.js"], {
      ...stack.stores,
      CENTSPAN_PORT: String(await findFreePorts(1)),
      CENTSPAN_OTLP_URL: stack.otlpUrl,
      CENTSPAN_UPSTREAMS_FILE: file,
      ...env,
    });
    const [line = ""] = await gateway.waitFor(READY, START_DEADLINE_MS);
    const { url }: { url: string } = JSON.parse(line);
    return { gatewayUrl: url, gatewayPid: gateway.child.pid ?? 0, key, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A model server that takes no time. */
export async function startPeer(): Promise<{ url: string; end(): Promise<void> }> {
  const peer = startProcess(["--import", "tsx", "test/src/bench/gateway/upstream-peer.ts"]);
  const [, port] = await peer.waitFor(/^port (\d+)$/m, START_DEADLINE_MS);
  return {
    url: `http://127.0.0.1:${port}`,
    async end() {
      peer.child.kill("SIGTERM");
      await peer.exited;
    },
  };
}
