/**
 * The thread of one program: QuickJS in WebAssembly, without files, network or timers. It tells its parent what the
 * program logs, which tools it calls and how it ended.
 * JavaScript, so that a thread can start from it with or without a bundle. What it says is defined in messages.ts.
 * Must not: keep to a time limit; whoever started the thread ends it, since no engine gives way in everything it does.
 */
import { parentPort } from "node:worker_threads";
import variant from "@jitl/quickjs-singlefile-mjs-release-sync";
import { newQuickJSWASMModuleFromVariant } from "quickjs-emscripten-core";

const STACK_BYTES = 256 * 1024;
/** Of an error: where it was thrown, not all of an endless recursion. */
const STACK_CHARACTERS = 1_000;

const port = parentPort;
if (port === null) throw new Error("a program runs in a thread of its own");
let isOver = false;
/** Once it has said that it is over, nothing more is heard of it. */
const tell = (message) => {
  if (isOver) return;
  isOver = message.type === "end";
  port.postMessage(message);
};

// All that takes long, before there is a program.
const engine = await newQuickJSWASMModuleFromVariant(variant);
port.once("message", (start) => guard(() => run(start)));

function run({ code, limits }) {
  tell({ type: "ready" });
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  // Nothing of it is disposed of: it goes with the thread.
  const vm = runtime.newContext();
  const waiting = defineGlobals(vm, limits);
  const started = vm.evalCode(wrap(code), "program.js");
  if (started.error) {
    tell(describeError(vm, started.error));
    return;
  }
  const goOn = () => {
    const done = runtime.executePendingJobs();
    const state = vm.getPromiseState(started.value);
    if (done.error) tell(describeError(vm, done.error));
    else if (state.type === "fulfilled") tell({ type: "end", end: "returned", value: vm.getString(state.value) });
    else if (state.type === "rejected") tell(describeError(vm, state.error));
    else if (waiting.size === 0) tell({ type: "end", end: "stuck", value: "" });
  };
  port.on("message", ({ id, text, ok }) => {
    const promise = waiting.get(id);
    waiting.delete(id);
    if (ok) promise?.resolve(vm.newString(text));
    else promise?.reject(vm.newError(text));
    guard(goOn);
  });
  goOn();
}

function guard(work) {
  try {
    work();
  } catch (error) {
    tell(describeFault(error));
  }
}

/** The program is the body of an async function, and what it returns becomes text. */
function wrap(code) {
  return `
const tools = new Proxy({}, { get: (_, name) => name === "then" ? undefined : (args = {}) =>
  __call(String(name), JSON.stringify(args)) });
const console = Object.freeze(Object.fromEntries(["log", "info", "warn", "error", "debug"].map((level) => [level, (...parts) =>
  __log(parts.map((part) => typeof part === "string" ? part : JSON.stringify(part) ?? String(part)).join(" "))])));
(async () => {
${code}
})().then((value) => typeof value === "string" ? value : JSON.stringify(value, null, 1) ?? "undefined")`;
}

/** Returns the promises of calls that have no answer yet, by the id of the call. */
function defineGlobals(vm, limits) {
  const waiting = new Map();
  let calls = 0;
  const call = vm.newFunction("__call", (tool, argumentsJson) => {
    calls += 1;
    if (calls > limits.calls) tell({ type: "end", end: "calls", value: "" });
    const promise = vm.newPromise();
    waiting.set(calls, promise);
    tell({ type: "call", id: calls, tool: vm.getString(tool), argumentsJson: vm.getString(argumentsJson) });
    return promise.handle;
  });
  let logged = 0;
  const log = vm.newFunction("__log", (line) => {
    const text = vm.getString(line);
    logged += Buffer.byteLength(text) + 1;
    if (logged > limits.outputBytes) tell({ type: "end", end: "output", value: "" });
    else tell({ type: "log", text });
  });
  vm.setProp(vm.global, "__call", call);
  vm.setProp(vm.global, "__log", log);
  return waiting;
}

function describeError(vm, handle) {
  const error = vm.dump(handle);
  const { name, message, stack } = Object(error);
  if (message === "out of memory") return { type: "end", end: "memory", value: "" };
  if (typeof message !== "string") return { type: "end", end: "threw", value: JSON.stringify(error) ?? String(error) };
  return {
    type: "end",
    end: "threw",
    value: `${name}: ${message}\n${String(stack ?? "").slice(0, STACK_CHARACTERS)}`.trim(),
  };
}

/** The engine itself gave up, as it does for want of stack. */
function describeFault(error) {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { type: "end", end: "threw", value: what };
}
