/** The demo workload: the harness run against the stack as any agent would be; its progress as text. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ApiClient } from "@centspan/api";
import { CentspanError, createWallClock, parseInstant } from "@centspan/base";
import { z } from "zod";
import type { LocalKeys } from "./keys.ts";
import { appScript, type StackUrls } from "./services.ts";

const eventSchema = z.union([
  z.object({ type: z.literal("progress"), done: z.int(), total: z.int(), task: z.string(), status: z.string() }),
  z.looseObject({ type: z.literal("summary") }),
]);

type DemoProgress = { done: number; total: number; task: string; status: string };

export type RunningDemo = {
  /** Rejects when a run could not be made. */
  finished: Promise<void>;
  /** Resolves when the agents have stopped; at once when they have finished before. */
  stop(): Promise<void>;
};

/** Runs what the default workload has but for `settled`, the tickets that an interrupted demo settled before. */
export function runDemo(
  urls: StackUrls,
  keys: LocalKeys,
  dataDir: string,
  settled: readonly string[],
  onProgress: (progress: DemoProgress) => void,
): RunningDemo {
  const except = settled.length === 0 ? [] : ["--except", ...settled];
  // The demo's tasks and what its scripted players do are ours: where nothing can confine them, nothing has to.
  const child = spawn(
    process.execPath,
    ["--enable-source-maps", appScript("harness"), "workload", "--plan", "default", "--unsafe", "--json", ...except],
    {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        CENTSPAN_GATEWAY_URL: urls.gatewayUrl,
        CENTSPAN_TEAM_KEYS: JSON.stringify(keys.teamKeys),
        CENTSPAN_OTLP_URL: urls.otlpUrl,
        CENTSPAN_INGEST_KEY: keys.ingestKey,
        CENTSPAN_API_URL: urls.webUrl,
        CENTSPAN_API_KEY: keys.apiKey,
        CENTSPAN_WORK_DIR: join(dataDir, "work"),
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    },
  );
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = eventSchema.safeParse(JSON.parse(line));
    if (event.success && event.data.type === "progress" && "done" in event.data) onProgress(event.data as DemoProgress);
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000);
  });
  const finished = new Promise<void>((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new CentspanError("internal", `the demo workload ended with exit code ${code}:\n${said}`));
    });
  });
  return {
    finished,
    async stop() {
      child.kill("SIGTERM");
      await finished.catch(() => {});
    },
  };
}

/** The services send their spans twice a second; by then all that a finished request left behind has arrived. */
const EXPORT_DELAY_NS = 3_000_000_000n;

/** Waits until every span of the requests made so far is rated. */
export async function waitUntilRated(api: ApiClient, patienceMs: number): Promise<void> {
  const clock = createWallClock();
  const targetNs = clock.nowNs() + EXPORT_DELAY_NS;
  const endNs = targetNs + BigInt(patienceMs) * 1_000_000n;
  while (clock.nowNs() < endNs) {
    const { ratedThrough } = await api.health();
    if (ratedThrough !== null && (parseInstant(ratedThrough) ?? 0n) >= targetNs) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new CentspanError("not_ready", `rating did not catch up within ${patienceMs / 1000} s; see logs/worker.log`);
}
