/**
 * Start and stop of a process. A service prints one JSON line when it is ready and nothing else on stdout;
 * on SIGTERM, SIGINT, or the death of its supervisor it runs `stop` once and exits.
 */
import { CentspanError } from "@centspan/base";

export type Running = { ready: Record<string, unknown>; stop(): Promise<void> };

/** Runs a service's main function: expected failures end in one plain line on stderr and exit code 1. */
export async function runMain(name: string, start: () => Promise<Running>): Promise<void> {
  try {
    const running = await start();
    let stopping = false;
    const stop = async (): Promise<void> => {
      if (stopping) return;
      stopping = true;
      await running.stop().catch((error: unknown) => reportFailure(name, error));
      process.exit(process.exitCode ?? 0);
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
    // A supervisor that starts services with an IPC channel takes them with it, however it dies.
    process.once("disconnect", stop);
    process.stdout.write(`${JSON.stringify({ ready: true, service: name, ...running.ready })}\n`);
  } catch (error) {
    reportFailure(name, error);
    process.exit(1);
  }
}

function reportFailure(name: string, error: unknown): void {
  const text = error instanceof CentspanError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${name}: ${text}\n`);
  process.exitCode = 1;
}
