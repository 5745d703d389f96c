import { expect, it } from "vitest";
import type { CodeLimits } from "./messages.ts";
import { CODE_LIMITS, type CodeOptions, runCode } from "./run-code.ts";

const echo: CodeOptions["call"] = async (tool, argumentsJson) => `${tool} ${argumentsJson}`;

function run(
  code: string,
  changes: { limits?: Partial<CodeLimits>; call?: CodeOptions["call"]; signal?: AbortSignal } = {},
) {
  return runCode({
    code,
    call: changes.call ?? echo,
    limits: { ...CODE_LIMITS, ...changes.limits },
    signal: changes.signal ?? new AbortController().signal,
  });
}

it.each([
  ["return 1 + 1", "2"],
  ["return 'as it is'", "as it is"],
  ["return { a: [1, null] }", '{\n "a": [\n  1,\n  null\n ]\n}'],
  ["", "undefined"],
  ["return await tools.read_file({ path: 'a' })", 'read_file {"path":"a"}'],
  ["return await tools.search()", "search {}"],
  [
    "const found = await Promise.all([1, 2].map((n) => tools.search({ n }))); return found.join()",
    'search {"n":1},search {"n":2}',
  ],
  [
    "return [typeof fetch, typeof process, typeof require, typeof setTimeout, typeof std, typeof os].join()",
    "undefined,undefined,undefined,undefined,undefined,undefined",
  ],
])("gives what %j returns", async (code, value) => {
  expect(await run(code)).toMatchObject({ end: "returned", value, log: "" });
});

it("lets a program catch what a tool throws, and keeps its log to itself", async () => {
  const call = () => Promise.reject(new Error('path: "x" does not exist'));
  const code = "console.log('trying', { n: 1 }); try { await tools.read_file() } catch (e) { return e.message }";
  expect(await run(code, { call })).toMatchObject({
    ...{ end: "returned", value: 'path: "x" does not exist', log: 'trying {"n":1}', calls: 1 },
  });
});

it("has as many calls under way as the program makes at once, and lets them go when it ends", async () => {
  const signals: AbortSignal[] = [];
  let letGo: () => void = () => undefined;
  const allMade = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const call: CodeOptions["call"] = async (_tool, _json, signal) => {
    signals.push(signal);
    if (signals.length === 3) letGo();
    await allMade;
    return "";
  };
  const code = "tools.search(); await Promise.all([tools.search(), tools.search()]); return 1";
  expect(await run(code, { call })).toMatchObject({ end: "returned", calls: 3, parallel: 3 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});

it.each<[string, string, Partial<CodeLimits>]>([
  ["time", "console.log('began'); for (;;) {}", { timeMs: 2_000 }],
  ["time", "console.log('began'); for (;;) { try { for (;;) {} } catch {} }", { timeMs: 2_000 }],
  ["time", "console.log('began'); await tools.search(); for (;;) {}", { timeMs: 2_000 }],
  ["time", "console.log('began'); for (;;) await tools.search()", { timeMs: 2_000, calls: 1e9 }],
  ["time", "console.log('began'); for (;;) await null", { timeMs: 2_000 }],
  ["memory", "console.log('began'); const all = []; for (;;) all.push(new Uint8Array(1e6))", {}],
  ["output", "console.log('began'); for (;;) console.log('x'.repeat(1000))", {}],
  ["calls", "console.log('began'); for (;;) await tools.search()", { calls: 3 }],
  ["threw", "console.log('began'); let text = 'x'; for (;;) text += text", {}],
  ["stuck", "console.log('began'); await new Promise(() => {})", {}],
  ["threw", "console.log('began'); const f = () => f(); f()", {}],
  ["threw", "console.log('began'); throw new TypeError('no')", {}],
  ["threw", "console.log('began'); throw 'no'", {}],
])("ends a program for its %s alone, with what it had put out: %s", { timeout: 20_000 }, async (end, code, limits) => {
  const result = await run(code, { limits });
  expect(result).toMatchObject({ end, log: expect.stringMatching(/^began/) });
  expect(await run("return 'still here'")).toMatchObject({ end: "returned", value: "still here" });
});

it("says where a program that is no program went wrong", async () => {
  expect(await run("return (")).toMatchObject({ end: "threw", value: expect.stringContaining("SyntaxError") });
  expect(await run("throw new RangeError('too far')")).toMatchObject({
    ...{ end: "threw", value: expect.stringMatching(/^RangeError: too far\n.*program\.js/) },
  });
});

it("ends with the run", async () => {
  const interrupt = new AbortController();
  const call: CodeOptions["call"] = (_tool, _json, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      interrupt.abort(new Error("stopped by hand"));
    });
  await expect(run("await tools.search()", { call, signal: interrupt.signal })).rejects.toThrow("stopped by hand");
});
