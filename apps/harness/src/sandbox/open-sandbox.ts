/**
 * Which sandbox a run gets: the one that was asked for, else the first that works here. Whether one works is tried, not
 * guessed. Where none does, programs are refused, unless the person said `--unsafe`.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import { CONTAINER_ENGINES, openContainers } from "./container.ts";
import { openNamespaces } from "./namespaces.ts";
import { runProcess } from "./run-process.ts";
import type { EgressDoor, Sandbox, SandboxKind, SandboxOptions } from "./sandbox.ts";
import { openUnconfined } from "./unconfined.ts";

export type SandboxChoice = Omit<SandboxOptions, "egress"> & {
  kind: SandboxKind | "auto";
  image: string;
  /** Programs may run unconfined where nothing confines them. */
  unsafe: boolean;
};

/** Opens the sandbox of one run; `egress` is its way out. */
export type OpenSandbox = (egress: EgressDoor | null) => Promise<Sandbox>;

const PROBE_LIMIT_MS = 15_000;

export async function chooseSandbox(choice: SandboxChoice): Promise<OpenSandbox> {
  const { kind, unsafe } = choice;
  if (kind === "namespaces" || kind === "auto") {
    const open: OpenSandbox = (egress) => openNamespaces({ ...choice, egress });
    if (process.platform === "linux" && (await works(open, choice))) return open;
    if (kind === "namespaces") throw unavailable(kind, "this system gives no namespaces to whoever runs the harness");
  }
  if (kind === "container" || kind === "auto") {
    for (const engine of CONTAINER_ENGINES) {
      if (await answers(engine, choice)) return async (egress) => openContainers({ ...choice, engine, egress });
    }
    if (kind === "container") throw unavailable(kind, `neither ${CONTAINER_ENGINES.join(" nor ")} answers`);
  }
  return async () => (unsafe ? openUnconfined(choice.searchPath) : REFUSING);
}

const unavailable = (kind: SandboxKind, why: string): CentspanError =>
  new CentspanError("invalid_request", `sandbox: ${kind} can't be had: ${why}`, { field: "sandbox" });

const REFUSING: Sandbox = {
  kind: "none",
  describe: "nothing confines programs here, so none is run; --unsafe runs them all the same",
  run: () => Promise.reject(new CentspanError("forbidden", "programs are not run here: nothing would confine them")),
};

async function works(open: OpenSandbox, { workDir }: SandboxChoice): Promise<boolean> {
  const folder = await realpath(await mkdtemp(join(workDir, "probe-")));
  const signal = new AbortController().signal;
  try {
    const sandbox = await open(null);
    const { exitCode } = await sandbox.run("true", [], { folder, cwd: folder, timeLimitMs: PROBE_LIMIT_MS, signal });
    return exitCode === 0;
  } catch {
    // There is no `unshare`.
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function answers(engine: string, { workDir, searchPath }: SandboxChoice): Promise<boolean> {
  try {
    const limits = { timeLimitMs: PROBE_LIMIT_MS, signal: new AbortController().signal };
    return (await runProcess(engine, ["info"], { cwd: workDir, searchPath, ...limits })).exitCode === 0;
  } catch {
    return false;
  }
}
