import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTrajectory } from "./trajectory.ts";

const bash = (command: string) => [{ name: "bash", argumentsJson: JSON.stringify({ command }) }];
const read = (value: object, name = "runs/org-1.traj.json") => readTrajectory(name, JSON.stringify(value, null, 1));
const answer = (content: string, output: number, reasoning: number) => ({
  role: "assistant",
  content,
  extra: {
    response: { usage: { completion_tokens: output, completion_tokens_details: { reasoning_tokens: reasoning } } },
  },
});
const mini = (...messages: object[]) => ({ trajectory_format: "mini-swe-agent-1", instance_id: "org__r-1", messages });

describe("a trajectory", () => {
  it("of mini-swe-agent is text, command and observation, with the tokens that were taken", () => {
    const trajectory = read(
      mini(
        { role: "system", content: "rules" },
        { role: "user", content: "issue" },
        answer("THOUGHT: look\n\n```bash\nls -a\n```", 30, 20),
        { role: "user", content: "a.js" },
        answer("no command", 9, 0),
      ),
    );
    expect(trajectory).toEqual({
      id: "org__r-1",
      instructions: "rules",
      opening: ["issue"],
      steps: [
        {
          text: "THOUGHT: look\n\n```bash\nls -a\n```",
          said: "THOUGHT: look",
          calls: bash("ls -a"),
          observation: "a.js",
          tokens: { output: 30, reasoning: 20 },
        },
        {
          text: "no command",
          said: "no command",
          calls: bash(""),
          observation: "",
          tokens: { output: 9, reasoning: 0 },
        },
      ],
    });
  });

  it("of SWE-agent has its tool calls, or commands from its text, and is named by its file", () => {
    const history = [
      { role: "system", content: "rules" },
      { role: "user", content: "demonstration", is_demo: true },
      { role: "user", content: "issue" },
      {
        role: "assistant",
        content: "first",
        tool_calls: [{ id: "1", type: "function", function: { name: "open", arguments: '{"path":"a"}' } }],
      },
      { role: "tool", content: "opened" },
      { role: "assistant", content: "then\n```\nedit 1:1\nx\n```", action: "edit 1:1\nx\n" },
      { role: "user", content: "edited" },
    ];
    expect(read({ history })).toEqual({
      id: "org-1",
      instructions: "rules",
      opening: ["demonstration", "issue"],
      steps: [
        {
          text: "first",
          said: "first",
          calls: [{ name: "open", argumentsJson: '{"path":"a"}' }],
          observation: "opened",
          tokens: null,
        },
        { text: history[5]?.content, said: "then", calls: bash("edit 1:1\nx\n"), observation: "edited", tokens: null },
      ],
    });
  });

  it("of our own harness is what its recording says", () => {
    const calls = [...bash("ls"), ...bash("cat a.js")];
    const turns = [
      { text: "I look.", calls, outputTokens: 12 },
      { text: "Done.", calls: [], outputTokens: null },
    ];
    const { id, steps } = read({ trajectory_format: "centspan-run-1", instance_id: "run_1", turns });
    expect(id).toBe("run_1");
    expect(steps).toEqual([
      { text: "I look.", said: "I look.", calls, observation: "", tokens: { output: 12, reasoning: 0 } },
      { text: "Done.", said: "Done.", calls: [], observation: "", tokens: null },
    ]);
  });

  it.each<[object, string]>([
    [mini(answer("x", 10, 10)), "leaves no token for the visible answer"],
    [mini({ role: "user", content: "issue" }), "holds no answer of a model"],
    [{ trajectory_format: "mini-swe-agent-9", messages: [] }, "trajectory_format"],
    [{ history: [{ role: "assistant" }] }, "history[0].content"],
    [{}, "history"],
  ])("is refused where it is none, naming the place: %j", (value, message) => {
    expect(() => read(value)).toThrow(message);
  });

  const shared = process.env.CENTSPAN_SHARED;
  it.skipIf(shared === undefined)("is read from every recorded run (needs CENTSPAN_SHARED)", () => {
    const folders = ["mini-swe-agent-gemini-3-pro", "swe-agent"].map((name) =>
      join(shared ?? "", "data/trajectories", name),
    );
    for (const folder of folders) expect(existsSync(folder), `${folder} is missing`).toBe(true);
    const files = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
    const runs = files.filter((file) => /\.traj(\.json)?$/.test(file));
    expect(runs.length).toBe(8);
    for (const file of runs) {
      const { steps, opening } = readTrajectory(file, readFileSync(file, "utf8"));
      expect(opening.join("").length, file).toBeGreaterThan(1_000);
      expect(steps.length, file).toBeGreaterThan(9);
      expect(steps.filter(({ observation }) => observation === "").length, file).toBeLessThanOrEqual(1);
    }
  });
});
