/** How Claude Code's histories count: each rule and each right answer by itself, with the numbers that come of it. */
import type { HistoryCase } from "./case.ts";
import {
  answerLine,
  type ClaudeLineOptions,
  otherLine,
  personLine,
  resultLine,
  textBlock,
  toolBlock,
  toUsage,
} from "./write-claude.ts";

const START = Date.parse("2026-11-20T10:00:00Z");
const FOLDER = ".claude/projects/-home-dev-shop";
const file = (session: string): string => `${FOLDER}/${session}.jsonl`;
const agentFile = (session: string, agent: string): string => `${FOLDER}/${session}/subagents/agent-${agent}.jsonl`;

/** The next line of a session: ids and times of its own. */
const at = (session: string, n: number, rest: Partial<ClaudeLineOptions> = {}): ClaudeLineOptions => ({
  session,
  at: START + n * 1000,
  uuid: `${rest.agent ?? session}-${n}`,
  ...rest,
});
const ask = (session: string, n: number, rest: Partial<ClaudeLineOptions> = {}): string =>
  personLine(at(session, n, rest), "Please fix it.");
const answer = (
  session: string,
  n: number,
  said: Parameters<typeof answerLine>[1],
  rest: Partial<ClaudeLineOptions> = {},
): string => answerLine(at(session, n, rest), { request: `req_${said.id}`, ...said });

const small = { input: 10, output: 5 };

export const CLAUDE_CASES: readonly HistoryCase[] = [
  {
    name: "a response written as three lines with output 1, 40, 120 is one call with output 120",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        ...[1, 40, 120].map((output, n) =>
          answer("s1", n + 1, { id: "msg_a", usage: { input: 10, output, read: 100 } }),
        ),
      ],
    },
    expect: {
      calls: 1,
      tokens: { input: 10, cacheRead: 100, outputText: 120 },
      removed: { growing_line: 2 },
      traces: 1,
    },
  },
  {
    name: "the largest usage is kept, also where it does not come last",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        ...[1, 120, 40].map((output, n) => answer("s1", n + 1, { id: "msg_a", usage: { input: 10, output } })),
      ],
    },
    expect: { calls: 1, tokens: { input: 10, outputText: 120 }, removed: { growing_line: 2 } },
  },
  {
    name: "the same message and request in the file of another session counts once",
    files: {
      [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: small })],
      [file("s2")]: [
        ask("s1", 0, { session: "s2" }),
        answer("s1", 1, { id: "msg_a", usage: small }, { session: "s2" }),
        ask("s2", 9),
        answer("s2", 10, { id: "msg_b", usage: small }),
      ],
    },
    expect: {
      calls: 2,
      tokens: { input: 20, outputText: 10 },
      removed: { copied_history: 1, copied_message: 1 },
      turns: 2,
      sessions: { s1: 1, s2: 1 },
      roots: { s1: 2 },
      marks: ["forked 15"],
      traces: 2,
    },
  },
  {
    name: "of two files with the same lines the one that was begun first has them, whatever their names are",
    files: {
      [file("zz")]: [ask("zz", 0), answer("zz", 1, { id: "msg_a", usage: small })],
      [file("aa")]: [
        ask("zz", 0, { session: "aa" }),
        answer("zz", 1, { id: "msg_a", usage: small }, { session: "aa" }),
        ask("aa", 9),
        answer("aa", 10, { id: "msg_b", usage: small }),
      ],
    },
    expect: {
      calls: 2,
      tokens: { input: 20, outputText: 10 },
      sessions: { zz: 1, aa: 1 },
      roots: { zz: 2 },
      marks: ["forked 15"],
      traces: 2,
    },
  },
  {
    name: "a copy that knows more of a response adds what it knows more",
    files: {
      [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: { input: 10, output: 1 } })],
      [file("s2")]: [answer("s2", 5, { id: "msg_a", usage: { input: 10, output: 80 } })],
    },
    expect: { calls: 1, tokens: { input: 10, outputText: 80 }, removed: { growing_line: 1 } },
  },
  {
    name: "without a request id a message counts once within its session, and again in another",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", request: undefined, usage: small }),
        answer("s1", 2, { id: "msg_b", request: undefined, usage: small }),
        answer("s1", 3, { id: "msg_a", request: undefined, usage: small }),
      ],
      [file("s2")]: [ask("s2", 0), answer("s2", 1, { id: "msg_a", request: undefined, usage: small })],
    },
    expect: { calls: 3, tokens: { input: 30, outputText: 15 }, removed: { growing_line: 1 } },
  },
  {
    name: "one message id with two requests, both in the main conversation, is two calls",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", request: "req_1", usage: small }),
        answer("s1", 2, { id: "msg_a", request: "req_2", usage: small }),
      ],
    },
    expect: { calls: 2, tokens: { input: 20, outputText: 10 } },
  },
  {
    name: "a side chain replays a message under a new request: the parent's counts, even if the replay says more",
    files: {
      [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: small })],
      [agentFile("s1", "7")]: [
        ask("s1", 2, { agent: "7" }),
        answer("s1", 3, { id: "msg_a", request: "req_other", usage: { input: 10, output: 900 } }, { agent: "7" }),
        answer("s1", 4, { id: "msg_own", usage: { input: 7, output: 3 } }, { agent: "7" }),
      ],
    },
    expect: { calls: 2, tokens: { input: 17, outputText: 8 }, removed: { side_chain_replay: 1 }, traces: 1 },
  },
  {
    name: "a side chain among the lines of its session, as old releases wrote it",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", usage: small, blocks: [toolBlock("toolu_1", "Task", { prompt: "look" })] }),
        ask("s1", 2, { sidechain: true }),
        answer("s1", 3, { id: "msg_s", usage: { input: 3, output: 4 } }, { sidechain: true }),
        resultLine(at("s1", 4), { tool: "toolu_1", content: "found" }),
        answer("s1", 5, { id: "msg_b", usage: small }),
      ],
    },
    expect: { calls: 3, tokens: { input: 23, outputText: 14 }, turns: 2, toolRuns: 1, traces: 1, sessions: { s1: 3 } },
  },
  {
    name: "a sub-agent's tokens are part of the task's cost, once, though its progress is copied into the session",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", usage: small, blocks: [toolBlock("toolu_1", "Agent", { prompt: "look" })] }),
        otherLine("progress", at("s1", 2), {
          data: {
            type: "agent_progress",
            message: { type: "assistant", message: { id: "msg_s", usage: toUsage({ input: 100, output: 50 }) } },
          },
        }),
        resultLine(at("s1", 9), { tool: "toolu_1", content: "found", about: { agentId: "7", status: "completed" } }),
        answer("s1", 10, { id: "msg_b", usage: small }),
      ],
      [agentFile("s1", "7")]: [
        ask("s1", 2, { agent: "7" }),
        answer("s1", 3, { id: "msg_s", usage: { input: 100, output: 50 } }, { agent: "7" }),
      ],
      [agentFile("s1", "7").replace(".jsonl", ".meta.json")]: JSON.stringify({
        agentType: "Explore",
        description: "x",
      }),
    },
    expect: {
      calls: 3,
      tokens: { input: 120, outputText: 60 },
      removed: { copied_message: 1 },
      turns: 2,
      sessions: { s1: 3 },
      traces: 1,
    },
  },
  {
    name: "agents of two sessions with one id are two agents, each below its own session",
    files: {
      [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: small })],
      [file("s2")]: [ask("s2", 0), answer("s2", 1, { id: "msg_b", usage: small })],
      [agentFile("s1", "7")]: [answer("s1", 3, { id: "msg_c", usage: small }, { agent: "7", uuid: "x" })],
      [agentFile("s2", "7")]: [answer("s2", 3, { id: "msg_d", usage: small }, { agent: "7", uuid: "y" })],
    },
    expect: { calls: 4, tokens: { input: 40, outputText: 20 }, sessions: { s1: 2, s2: 2 }, traces: 2 },
  },
  {
    name: "an agent's file beside its session's, as older releases wrote it",
    files: {
      [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: small })],
      [`${FOLDER}/agent-7.jsonl`]: [answer("s1", 3, { id: "msg_c", usage: small }, { agent: "7" })],
    },
    expect: { calls: 2, tokens: { input: 20, outputText: 10 }, sessions: { s1: 2 }, traces: 1 },
  },
  {
    name: "<synthetic> is no model, and what the client says of an error is no call",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        otherLine("system", at("s1", 1), { subtype: "api_error", retryAttempt: 1 }),
        answer("s1", 2, { id: "msg_x", model: "<synthetic>", usage: { input: 0, output: 0 } }),
        answer("s1", 3, { id: "msg_y", usage: { input: 9, output: 9 } }, { extra: { isApiErrorMessage: true } }),
        answer("s1", 4, { id: "msg_a", usage: small }),
      ],
    },
    expect: { calls: 1, tokens: { input: 10, outputText: 5 }, removed: { synthetic: 2 } },
  },
  {
    name: "a fork's copied lines are the first session's, whichever file is read first",
    files: {
      [file("zz")]: [ask("zz", 0), answer("zz", 1, { id: "msg_a", usage: small })],
      [file("aa")]: [
        ask("aa", 0, { extra: { forkedFrom: { sessionId: "zz", messageUuid: "zz-0" } } }),
        answer(
          "aa",
          1,
          { id: "msg_a", usage: small },
          { extra: { forkedFrom: { sessionId: "zz", messageUuid: "zz-1" } } },
        ),
        ask("aa", 5),
        answer("aa", 6, { id: "msg_b", usage: small }),
      ],
    },
    expect: {
      calls: 2,
      tokens: { input: 20, outputText: 10 },
      removed: { copied_history: 1, copied_message: 1 },
      turns: 2,
      sessions: { zz: 1, aa: 1 },
      roots: { zz: 2 },
      marks: ["forked 15"],
      traces: 2,
    },
  },
  {
    name: "a resumed conversation that writes its cache again is paid twice: two calls, each with its own request",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", usage: { input: 4, output: 5, write5m: 40_000 } }),
        JSON.stringify({ type: "last-prompt", lastPrompt: "Please fix it.", leafUuid: "s1-1", sessionId: "s1" }),
        ask("s1", 4000),
        answer("s1", 4001, { id: "msg_b", usage: { input: 4, output: 5, write5m: 40_100 } }),
      ],
    },
    expect: {
      marks: ["resumed 40009"],
      calls: 2,
      tokens: { input: 8, outputText: 10, cacheWrite5m: 80_100 },
      turns: 2,
      traces: 2,
    },
  },
  {
    name: "cache writes by how long they live, searches, and the output's thinking inside of it",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, {
          id: "msg_a",
          usage: { input: 4, output: 50, read: 7, write5m: 30, write1h: 200, searches: 2 },
        }),
      ],
    },
    expect: {
      calls: 1,
      tokens: { input: 4, outputText: 50, cacheRead: 7, cacheWrite5m: 30, cacheWrite1h: 200, webSearches: 2 },
    },
  },
  {
    name: "what a compaction within the request took is part of it; a model asked for advice is a call of its own",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, {
          id: "msg_a",
          usage: {
            input: 23_000,
            output: 1_000,
            iterations: [
              { type: "compaction", input_tokens: 180_000, output_tokens: 3_500 },
              { type: "message", input_tokens: 23_000, output_tokens: 1_000 },
              {
                type: "advisor_message",
                model: "claude-opus-5-5",
                input_tokens: 900,
                output_tokens: 70,
                cache_read_input_tokens: 50,
              },
            ],
          },
        }),
      ],
    },
    expect: { calls: 2, tokens: { input: 203_900, cacheRead: 50, outputText: 4_570 }, traces: 1 },
  },
  {
    name: "a compaction's summary is no message of a person's",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", usage: small }),
        otherLine("system", at("s1", 2), {
          subtype: "compact_boundary",
          compactMetadata: { trigger: "auto", preTokens: 155_000 },
        }),
        ask("s1", 3, { extra: { isCompactSummary: true } }),
        ask("s1", 4, { extra: { isMeta: true } }),
        answer("s1", 5, { id: "msg_b", usage: small }),
      ],
    },
    expect: { calls: 2, tokens: { input: 20, outputText: 10 }, turns: 1, traces: 1 },
  },
  {
    name: "lines that are broken or something else are counted by name, and what is around them counts",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        '{"type":"assistant","message":{"id":"msg_x","usage":{"input_tok',
        "[1,2]",
        '{"kind":"unknown"}',
        '{"type":"user","sessionId":"s1"}',
        answer("s1", 1, { id: "msg_a", usage: small }),
        "",
      ],
    },
    expect: {
      calls: 1,
      tokens: { input: 10, outputText: 5 },
      problems: ["2 broken_json", "3 not_an_object", "4 unknown_shape", "5 unknown_shape"],
    },
  },
  {
    name: "a last line that is still being written is read when it is whole",
    files: { [file("s1")]: `${ask("s1", 0)}\n${answer("s1", 1, { id: "msg_a", usage: small }).slice(0, 90)}` },
    later: { [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: small })] },
    expect: { calls: 1, tokens: { input: 10, outputText: 5 }, unfinished: 1 },
  },
  {
    name: "a file that grew adds what came, and a response that went on growing adds the rest of it",
    files: { [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: { input: 10, output: 1 } })] },
    later: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", usage: { input: 10, output: 1 } }),
        answer("s1", 2, { id: "msg_a", usage: { input: 10, output: 60 } }),
        ask("s1", 3),
        answer("s1", 4, { id: "msg_b", usage: small }),
      ],
    },
    expect: { calls: 2, tokens: { input: 20, outputText: 65 }, turns: 2 },
  },
  {
    name: "a file that was written anew counts only what is new in it",
    files: { [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: small })] },
    later: {
      [file("s1")]: [
        otherLine("summary", at("s1", 0), { summary: "x" }),
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", usage: small }),
        answer("s1", 2, { id: "msg_b", usage: small }),
      ],
    },
    expect: { calls: 2, tokens: { input: 20, outputText: 10 }, turns: 1 },
  },
  {
    name: "one home with the folder of two releases, and the same session in both",
    files: {
      [file("s1")]: [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: small })],
      ".config/claude/projects/-home-dev-shop/s1.jsonl": [ask("s1", 0), answer("s1", 1, { id: "msg_a", usage: small })],
    },
    expect: { calls: 1, tokens: { input: 10, outputText: 5 } },
  },
  {
    name: "a pull request that is written again and again is one; where a session worked is what its lines say, not its folder",
    files: {
      ".claude/projects/-home-dev-my-shop/s1.jsonl": [
        ask("s1", 0, { cwd: "/home/dev/my.shop" }),
        ...[1, 2, 3].map((n) =>
          JSON.stringify({
            type: "pr-link",
            sessionId: "s1",
            prNumber: 12,
            prUrl: "https://git.example/o/r/pull/12",
            prRepository: "o/r",
            timestamp: new Date(START + n).toISOString(),
          }),
        ),
        answer("s1", 1, { id: "msg_a", usage: small }, { cwd: "/home/dev/my.shop" }),
      ],
    },
    expect: { calls: 1, tokens: { input: 10, outputText: 5 } },
  },
  {
    name: "an answer without usage is a call of unknown usage, never a free one",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", usage: small }).replace(/"usage":\{.*?"speed":"standard"\}/, '"usage":null'),
      ],
    },
    expect: { calls: 1, tokens: {}, quarantined: 1 },
  },
  {
    name: "counts that contradict each other are set aside, not clamped",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, { id: "msg_a", usage: { input: -4, output: 5 } }),
        answer("s1", 2, { id: "msg_b", usage: { input: 4, output: 5, write5m: -20, write1h: 30 } }),
        answer("s1", 3, { id: "msg_c", usage: small }),
      ],
    },
    expect: { calls: 3, tokens: { input: 10, outputText: 5 }, quarantined: 2 },
  },
  {
    name: "a tool's run: a failing test run, then a passing one, and a tool that was interrupted",
    files: {
      [file("s1")]: [
        ask("s1", 0),
        answer("s1", 1, {
          id: "msg_a",
          usage: small,
          blocks: [toolBlock("toolu_1", "Bash", { command: "cd web && npx vitest run" })],
        }),
        resultLine(at("s1", 5), {
          tool: "toolu_1",
          content: "Exit code 1\n Tests  2 failed | 9 passed (11)",
          isError: true,
        }),
        answer("s1", 6, {
          id: "msg_b",
          usage: small,
          blocks: [toolBlock("toolu_2", "Bash", { command: "cd web && npx vitest run" })],
        }),
        resultLine(at("s1", 9), { tool: "toolu_2", content: " Tests  11 passed (11)" }),
        answer("s1", 10, {
          id: "msg_c",
          usage: small,
          blocks: [textBlock("wait"), toolBlock("toolu_3", "Read", { file_path: "a" })],
        }),
        ask("s1", 20),
        answer("s1", 21, { id: "msg_d", usage: small }),
      ],
    },
    expect: {
      calls: 4,
      tokens: { input: 40, outputText: 20 },
      toolRuns: 3,
      turns: 2,
      traces: 2,
      tests: ["failed 9/2", "passed 11/null"],
    },
  },
  {
    name: "an empty file, and one without a single answer",
    files: { [file("s1")]: "", [file("s2")]: [ask("s2", 0)] },
    expect: { calls: 0, tokens: {}, turns: 1, traces: 0 },
  },
];
