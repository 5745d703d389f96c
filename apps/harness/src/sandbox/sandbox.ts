/**
 * Where an agent's programs run. Kinds differ in what confines a program; all of them give it a folder to work in, a clean
 * environment, a time limit and bounded output, and leave nothing running.
 * Add one: a file with an `open…` function and a line in `open-sandbox.ts`.
 */
import type { ProcessOptions, ProcessResult } from "./run-process.ts";

export const SANDBOX_KINDS = ["namespaces", "container", "none"] as const;
export type SandboxKind = (typeof SANDBOX_KINDS)[number];

/** `cwd` lies in `folder`, or is it. */
export type SandboxedRun = Pick<ProcessOptions, "cwd" | "timeLimitMs" | "signal" | "output"> & {
  /** The only folder that the program may change, as a real path. */
  folder: string;
};

export type Sandbox = {
  kind: SandboxKind;
  /** For people: what confines a program. */
  describe: string;
  /** `file` is found by the search path that programs get. */
  run(file: string, args: readonly string[], options: SandboxedRun): Promise<ProcessResult>;
};

/** The way out for programs of one run; without it there is none where the kind can keep them in. */
export type EgressDoor = {
  /** Folder with the socket of the relay, see `egress-relay.ts`. */
  folder: string;
  /** Variables that hold placeholders, in whose place the gateway puts secrets on the way out. */
  standIns: Readonly<Record<string, string>>;
};

export type SandboxOptions = {
  /** Value of PATH for programs. */
  searchPath: string;
  /** Folder for what the sandbox itself needs; not seen by programs. */
  workDir: string;
  egress: EgressDoor | null;
};
