/** What the gateway's benchmarks run against: its stores, a collector for its spans, upstreams, and the gateway itself. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startIngestStack } from "../../stack/ingest-stack.ts";
import { findFreePorts, type Running, startProcess } from "../../stack/processes.ts";

const READY = /^\{"ready":true.*$/m;
const START_DEADLINE_MS = 60_000;
/** Stores and collector would have machines of their own: here they get what is left of the processor. */
const NICENESS = 19;

export type Gateway = { url: string; pid: number };

export type GatewayStack = {
  /** Secret of a gateway key. */
  key: string;
  /** Where the stores are, as environment variables. */
  stores: Record<string, string>;
  /** `env` is this gateway's own, beside where its stores and its collector are. */
  startGateway(env?: Record<string, string>): Promise<Gateway>;
  end(): Promise<void>;
};

export type UpstreamsFile = { upstreams: object[]; retries?: number };

export async function startGatewayStack(upstreams: UpstreamsFile): Promise<GatewayStack> {
  const stack = await startIngestStack({}, NICENESS);
  const folder = mkdtempSync(join(tmpdir(), "centspan-gateway-"));
  const gateways: Running[] = [];
  const end = async (): Promise<void> => {
    for (const { child } of gateways) child.kill("SIGTERM");
    await Promise.all(gateways.map(({ exited }) => exited));
    await stack.end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const file = join(folder, "upstreams.json");
    writeFileSync(file, JSON.stringify(upstreams));
    const ingestKey = await stack.createKey("spans", "gateway-ingest");
    return {
      key: await stack.createKey("bench", "gateway"),
      stores: stack.stores,
      async startGateway(env = {}) {
        const gateway = startProcess(["apps/gateway/dist/main.js"], {
          ...stack.stores,
          CENTSPAN_PORT: String(await findFreePorts(1)),
          CENTSPAN_OTLP_URL: stack.otlpUrl,
          CENTSPAN_INGEST_KEY: ingestKey,
          CENTSPAN_UPSTREAMS_FILE: file,
          ...env,
        });
        gateways.push(gateway);
        const [line = ""] = await gateway.waitFor(READY, START_DEADLINE_MS);
        const { url }: { url: string } = JSON.parse(line);
        return { url, pid: gateway.child.pid ?? 0 };
      },
      end,
    };
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
