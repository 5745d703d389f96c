/**
 * A home with histories whose totals are known: two sessions of Claude Code in a repository (one of them resumed after its
 * cache was gone), a worktree of it, and a line that is broken. Small, written by hand; the room's generator makes large ones.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const MODEL = "claude-sonnet-4-5";
const DAY_MS = 86_400_000;

export type LocalHome = { home: string; sessions: string[]; commit: string; calls: number; tokens: number };

type Usage = { input: number; read: number; write: number; output: number };
type Tool = { id: string; name: string; input: object; output: string; isError?: boolean };

/** Half a day ago, so that nobody is at work on it. */
export function writeLocalHome(home: string, nowMs: number): LocalHome {
  const repository = join(home, "shop");
  const git = createGit(repository, nowMs - DAY_MS);
  mkdirSync(repository, { recursive: true });
  git("init", "--initial-branch=main");
  git("remote", "add", "origin", "https://user:secret@github.com/acme/shop.git");
  writeFileSync(join(repository, "cart.ts"), "1\n");
  commitAll(git, "Begin");
  const worktree = join(home, "shop-fix");
  git("worktree", "add", "-b", "fix", worktree);
  writeFileSync(join(worktree, "cart.ts"), "2\n");
  const inWorktree = createGit(worktree, nowMs - DAY_MS / 2);
  commitAll(inWorktree, "Fix the cart");
  const commit = inWorktree("rev-parse", "HEAD");
  git("merge", "--no-ff", "-m", "Merge pull request #12 from acme/fix", "fix");

  const first = createSession(home, "11111111-0000-4000-8000-000000000001", { cwd: worktree, branch: "fix" });
  first.at(nowMs - DAY_MS / 2);
  first.say("the cart is wrong");
  first.answer("a1", { input: 4, read: 0, write: 20_000, output: 100 }, [read("r1")]);
  first.answer("a2", { input: 4, read: 20_000, write: 3_000, output: 50 }, [read("r2")]);
  first.answer("a3", { input: 4, read: 23_000, write: 3_000, output: 70 }, [test("t1", false)]);
  first.answer("a4", { input: 4, read: 26_000, write: 500, output: 90 }, [test("t2", true)]);
  first.answer("a5", { input: 4, read: 26_500, write: 300, output: 30 }, [made("c1", commit)]);
  first.link(12);
  // Two hours later: the cache is gone, and all of it is written again.
  first.at(nowMs - DAY_MS / 2 + 7_200_000);
  first.say("and the total?");
  first.answer("a6", { input: 4, read: 0, write: 27_500, output: 200 }, []);
  first.save(`{"type":"assistant","uuid":"half a li\n`);

  const second = createSession(home, "11111111-0000-4000-8000-000000000002", { cwd: repository, branch: "main" });
  second.at(nowMs - DAY_MS / 3);
  second.say("what is here?");
  second.answer("b1", { input: 10, read: 0, write: 5_000, output: 40 }, []);
  second.save("");
  const all = [...first.usages, ...second.usages];
  const tokens = all.reduce((sum, { input, read, write, output }) => sum + input + read + write + output, 0);
  return { home, sessions: [first.id, second.id], commit, calls: all.length, tokens };
}

/** One more response, as the agent would append it. */
export function appendAnswer({ home, sessions }: LocalHome, name: string, atMs: number): number {
  const [, id = ""] = sessions;
  const session = createSession(home, id, { cwd: join(home, "shop"), branch: "main" });
  session.at(atMs);
  session.answer(name, { input: 10, read: 5_000, write: 100, output: 60 }, []);
  session.save("");
  return 5_170;
}

const result = "line of a file\n".repeat(400);
const read = (id: string): Tool => ({ id, name: "Read", input: { file_path: "cart.ts" }, output: result });
const test = (id: string, isGreen: boolean): Tool => ({
  id,
  name: "Bash",
  input: { command: "npx vitest run", description: id },
  output: ` Test Files  1 ${isGreen ? "passed" : "failed"} (1)\n      Tests  ${isGreen ? "5 passed" : "1 failed | 4 passed"} (5)\n`,
  isError: !isGreen,
});
const made = (id: string, commit: string): Tool => ({
  id,
  name: "Bash",
  input: { command: 'git commit -am "Fix the cart"' },
  output: `[fix ${commit.slice(0, 7)}] Fix the cart\n 1 file changed, 1 insertion(+), 1 deletion(-)\n`,
});

function createSession(home: string, id: string, { cwd, branch }: { cwd: string; branch: string }) {
  const file = join(home, ".claude/projects/-shop", `${id}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  const lines: string[] = [];
  const usages: Usage[] = [];
  let nowMs = 0;
  let parent: string | null = null;
  const write = (type: "user" | "assistant", more: object): void => {
    nowMs += 1_000;
    const uuid = `${String(nowMs).slice(-8)}${id.slice(8)}`;
    const timestamp = new Date(nowMs).toISOString();
    const common = {
      parentUuid: parent,
      isSidechain: false,
      cwd,
      sessionId: id,
      version: "2.1.197",
      gitBranch: branch,
    };
    lines.push(JSON.stringify({ ...common, type, uuid, timestamp, ...more }));
    parent = uuid;
  };
  return {
    id,
    usages,
    at(ms: number): void {
      nowMs = ms;
    },
    say: (text: string) => write("user", { message: { role: "user", content: text } }),
    /** As several lines whose output grows, as the agent writes a response. */
    answer(name: string, usage: Usage, tools: readonly Tool[]): void {
      usages.push(usage);
      const content = [
        { type: "text", text: "…" },
        ...tools.map((tool) => ({ type: "tool_use", id: `toolu_${tool.id}`, name: tool.name, input: tool.input })),
      ];
      for (const [index, block] of content.entries()) {
        const output = index === content.length - 1 ? usage.output : 1;
        const message = {
          id: `msg_${name}`,
          role: "assistant",
          model: MODEL,
          content: [block],
          usage: toUsage(usage, output),
        };
        write("assistant", { requestId: `req_${name}`, message });
      }
      for (const { id: toolId, output, isError = false } of tools) {
        const block = { type: "tool_result", tool_use_id: `toolu_${toolId}`, content: output, is_error: isError };
        write("user", { message: { role: "user", content: [block] } });
      }
    },
    link(number: number): void {
      const prUrl = `https://github.com/acme/shop/pull/${number}`;
      const timestamp = new Date(nowMs).toISOString();
      lines.push(
        JSON.stringify({
          type: "pr-link",
          sessionId: id,
          prNumber: number,
          prUrl,
          prRepository: "acme/shop",
          timestamp,
        }),
      );
    },
    save(broken: string): void {
      appendFileSync(file, `${lines.join("\n")}\n${broken}`);
      utimesSync(file, nowMs / 1000, nowMs / 1000);
    },
  };
}

const toUsage = ({ input, read, write }: Usage, output: number) => ({
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
  cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: 0 },
  output_tokens: output,
  service_tier: "standard",
});

type Git = (...args: string[]) => string;

function createGit(folder: string, atMs: number): Git {
  const date = new Date(atMs).toISOString();
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.com",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.com",
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  };
  return (...args) => {
    const { status, stdout, stderr } = spawnSync("git", args, { cwd: folder, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
}

function commitAll(git: Git, message: string): void {
  git("add", ".");
  git("commit", "-m", message);
}
