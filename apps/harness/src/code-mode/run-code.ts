/**
 * Runs a model's JavaScript in a thread of its own. What it can do is call tools, as async functions, as many side by side
 * as it likes.
 * Invariant: whatever a program does, it is ended within its limits and alone; what it logged until then is its partial
 * output. Nothing else of it is seen but the value that it returns.
 */
import type { Worker } from "node:worker_threads";
import { type CodeLimits, type FromProgram, fromProgramSchema, type Start, type ToProgram } from "./messages.ts";
import { takeThread } from "./threads.ts";

export const CODE_LIMITS: CodeLimits = {
  timeMs: 120_000,
  memoryBytes: 64 * 1024 * 1024,
  outputBytes: 256 * 1024,
  calls: 200,
};

export type CodeEnd = "returned" | "threw" | "time" | "memory" | "output" | "calls" | "stuck";

export type CodeResult = {
  end: CodeEnd;
  /** What it returned, as text or JSON; of a program that threw, the error. */
  value: string;
  log: string;
  calls: number;
  /** Most calls under way at once. */
  parallel: number;
};

export type CodeOptions = {
  code: string;
  /** Resolves with what the program gets; rejects with an `Error` that it can catch. `signal` aborts when it has ended. */
  call(tool: string, argumentsJson: string, signal: AbortSignal): Promise<string>;
  limits: CodeLimits;
  signal: AbortSignal;
};

export async function runCode(options: CodeOptions): Promise<CodeResult> {
  options.signal.throwIfAborted();
  const thread = takeThread();
  const ended = new AbortController();
  const made = new Set<Promise<unknown>>();
  try {
    return await attend(thread, options, { ended: ended.signal, made });
  } finally {
    ended.abort();
    await thread.terminate();
    // What it began does not go on behind its back.
    await Promise.all(made);
  }
}

function attend(
  thread: Worker,
  options: CodeOptions,
  { ended, made }: { ended: AbortSignal; made: Set<Promise<unknown>> },
): Promise<CodeResult> {
  const { limits, signal } = options;
  return new Promise((resolve, reject) => {
    const log: string[] = [];
    const calls = { made: 0, underWay: 0, parallel: 0 };
    const end = (how: CodeEnd, value = ""): void => {
      resolve({ end: how, value, log: log.join("\n"), calls: calls.made, parallel: calls.parallel });
    };
    let timer: NodeJS.Timeout | undefined;
    ended.addEventListener("abort", () => clearTimeout(timer), { once: true });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    const call = async ({ id, tool, argumentsJson }: Extract<FromProgram, { type: "call" }>): Promise<void> => {
      calls.made += 1;
      calls.underWay += 1;
      calls.parallel = Math.max(calls.parallel, calls.underWay);
      const answer = await answerCall(options.call(tool, argumentsJson, AbortSignal.any([signal, ended])));
      calls.underWay -= 1;
      thread.postMessage({ id, ...answer } satisfies ToProgram);
    };
    thread.on("message", (message: unknown) => {
      const said = fromProgramSchema.parse(message);
      if (said.type === "ready") {
        timer = setTimeout(end, limits.timeMs, "time");
      } else if (said.type === "log") log.push(said.text);
      else if (said.type === "call") made.add(call(said));
      else end(said.end, said.value);
    });
    thread.once("error", reject);
    thread.postMessage({ code: options.code, limits } satisfies Start);
  });
}

const answerCall = (made: Promise<string>): Promise<Omit<ToProgram, "id">> =>
  made.then(
    (text) => ({ ok: true, text }),
    (error: unknown) => ({ ok: false, text: error instanceof Error ? error.message : String(error) }),
  );
