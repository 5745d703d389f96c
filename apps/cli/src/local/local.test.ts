import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { historyFormats } from "@centspan/histories";
import { afterEach, describe, expect, it } from "vitest";
import { readSeatAnswer } from "./enter-seats.ts";
import { findEndangered } from "./find-endangered.ts";
import { findHistories } from "./find-histories.ts";
import { createRepositoryFinder } from "./git/find-repository.ts";
import { readCommits } from "./git/read-commits.ts";
import { readState, statePath, writeState } from "./import-state.ts";
import { type ReportFacts, renderCard, renderReport } from "./report-page.ts";

const folders: string[] = [];
const makeFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "centspan-local-")));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const write = (path: string, text = "{}\n"): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

describe("histories are found", () => {
  const find = async (home: string, environment: Record<string, string> = {}) => {
    const found = await findHistories(historyFormats, { home, environment });
    return { ...found, paths: found.files.map(({ format, path }) => `${format.id} ${path}`) };
  };

  it("below the home and where the environment says, sessions before their agents", async () => {
    const [home, elsewhere] = [makeFolder(), makeFolder()];
    write(join(home, ".claude/projects/-p/s.jsonl"));
    write(join(home, ".claude/projects/-p/s/subagents/agent-a.jsonl"));
    write(join(home, ".claude/projects/-p/notes.txt"));
    write(join(home, ".codex/sessions/2026/11/02/rollout-2026-11-02T10-00-00-t.jsonl"));
    write(join(elsewhere, "projects/-q/u.jsonl"));
    const { paths } = await find(home, { CLAUDE_CONFIG_DIR: elsewhere });
    expect(paths).toEqual([
      "claude-code -p/s.jsonl",
      "claude-code -q/u.jsonl",
      "claude-code -p/s/subagents/agent-a.jsonl",
      "codex 2026/11/02/rollout-2026-11-02T10-00-00-t.jsonl",
    ]);
  });

  it("each place once, whatever names lead to it, and of copies the plain one", async () => {
    const home = makeFolder();
    write(join(home, ".claude/projects/-p/s.jsonl"));
    mkdirSync(join(home, ".config"));
    symlinkSync(join(home, ".claude"), join(home, ".config/claude"));
    const rollout = "rollout-2026-11-02T10-00-00-t.jsonl";
    write(join(home, ".codex/sessions/2026/11/02", rollout));
    write(join(home, ".codex/sessions/2026/11/02", `${rollout}.zst`));
    write(join(home, ".codex/archived_sessions", rollout));
    const { paths, places, copies } = await find(home, { CLAUDE_CONFIG_DIR: join(home, ".claude") });
    expect(paths).toEqual(["claude-code -p/s.jsonl", `codex 2026/11/02/${rollout}`]);
    expect(places.map(({ folder }) => folder.slice(home.length))).toEqual([
      "/.claude/projects",
      "/.codex/sessions",
      "/.codex/archived_sessions",
    ]);
    expect(copies).toBe(2);
  });

  it("nowhere, where there are none", async () => {
    expect(await find(makeFolder())).toMatchObject({ files: [], places: [], unreadable: [] });
  });

  it("and which of them go within a week, by the agent's default or by what was set", async () => {
    const home = makeFolder();
    const nowMs = Date.UTC(2026, 10, 30, 12);
    for (const [name, days] of [
      ["old", 28],
      ["older", 29],
      ["new", 2],
    ] as const) {
      const file = join(home, `.claude/projects/-p/${name}.jsonl`);
      write(file);
      const seconds = nowMs / 1000 - days * 86_400;
      utimesSync(file, seconds, seconds);
    }
    expect(findEndangered(await find(home), nowMs, "UTC")).toMatchObject([
      { agent: "Claude Code", keptForDays: 30, files: 2, days: ["2026-11-01", "2026-11-02"] },
    ]);
    write(join(home, ".claude/settings.json"), '{"cleanupPeriodDays": 365}');
    expect(findEndangered(await find(home), nowMs, "UTC")).toEqual([]);
  });
});

describe("git, read only", () => {
  const git = (folder: string, ...args: string[]): string => {
    const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  const makeRepository = (): string => {
    const folder = join(makeFolder(), "shop");
    mkdirSync(folder);
    git(folder, "init", "--initial-branch=main");
    write(join(folder, "a"), "1\n");
    git(folder, "add", ".");
    git(folder, "commit", "-m", "Begin");
    return folder;
  };

  it("knows worktrees, folders within and folders that are gone as one repository, without credentials", () => {
    const folder = makeRepository();
    git(folder, "remote", "add", "origin", "https://token@github.com/acme/shop.git");
    const worktree = join(folder, ".worktrees/fix");
    git(folder, "worktree", "add", "-b", "fix", worktree);
    mkdirSync(join(worktree, "src"));
    const find = createRepositoryFinder("/nowhere");
    const repository = find(folder);
    expect(repository).toMatchObject({ url: "https://github.com/acme/shop.git", name: "acme/shop" });
    for (const place of [worktree, join(worktree, "src"), join(folder, ".worktrees/gone/src")])
      expect(find(place)).toBe(repository);
    expect(find(dirname(folder))).toBeNull();
    expect(find("relative")).toBeNull();
  });

  it("tells what is on the main branch, and a rebased change by what it changes", async () => {
    const folder = makeRepository();
    git(folder, "checkout", "-b", "fix");
    write(join(folder, "a"), "2\n");
    git(folder, "commit", "-am", "Fix");
    const made = git(folder, "rev-parse", "HEAD");
    git(folder, "checkout", "main");
    write(join(folder, "b"), "1\n");
    git(folder, "add", ".");
    git(folder, "commit", "-m", "Other");
    git(folder, "cherry-pick", made);
    const { trunk, commits, problem } = await readCommits(join(folder, ".git"), 0);
    const [original, picked] = [
      commits.find(({ sha }) => sha === made),
      commits.find(({ sha }) => sha === git(folder, "rev-parse", "main")),
    ];
    expect([trunk, problem, commits.length]).toEqual(["refs/heads/main", "", 4]);
    expect([original?.isOnTrunk, picked?.isOnTrunk]).toEqual([false, true]);
    expect(original?.patchId).toMatch(/^[0-9a-f]{40}$/);
    expect(picked?.patchId).toBe(original?.patchId);
  });

  it("runs nothing that a repository names", async () => {
    const folder = makeRepository();
    const witness = join(folder, "ran");
    git(folder, "config", "core.fsmonitor", `touch ${witness}; false`);
    git(folder, "config", "diff.external", `touch ${witness}`);
    git(folder, "config", "diff.x.textconv", `touch ${witness}; cat`);
    write(join(folder, ".gitattributes"), "* diff=x\n");
    createRepositoryFinder("/nowhere")(folder);
    await readCommits(join(folder, ".git"), 0);
    expect(spawnSync("ls", [folder], { encoding: "utf8" }).stdout).not.toContain("ran");
  });
});

describe("what is remembered", () => {
  it("comes back as it was written, for the same target alone", () => {
    const path = statePath(makeFolder(), "push a.example:4318 x");
    const { state } = readState(path, "a");
    writeState(path, { ...state, key: "k", told: ["1"] });
    expect(readState(path, "a")).toMatchObject({ note: "", state: { key: "k", told: ["1"] } });
    expect(readState(path, "b")).toMatchObject({ note: /elsewhere/, state: { key: "", import: null } });
    write(path, "{");
    expect(readState(path, "a")).toMatchObject({ note: /can't be read/, state: { import: null } });
  });
});

describe("the page and the card", () => {
  const row = {
    repository: "acme/shop",
    state: "reverted",
    calls: 1,
    unpricedCalls: 0,
    sessions: 1,
    testRuns: 0,
  } as const;
  const facts: ReportFacts = {
    figures: {
      total: { spendUsd: "10", usefulUsd: "6", wasteUsd: "4", failedUsd: "0", notAnalysedUsd: "0", seconds: 0 },
      paidTwice: [],
      byModel: [],
      byRepository: [],
      byDay: [],
    },
    work: {
      data: [
        { ...row, group: "fix/<secret>", costUsd: "3", firstAt: "", lastAt: "", toGreenUsd: null, afterGreenUsd: null },
      ],
      total: {
        spendUsd: "10",
        placedUsd: "3",
        groups: 1,
        revertedUsd: "3",
        abandonedUsd: "0",
        coverage: "0.3",
        testedCoverage: "0",
      },
      method: "by hand",
      nextCursor: null,
    },
    seats: [],
    from: "2026-11-01",
    to: "2026-11-30",
    withNames: false,
  };

  it("name nothing unless asked, and then as text", () => {
    expect(renderReport(facts)).not.toContain("secret");
    expect(renderReport({ ...facts, withNames: true })).toContain("fix/&#60;secret&#62;");
  });

  it("say the shares, and load nothing from elsewhere", () => {
    for (const page of [renderReport(facts), renderCard(facts)]) {
      expect(page).toContain("$4.00");
      expect(page).toContain("40.0%");
      expect(page).not.toMatch(/src=|href=|<script|url\(|@import/);
    }
  });
});

it.each([
  ["Max 20x 200", { plan: "Max 20x", perMonth: "200" }],
  ["  Plus $19.99 ", { plan: "Plus", perMonth: "19.99" }],
  ["", null],
  ["200", null],
  ["Max", null],
  ["Max -1", null],
])("%j is read as a seat %j", (answer, seat) => {
  expect(readSeatAnswer(answer)).toEqual(seat);
});
