/** Threads for programs. One is started ahead of the next program, since that takes longer than most programs do. */
import { Worker } from "node:worker_threads";

let spare: Worker | null = null;

export function prepareThread(): void {
  spare ??= startThread();
}

export function takeThread(): Worker {
  const thread = spare ?? startThread();
  spare = null;
  prepareThread();
  thread.ref();
  return thread;
}

function startThread(): Worker {
  // Nothing of our environment is a program's business.
  const thread = new Worker(new URL("./code.worker.js", import.meta.url), { env: {}, execArgv: [] });
  // One that waits keeps no process alive.
  thread.unref();
  return thread;
}
