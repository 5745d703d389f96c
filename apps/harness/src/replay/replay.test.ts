import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { runProgram } from "../program.ts";
import { type PlannedTurn, startResponsesPeer } from "../testing/responses-peer.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";

const recorded = (said: string, name: string) => ({
  role: "assistant",
  content: said,
  tool_calls: [{ function: { name, arguments: "{}" } }],
});
const HISTORY = [
  { role: "system", content: "Rules." },
  { role: "user", content: "An issue." },
  recorded("I look.", "open"),
  { role: "tool", content: "first" },
  recorded("I look again.", "open"),
  { role: "tool", content: "second" },
  recorded("I hand it in.", "submit"),
];
const call = (say: string, tool: string): PlannedTurn => ({ say, calls: [{ tool, args: {} }] });

it("goes through a recorded run: each tool answers what it answered then", async () => {
  const played = [call("I look.", "open"), call("I look again.", "open"), call("I hand it in.", "submit")];
  const peer = await startResponsesPeer({ answer: (turn) => played[turn] ?? { say: "That was all." } });
  onTestFinished(() => peer.close());
  const folder = await createTemporaryFolder();
  const file = join(folder, "org-1.traj");
  await writeFile(file, JSON.stringify({ history: HISTORY }));
  let printed = "";
  const exitCode = await runProgram(["replay", file, "--json", "--without", "hints"], {
    env: { CENTSPAN_GATEWAY_URL: peer.url, CENTSPAN_GATEWAY_KEY: "k", CENTSPAN_WORK_DIR: join(folder, "work") },
    version: "1",
    tasksDir: folder,
    input: new PassThrough(),
    print: (text) => {
      printed += text;
    },
    complain: (text) => {
      printed += text;
    },
    signal: new AbortController().signal,
  });
  expect(exitCode, printed).toBe(0);
  const lines = printed
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toMatchObject({ stop: "answered", turns: 4, finalText: "That was all." });
  const [first, , , last] = peer.received.map(({ body }) => body);
  expect(first).toMatchObject({ model: "replay-org-1", instructions: "Rules." });
  expect(first?.tools).toMatchObject([{ name: "open" }, { name: "submit" }]);
  const outputs = last?.input.filter(({ type }) => type === "function_call_output");
  expect(outputs?.map(({ output }) => output)).toEqual(["first", "second", ""]);
  expect(peer.hints).toEqual([]);
});
