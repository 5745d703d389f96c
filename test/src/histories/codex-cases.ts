/** How Codex's rollouts count: each rule and each right answer by itself, with the numbers that come of it. */
import type { HistoryCase } from "./case.ts";
import {
  addUsage,
  type CodexUsage,
  createRollout,
  type Rollout,
  type RolloutOptions,
  sumUsage,
  toCounts,
} from "./write-codex.ts";

const START = Date.parse("2026-11-20T10:00:00Z");
const DAY = ".codex/sessions/2026/11/20";
const idOf = (n: number): string => `01a22dc3-0000-7000-8000-${String(n).padStart(12, "0")}`;
const file = (n: number, folder = DAY): string =>
  `${folder}/rollout-2026-11-20T10-${String(n).padStart(2, "0")}-00-${idOf(n)}.jsonl`;

const rollout = (n: number, write: (to: Rollout) => void, rest: Partial<RolloutOptions> = {}): string[] => {
  const to = createRollout({ thread: idOf(n), at: START + n * 60_000, ...rest });
  write(to);
  return to.lines;
};
const OLD = { isNumbered: false };

const small: CodexUsage = { input: 100, cached: 60, output: 20, reasoning: 5 };
const SMALL = { input: 40, cacheRead: 60, outputText: 15, outputReasoning: 5 };
const times = (count: number): typeof SMALL => ({
  input: 40 * count,
  cacheRead: 60 * count,
  outputText: 15 * count,
  outputReasoning: 5 * count,
});
/** Of a response that nobody else has. */
const size = (n: number): CodexUsage => ({ input: 1000 + n, output: 10 });

/** A thread of an old release: a message, and responses known by their counts alone. */
const oldTurn = (to: Rollout, name: string, usages: readonly CodexUsage[]): void => {
  to.context(`turn-${name}`);
  to.user(`Do ${name}`);
  for (const [n, usage] of usages.entries()) {
    to.call(`call_${name}_${n}`, "shell", { command: ["bash", "-lc", "ls"] });
    to.output(`call_${name}_${n}`, "listing");
    to.count(usage);
  }
};

const newTurn = (to: Rollout, name: string, usages: readonly CodexUsage[]): void => {
  to.context(`turn-${name}`);
  to.user(`Do ${name}`);
  for (const [n, usage] of usages.entries()) {
    to.call(`call_${name}_${n}`, "exec_command", { cmd: "ls" });
    to.record(`resp_${name}_00000000${n}`, usage);
    to.output(`call_${name}_${n}`, "Process exited with code 0\nOutput:\nlisting");
    to.count(usage);
  }
  to.done(`turn-${name}`);
};

/** What the parent wrote, as a fork of it writes it again: with the same times or with its own. */
const replay = (to: Rollout, parent: readonly string[], redate: boolean): void => {
  for (const line of parent) {
    const { type, payload, timestamp } = JSON.parse(line);
    if (redate) to.add(type, payload);
    else to.lines.push(JSON.stringify({ timestamp, type, payload }));
  }
};

const parentUsages = [size(1), size(2), { input: 97_950, output: 17 }];
const parent = rollout(
  1,
  (to) => {
    to.meta();
    oldTurn(to, "parent", parentUsages);
  },
  OLD,
);
const parentTotal = sumUsage(parentUsages);
const ownUsages = [
  { input: 20_000, output: 30 },
  { input: 29_960, output: 10 },
];

const forkOf = (
  n: number,
  redate: boolean | null,
  name = "fork",
  usages: readonly CodexUsage[] = ownUsages,
): string[] =>
  rollout(
    n,
    (to) => {
      to.meta({ forked_from_id: idOf(1) });
      to.startFrom(parentTotal);
      if (redate !== null) replay(to, parent, redate);
      oldTurn(to, name, usages);
    },
    OLD,
  );

const agentMeta = (n: number): Record<string, unknown> => ({
  parent_thread_id: idOf(n),
  agent_role: "explorer",
  source: { subagent: { thread_spawn: { parent_thread_id: idOf(n), depth: 1 } } },
});

const forkTotals = {
  calls: 5,
  tokens: { input: parentTotal.input + 49_960, outputText: parentTotal.output + 40 },
  traces: 2,
};

/** 45 agents that each copied what their parent had: the error of 91 times that is on record. */
const manyUsages = Array.from({ length: 20 }, (_, n) => size(n));
const manyParent = rollout(
  1,
  (to) => {
    to.meta();
    oldTurn(to, "parent", manyUsages);
  },
  OLD,
);
const manyFiles = Object.fromEntries(
  Array.from({ length: 45 }, (_, n) => [
    file(n + 2),
    rollout(
      n + 2,
      (to) => {
        to.meta(agentMeta(1));
        replay(to, manyParent, true);
        to.startFrom(sumUsage(manyUsages));
        oldTurn(to, `agent ${n}`, [small]);
      },
      OLD,
    ),
  ]),
);

export const CODEX_CASES: readonly HistoryCase[] = [
  {
    name: "Codex: records name their responses; what follows as a snapshot adds nothing",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small, small]);
      }),
    },
    expect: { calls: 2, tokens: times(2), turns: 1, toolRuns: 2, traces: 1, sessions: { [idOf(1)]: 2 } },
  },
  {
    name: "Codex: a response id counts once, in one file and in two",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
        to.record("resp_a_000000000", small);
      }),
      [file(2)]: rollout(2, (to) => {
        to.meta({ forked_from_id: idOf(1) });
        newTurn(to, "a", [small]);
        newTurn(to, "c", [small]);
      }),
    },
    expect: { calls: 2, tokens: times(2), removed: { same_response: 1, copied_history: 2, copied_message: 1 } },
  },
  {
    name: "Codex: a snapshot that comes before its record is of the same response",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        to.context("t");
        to.user("Do it");
        to.count(small, true);
        to.startFrom({ input: 0, output: 0, cached: 0, written: 0, reasoning: 0 });
        to.record("resp_000000000001", small);
      }),
    },
    expect: { calls: 1, tokens: SMALL },
  },
  {
    name: "Codex: cumulative snapshots are not added up, and one written again is none",
    files: {
      [file(1)]: rollout(
        1,
        (to) => {
          to.meta();
          oldTurn(to, "a", [small, size(1)]);
          to.count(size(1), false);
          to.count(size(1), false);
        },
        OLD,
      ),
    },
    expect: { calls: 2, tokens: { ...SMALL, input: 1041, outputText: 25 }, removed: { repeated_snapshot: 2 } },
  },
  {
    name: "Codex: where only totals are written, their differences count",
    files: {
      [file(1)]: rollout(
        1,
        (to) => {
          to.meta();
          oldTurn(to, "a", [small, small, size(3)]);
        },
        OLD,
      ).map((line) => line.replace(/"last_token_usage":\{[^}]*\},/, "")),
    },
    expect: { calls: 3, tokens: { ...times(2), input: 1083, outputText: 40 } },
  },
  {
    name: "Codex: a fork of a 100,000-token thread that goes on to 150,000 is 150,000 in all (replayed with its own times)",
    files: { [file(1)]: parent, [file(2)]: forkOf(2, true) },
    expect: {
      ...forkTotals,
      removed: { copied_history: 6, copied_message: 1 },
      turns: 2,
      roots: { [idOf(1)]: 5 },
      marks: ["forked 97967"],
    },
  },
  {
    name: "Codex: the same with the original times",
    files: { [file(1)]: parent, [file(2)]: forkOf(2, false) },
    expect: { ...forkTotals, turns: 2 },
  },
  {
    name: "Codex: the same where the fork replays nothing",
    files: { [file(1)]: parent, [file(2)]: forkOf(2, null) },
    expect: { ...forkTotals, turns: 2, removed: {} },
  },
  {
    name: "Codex: the same with totals alone",
    files: {
      [file(1)]: parent.map((line) => line.replace(/"last_token_usage":\{[^}]*\},/, "")),
      [file(2)]: forkOf(2, null).map((line) => line.replace(/"last_token_usage":\{[^}]*\},/, "")),
    },
    expect: { ...forkTotals, turns: 2 },
  },
  {
    name: "Codex: a fork of a fork replays both",
    files: {
      [file(1)]: parent,
      [file(2)]: forkOf(2, true),
      [file(3)]: rollout(
        3,
        (to) => {
          to.meta({ forked_from_id: idOf(2) });
          replay(to, forkOf(2, true), true);
          to.startFrom(addUsage(parentTotal, sumUsage(ownUsages)));
          oldTurn(to, "third", [size(9)]);
        },
        OLD,
      ),
    },
    expect: {
      calls: 6,
      tokens: { input: forkTotals.tokens.input + 1009, outputText: forkTotals.tokens.outputText + 10 },
      turns: 3,
      traces: 3,
    },
  },
  {
    name: "Codex: two forks of a thread whose file is gone: what both replay counts once",
    files: { [file(2)]: forkOf(2, true, "one"), [file(3)]: forkOf(3, true, "two", [size(7)]) },
    expect: {
      calls: 6,
      tokens: { input: forkTotals.tokens.input + 1007, outputText: forkTotals.tokens.outputText + 10 },
      turns: 3,
    },
  },
  {
    name: "Codex: a parent's file that turns up later adds only what its fork had not brought",
    files: { [file(2)]: forkOf(2, true) },
    later: {
      [file(1)]: [
        ...parent,
        ...rollout(
          1,
          (to) => {
            to.startFrom(parentTotal);
            oldTurn(to, "more", [size(5)]);
          },
          OLD,
        ),
      ],
      [file(2)]: forkOf(2, true),
    },
    expect: {
      calls: 6,
      tokens: { input: forkTotals.tokens.input + 1005, outputText: forkTotals.tokens.outputText + 10 },
    },
  },
  {
    name: "Codex: an agent whose copied history is numbered off counts what is its own, in its caller's trace",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
      }),
      [file(2)]: rollout(2, (to) => {
        to.meta({ ...agentMeta(1), session_id: idOf(1), subagent_history_start_ordinal: 9 });
        to.context("turn-a");
        to.user("Do a");
        to.record("resp_a_000000000", small, idOf(1));
        to.count(small, false);
        to.record("resp_other_00000", size(1), idOf(1));
        to.count(size(1), false);
        to.user("Explore");
        to.context("turn-agent");
        to.record("resp_own_0000000", size(2));
        to.count(size(2));
      }),
    },
    expect: {
      calls: 2,
      tokens: { ...SMALL, input: 1042, outputText: 25 },
      sessions: { [idOf(1)]: 2 },
      traces: 1,
    },
  },
  {
    name: "Codex: 45 agents that each copied their parent's 20 responses are 65 responses, not 965",
    files: { [file(1)]: manyParent, ...manyFiles },
    expect: {
      calls: 65,
      tokens: { input: 40 * 45 + 20_190, cacheRead: 60 * 45, outputText: 200 + 15 * 45, outputReasoning: 5 * 45 },
      removed: { copied_history: 45 * 40, copied_message: 45 },
      traces: 1,
    },
  },
  {
    name: "Codex: agents that were told the same, and took the same, are as many as they are",
    files: {
      [file(1)]: rollout(
        1,
        (to) => {
          to.meta();
          oldTurn(to, "parent", [size(1)]);
        },
        OLD,
      ),
      ...Object.fromEntries(
        [2, 3, 4].map((n) => [
          file(n),
          rollout(
            n,
            (to) => {
              to.meta(agentMeta(1));
              to.context("t");
              to.user("Look");
              to.count(small);
            },
            OLD,
          ),
        ]),
      ),
    },
    expect: { calls: 4, tokens: { ...times(3), input: 1121, outputText: 55 }, traces: 1 },
  },
  {
    name: "Codex: agents with a copied history, told the same and taking the same, differ by the tools they called",
    files: {
      [file(1)]: parent,
      ...Object.fromEntries(
        [2, 3].map((n) => [
          file(n),
          rollout(
            n,
            (to) => {
              to.meta(agentMeta(1));
              replay(to, parent, true);
              to.startFrom(parentTotal);
              to.context("t");
              to.user("Look");
              to.call(`call_own_${n}`, "shell", { command: ["ls"] });
              to.output(`call_own_${n}`, "x");
              to.count(small);
            },
            OLD,
          ),
        ]),
      ),
    },
    expect: {
      calls: 5,
      tokens: { ...times(2), input: parentTotal.input + 80, outputText: parentTotal.output + 30 },
      traces: 1,
    },
  },
  {
    name: "Codex: the same where their caller's file is gone: what they copied counts once",
    files: Object.fromEntries(
      [2, 3].map((n) => [
        file(n),
        rollout(
          n,
          (to) => {
            to.meta(agentMeta(1));
            replay(to, parent, true);
            to.startFrom(parentTotal);
            to.context("t");
            to.user("Look");
            to.call(`call_own_${n}`, "shell", { command: ["ls"] });
            to.output(`call_own_${n}`, "x");
            to.count(small);
          },
          OLD,
        ),
      ]),
    ),
    expect: {
      calls: 5,
      tokens: { ...times(2), input: parentTotal.input + 80, outputText: parentTotal.output + 30 },
    },
  },
  {
    name: "Codex: agents without a copied history and without their caller's file",
    files: Object.fromEntries(
      [2, 3, 4].map((n) => [
        file(n),
        rollout(
          n,
          (to) => {
            to.meta(agentMeta(1));
            to.context("t");
            to.user("Look");
            to.count(small);
          },
          OLD,
        ),
      ]),
    ),
    expect: { calls: 3, tokens: times(3) },
  },
  {
    name: "Codex: threads that have nothing to do with each other count each, whatever they have in common",
    files: Object.fromEntries(
      [1, 2].map((n) => [
        file(n),
        rollout(
          n,
          (to) => {
            to.meta();
            to.context(`t${n}`);
            to.user("Do it");
            to.count(small);
            to.count(size(1));
          },
          OLD,
        ),
      ]),
    ),
    expect: { calls: 4, tokens: { ...times(2), input: 2082, outputText: 50 }, traces: 2 },
  },
  {
    name: "Codex: a total that begins anew, and a window that was filled up, take nothing from what counts",
    files: {
      [file(1)]: rollout(
        1,
        (to) => {
          to.meta();
          oldTurn(to, "a", [small, small]);
          to.add("compacted", { message: "" });
          to.startFrom({ input: 0, output: 0, cached: 0, written: 0, reasoning: 0 });
          oldTurn(to, "b", [small]);
          const full = { ...toCounts({ input: 0, output: 0 }), total_tokens: 258_400 };
          to.add("event_msg", { type: "token_count", info: { total_token_usage: full, last_token_usage: full } });
        },
        OLD,
      ),
    },
    expect: { calls: 3, tokens: times(3), turns: 2 },
  },
  {
    name: "Codex: a thread begun by an old release and taken up by a new one",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        to.context("t1");
        to.user("Do it");
        to.count(small, true);
        newTurn(to, "b", [size(1), size(2)]);
      }),
    },
    expect: { calls: 3, tokens: { ...SMALL, input: 2043, outputText: 35 }, turns: 2 },
  },
  {
    name: "Codex: plain and compressed, live and archived: one thread, of which the plain file is read",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small, small]);
      }),
      [`${file(1)}.zst`]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
      }),
      [file(1, ".codex/archived_sessions")]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
      }),
      [`${file(2, ".codex/archived_sessions")}.zst`]: rollout(2, (to) => {
        to.meta();
        newTurn(to, "z", [size(1)]);
      }),
    },
    expect: { calls: 3, tokens: { ...times(2), input: 1081, outputText: 40 }, removed: {} },
  },
  {
    name: "Codex: a thread that was compressed since, and went on",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
      }),
    },
    later: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
        newTurn(to, "b", [size(1)]);
      }),
      [`${file(1)}.zst`]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
      }),
    },
    expect: { calls: 2, tokens: { ...SMALL, input: 1041, outputText: 25 }, removed: {} },
  },
  {
    name: "Codex: lines that tell of limits alone are no calls",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
        const primary = { used_percent: 12.5, window_minutes: 300, resets_at: 1_796_070_000 };
        to.count(null, false, { rate_limits: { primary, secondary: null } });
        to.count(null, false, { rate_limits: { primary, secondary: null } });
      }),
    },
    expect: { calls: 1, tokens: SMALL, removed: {} },
  },
  {
    name: "Codex: an answer that was broken off has tools, and nothing that it took",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [small]);
        to.context("t2");
        to.user("Go on");
        to.call("c9", "exec_command", { cmd: "sleep 99" });
        to.output("c9", "aborted");
        to.call("c10", "exec_command", { cmd: "sleep 99" });
        to.add("event_msg", { type: "turn_aborted", turn_id: "t2", reason: "interrupted" });
      }),
    },
    expect: { calls: 1, tokens: SMALL, toolRuns: 3, turns: 2, traces: 2 },
  },
  {
    name: "Codex: counts that don't add up are set aside, not clamped",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [{ input: 10, output: 5, reasoning: 50 }, small]);
      }),
    },
    expect: { calls: 2, tokens: SMALL, quarantined: 1 },
  },
  {
    name: "Codex: writes to the cache are a part of the input",
    files: {
      [file(1)]: rollout(1, (to) => {
        to.meta();
        newTurn(to, "a", [{ input: 100, cached: 30, written: 50, output: 9 }]);
      }),
    },
    expect: { calls: 1, tokens: { input: 20, cacheRead: 30, cacheWrite5m: 50, outputText: 9 } },
  },
  {
    name: "Codex: broken lines, unknown lines, and a file without a header",
    files: {
      [file(1)]: [
        ...rollout(1, (to) => newTurn(to, "a", [small])),
        '{"timestamp":"2026-11-20T10:00:00Z","type":"response_item","payl',
        '{"timestamp":"2026-11-20T10:00:00Z","type":"new_kind"}',
        JSON.stringify({ timestamp: "2026-11-20T10:00:00Z", type: "new_kind", payload: {} }),
      ],
    },
    expect: { calls: 1, tokens: SMALL, problems: ["9 broken_json", "10 unknown_shape"], sessions: { [idOf(1)]: 1 } },
  },
  {
    name: "Codex: a rollout of the first releases has no envelopes and no usage: nothing to count, nothing wrong",
    files: {
      [file(1)]: [
        JSON.stringify({ id: idOf(1), timestamp: "2025-06-20T10:00:00Z", instructions: null, git: {} }),
        JSON.stringify({ record_type: "state" }),
        JSON.stringify({ type: "message", role: "user", content: [{ type: "input_text", text: "Do it" }] }),
        JSON.stringify({ type: "function_call", name: "shell", arguments: "{}", call_id: "c1" }),
      ],
    },
    expect: { calls: 0, tokens: {}, problems: [] },
  },
  {
    name: "Codex: a command's end and its tests, through a shell's list of words and with its code in JSON",
    files: {
      [file(1)]: rollout(
        1,
        (to) => {
          to.meta();
          to.context("t");
          to.user("Do it");
          to.call("c1", "shell", { command: ["bash", "-lc", "python -m pytest -q"] });
          to.output("c1", JSON.stringify({ output: "3 failed, 7 passed in 1.20s", metadata: { exit_code: 1 } }));
          to.count(small);
          to.call("c2", "exec_command", { cmd: "cargo test" });
          to.output(
            "c2",
            "Chunk ID: 1\nProcess exited with code 0\nOutput:\ntest result: ok. 4 passed; 0 failed; 1 ignored; 0 measured",
          );
          to.count(small);
        },
        OLD,
      ),
    },
    expect: { calls: 2, tokens: times(2), toolRuns: 2, tests: ["failed 7/3", "passed 4/0"] },
  },
];
