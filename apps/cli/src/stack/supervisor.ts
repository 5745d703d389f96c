/** Starts services in order, watches them, and stops them in reverse. One that dies takes the stack down with its reason. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import { type RunningService, type Service, startService } from "./process.ts";

export type Supervisor = {
  start(service: Service): Promise<RunningService>;
  /** Rejects when any service ends that was not told to. */
  failure: Promise<never>;
  stop(): Promise<void>;
};

export function createSupervisor(dataDir: string): Supervisor {
  const logs = join(dataDir, "logs");
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const running: RunningService[] = [];
  let stopping = false;
  let fail: (error: Error) => void = () => {};
  const failure = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // Nobody may be waiting yet when a service dies during start-up.
  failure.catch(() => {});
  return {
    failure,
    async start(service) {
      const started = await startService(service, join(logs, `${service.name}.log`));
      if (stopping) {
        await started.stop();
        return started;
      }
      running.push(started);
      void started.exited.then(({ how, lastLines }) => {
        if (stopping) return;
        const said = lastLines.map((line) => `\n  ${line}`).join("");
        const where = join(logs, `${service.name}.log`);
        fail(new CentspanError("internal", `${service.name} ended (${how}); its log: ${where}${said}`));
      });
      return started;
    },
    async stop() {
      stopping = true;
      for (const service of running.reverse()) await service.stop();
    },
  };
}
