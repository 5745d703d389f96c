import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Conversation, ConversationItem } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { withHandover } from "./player.ts";
import { loadPlayers } from "./registry.ts";
import { createReplayPlayer, loadReplayPlayer } from "./replay.ts";
import { createScriptedPlayers } from "./scripted.ts";
import { SCRIPTS } from "./scripts.gen.ts";

const user = (text: string): ConversationItem => ({ type: "message", role: "user", text });
const assistant = (text: string): ConversationItem => ({ type: "message", role: "assistant", text });
const call = (callId: string, name: string): ConversationItem => ({
  type: "tool_call",
  callId,
  name,
  argumentsJson: "{}",
});
const result = (callId: string, output: string): ConversationItem => ({ type: "tool_result", callId, output });
const conversation = (...items: ConversationItem[]): Conversation => ({ instructions: "", tools: [], items });

const step = (say: string, ...tools: string[]) => ({
  say,
  reasoning: `about ${say}`,
  calls: tools.map((tool) => ({ tool, args: { of: say } })),
});
const player = (name: string) => ({
  steps: [
    step(`${name} one`, "run_tests", "read_file"),
    step(`${name} two`, "edit_file"),
    step(`${name} three`, "run_tests"),
  ],
  passed: `${name} is done`,
  failed: `${name} gives up`,
});
const script = { task: "a-task", players: { strong: player("strong"), cheap: player("cheap") } };

describe("scripted players", () => {
  const [strong, cheap] = createScriptedPlayers([script]);
  const ask = (...items: ConversationItem[]) =>
    strong?.answer(conversation(user("Task: a-task\nRepository: r\n\nIt fails."), ...items));
  const turnOne = [assistant("strong one"), call("c1", "run_tests"), call("c2", "read_file")];

  it("are models named after the scripts' players", () => {
    expect([strong?.model, cheap?.model]).toEqual(["scripted-strong", "scripted-cheap"]);
  });

  it("answer turn by turn, parallel calls being one turn", () => {
    expect(ask()).toEqual({
      text: "strong one",
      reasoning: "about strong one",
      toolCalls: [
        { name: "run_tests", argumentsJson: '{"of":"strong one"}' },
        { name: "read_file", argumentsJson: '{"of":"strong one"}' },
      ],
    });
    const results = [result("c1", "exit code: 1\n1 failed"), result("c2", "exit code: 0\nin a file that says so")];
    expect(ask(...turnOne, ...results)?.text).toBe("strong two");
    const turnTwo = [assistant("strong two"), call("c3", "edit_file"), result("c3", "edited")];
    expect(ask(...turnOne, ...results, ...turnTwo)?.text).toBe("strong three");
  });

  it("end when the newest test run passed, whatever an older one said", () => {
    const passed = [result("c1", "exit code: 0\nall passed"), result("c2", "text")];
    expect(ask(...turnOne, ...passed)).toEqual({ text: "strong is done", reasoning: "", toolCalls: [] });
    const again = [assistant("strong two"), call("c3", "run_tests"), result("c3", "exit code: 1\n")];
    expect(ask(...turnOne, ...passed, ...again)?.text).toBe("strong three");
    expect(ask(...turnOne, result("c1", "exit code: 01"), result("c2", ""))?.text).toBe("strong two");
  });

  it("give up after the last step", () => {
    const turns = [1, 2, 3].flatMap((n) => [assistant(`turn ${n}`), user("go on")]);
    expect(ask(...turns)?.text).toBe("strong gives up");
  });

  it("admit that they know nothing else", () => {
    expect(strong?.answer(conversation(user("Task: another"))).text).toMatch(/only know its bundled tasks/);
    expect(strong?.answer(conversation(user("hello"))).toolCalls).toEqual([]);
  });

  it("refuse a script with a fault, naming it", () => {
    const broken = { ...script, players: { strong: { ...player("s"), steps: [{ ...step("x"), says: "typo" }] } } };
    expect(() => createScriptedPlayers([broken])).toThrow(/says/);
  });
});

describe("replay", () => {
  const recorded = (content: string, completion: number, reasoning: number) => ({
    role: "assistant",
    content,
    extra: {
      response: {
        usage: { completion_tokens: completion, completion_tokens_details: { reasoning_tokens: reasoning } },
      },
    },
  });
  const trajectory = {
    trajectory_format: "mini-swe-agent-1",
    instance_id: "org__repo-1",
    info: { exit_status: "Submitted" },
    messages: [
      { role: "system", content: "s" },
      { role: "user", content: "u" },
      recorded("first", 30, 20),
      { role: "user", content: "r" },
      recorded("second", 9, 0),
    ],
  };

  it("gives the n-th recorded answer at turn n, with the tokens it took", () => {
    const replay = createReplayPlayer(JSON.stringify(trajectory), "file");
    expect(replay.model).toBe("replay-org__repo-1");
    expect(replay.answer(conversation(user("u")))).toMatchObject({
      text: "first",
      recorded: { outputTokens: 30, reasoningTokens: 20 },
    });
    const later = conversation(user("u"), assistant("first"), user("r"));
    expect(replay.answer(later)).toMatchObject({ text: "second", recorded: { outputTokens: 9, reasoningTokens: 0 } });
    const ended = conversation(user("u"), assistant("first"), user("r"), assistant("second"), user("r"));
    expect(replay.answer(ended).text).toMatch(/has 2 answers/);
  });

  it("calls the recorded tools of an agent that has them", () => {
    const file = { ...trajectory, messages: [recorded("I look.\n```bash\nls\n```", 30, 20)] };
    const replay = createReplayPlayer(JSON.stringify(file), "file");
    const tools = [{ name: "bash", description: "", parametersJson: "{}" }];
    const call = { name: "bash", argumentsJson: '{"command":"ls"}' };
    const asked = conversation(user("u"));
    expect(replay.answer({ ...asked, tools })).toMatchObject({ text: "I look.", toolCalls: [call] });
    expect(replay.answer(asked)).toMatchObject({ text: "I look.\n```bash\nls\n```", toolCalls: [] });
  });

  it("refuses what is no trajectory, naming the place", async () => {
    expect(() => createReplayPlayer("{", "run.json")).toThrow(/run.json:1:2: is not valid JSON/);
    const broken = { ...trajectory, messages: [recorded("x", 10, 10)] };
    expect(() => createReplayPlayer(JSON.stringify(broken), "run.json")).toThrow(/no token for the visible answer/);
    await expect(loadReplayPlayer("/nowhere.json")).rejects.toThrow(/nowhere.json can't be read/);
  });
});

it("goes on after a handover where the conversation was cut", () => {
  const replay = withHandover(
    createReplayPlayer(
      JSON.stringify({
        trajectory_format: "centspan-run-1",
        instance_id: "r",
        turns: ["one", "two", "three", "four"].map((text) => ({ text, calls: [], outputTokens: null })),
      }),
      "file",
    ),
  );
  const before = [
    user("task"),
    assistant("one"),
    user("r"),
    assistant("two"),
    user("r"),
    assistant("three"),
    user("r"),
  ];
  const handover = replay.answer(conversation(...before, user("Handover request: write down"))).text;
  const cut = [user("task"), user(`Handover: cut\n\n${handover}`), assistant("three"), user("r")];
  expect(replay.answer(conversation(...cut)).text).toBe("four");
  const again = replay.answer(conversation(...cut, user("Handover request: once more"))).text;
  expect(again).toBe(handover);
});

it("bundles every script file; run `npx tsx build-scripts.ts` when this fails", () => {
  const folder = new URL("../../scripts/", import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  const scripts = files.map((file): unknown => JSON.parse(readFileSync(new URL(file, folder), "utf8")));
  expect(SCRIPTS).toEqual(scripts);
  expect(scripts.length).toBeGreaterThanOrEqual(12);
});

it("serves the bundled scripts under both models", async () => {
  const players = await loadPlayers([]);
  expect(players.models).toEqual(["scripted-cheap", "scripted-optimizer", "scripted-strong", "scripted-tools"]);
  const turn = players.find("scripted-cheap").answer(conversation(user("Task: money-half-even\n\nWrong cents.")));
  expect(turn.toolCalls.length).toBeGreaterThan(0);
  expect(() => players.find("o1")).toThrow(
    /known: scripted-cheap, scripted-optimizer, scripted-strong, scripted-tools/,
  );
});

const shared = process.env.CENTSPAN_SHARED;
it.skipIf(shared === undefined)("replays a real recorded run (needs CENTSPAN_SHARED)", async () => {
  const file = `${shared}/data/trajectories/mini-swe-agent-gemini-3-pro/django__django-10999.traj.json`;
  expect(existsSync(file), `${file} is missing`).toBe(true);
  const replay = await loadReplayPlayer(file);
  const { messages } = JSON.parse(readFileSync(file, "utf8"));
  const items: ConversationItem[] = [];
  let outputTokens = 0;
  for (const message of messages) {
    if (message.role !== "assistant") items.push(user(message.content));
    else {
      const turn = replay.answer(conversation(...items));
      expect(turn.text).toBe(message.content);
      outputTokens += turn.recorded?.outputTokens ?? 0;
      items.push(assistant(turn.text));
    }
  }
  const sum = (total: number, m: { extra?: { response: { usage: { completion_tokens: number } } } }): number =>
    total + (m.extra?.response.usage.completion_tokens ?? 0);
  expect(outputTokens).toBe(messages.reduce(sum, 0));
});
