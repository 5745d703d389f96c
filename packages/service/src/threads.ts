/**
 * Work spread over threads: a pool that hands one task at a time to whoever is free, and the other end, in the thread.
 * The answers come in the order of the tasks, however long each takes. A thread that fails fails what was asked of it; whoever
 * stops gets what is open refused, and the threads end.
 */
import { parentPort, Worker } from "node:worker_threads";
import { assert, CentspanError } from "@centspan/base";

export type ThreadPool<T, R> = {
  /** Rejects with the first failure, or with `interrupted` once the signal says so; tasks of one call at a time. */
  run(tasks: readonly T[], signal?: AbortSignal): Promise<R[]>;
  close(): Promise<void>;
};

export type ThreadPoolOptions = {
  /** A file in JavaScript, so that it can start with and without a bundle. */
  url: URL;
  threads: number;
  /** Cloned into each thread. */
  workerData: unknown;
};

/** `run`: what is still computed for a call that was stopped is nobody's answer. */
type Asked<T> = { run: number; at: number; task: T };
type Answered<R> = { run: number; at: number } & ({ result: R } | { error: string });

export function createThreadPool<T, R>({ url, threads, workerData }: ThreadPoolOptions): ThreadPool<T, R> {
  assert(threads >= 1, "a pool needs a thread");
  const workers = Array.from({ length: threads }, () => new Worker(url, { workerData }));
  let runs = 0;
  let failure: Error | null = null;
  let fail: ((error: Error) => void) | null = null;
  for (const worker of workers)
    worker.on("error", (error) => {
      failure = error instanceof Error ? error : new Error(String(error));
      fail?.(failure);
    });

  const work = (tasks: readonly T[], signal: AbortSignal | undefined): Promise<R[]> =>
    new Promise((resolve, reject) => {
      runs += 1;
      const run = runs;
      const results = new Map<number, R>();
      let next = 0;
      const stop = (error: Error): void => {
        finish();
        reject(error);
      };
      const listeners = workers.map((worker) => {
        const give = (): void => {
          const task = tasks[next];
          if (next >= tasks.length || task === undefined) return;
          worker.postMessage({ run, at: next, task } satisfies Asked<T>);
          next += 1;
        };
        const take = (answer: Answered<R>): void => {
          if (answer.run !== run) return;
          if ("error" in answer) {
            stop(new Error(answer.error));
            return;
          }
          results.set(answer.at, answer.result);
          if (results.size < tasks.length) give();
          else {
            finish();
            resolve([...results].sort(([a], [b]) => a - b).map(([, result]) => result));
          }
        };
        worker.on("message", take);
        return { give, remove: () => worker.off("message", take) };
      });
      const abort = (): void => stop(new CentspanError("interrupted", "The work was stopped before it was done."));
      const finish = (): void => {
        for (const { remove } of listeners) remove();
        signal?.removeEventListener("abort", abort);
        fail = null;
      };
      fail = stop;
      signal?.addEventListener("abort", abort);
      for (const { give } of listeners) give();
    });

  return {
    async run(tasks, signal) {
      if (failure) throw failure;
      if (signal?.aborted) throw new CentspanError("interrupted", "The work was stopped before it began.");
      return tasks.length === 0 ? [] : work(tasks, signal);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** In the thread: answers each task, or says why it can't. */
export function answerTasks<T, R>(answer: (task: T) => R): void {
  const port = parentPort;
  assert(port, "tasks are answered in a thread");
  port.on("message", ({ run, at, task }: Asked<T>) => {
    try {
      port.postMessage({ run, at, result: answer(task) } satisfies Answered<R>);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      port.postMessage({ run, at, error: message } satisfies Answered<R>);
    }
  });
}
