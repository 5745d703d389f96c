/**
 * Commands that run tests, and what their output says came of it. Only the runner, the counts and the verdict leave here,
 * and whoever shows them says that they are derived: output may be cut, coloured, or of several runs.
 * Add one: an entry in RUNNERS.
 */
import type { TestVerdict } from "@centspan/model";

type Runner = {
  runner: string;
  /** Of one simple command, without variables and wrappers before it. */
  command: RegExp;
  /** Of lines that sum a run up: each group found is added; several lines are several suites. */
  passed?: RegExp;
  failed?: RegExp;
  skipped?: RegExp;
};

const RUNNERS: readonly Runner[] = [
  {
    runner: "vitest",
    command: /^vitest\b/,
    passed: /^\s*Tests\s.*?(\d+) passed/gm,
    failed: /^\s*Tests\s.*?(\d+) failed/gm,
    skipped: /^\s*Tests\s.*?(\d+) skipped/gm,
  },
  {
    runner: "jest",
    command: /^jest\b/,
    passed: /^Tests:\s.*?(\d+) passed/gm,
    failed: /^Tests:\s.*?(\d+) failed/gm,
    skipped: /^Tests:\s.*?(\d+) skipped/gm,
  },
  {
    runner: "pytest",
    command: /^(pytest\b|py\.test\b|python[\d.]* -m pytest\b)/,
    passed: /^(?:=+ )?(?:.*?\b)?(\d+) passed\b.* in [\d.]+/gm,
    failed: /^(?:=+ )?(?:.*?\b)?(\d+) (?:failed|errors?)\b.* in [\d.]+/gm,
    skipped: /^(?:=+ )?(?:.*?\b)?(\d+) skipped\b.* in [\d.]+/gm,
  },
  {
    runner: "unittest",
    command: /^python[\d.]* (-m unittest\b|manage\.py test\b|.*\bruntests\.py\b)/,
    failed: /^FAILED \((?:.*?)(?:failures|errors)=(\d+)/gm,
  },
  { runner: "go test", command: /^go test\b/, passed: /^(ok)\s+\S+/gm, failed: /^(?:--- )?(FAIL)[:\s]+\S+/gm },
  {
    runner: "cargo test",
    command: /^cargo (test|nextest)\b/,
    passed: /^test result: .*?(\d+) passed/gm,
    failed: /^test result: .*?(\d+) failed/gm,
    skipped: /^test result: .*?(\d+) ignored/gm,
  },
  {
    runner: "node --test",
    command: /^node\b.* --test\b/,
    passed: /^(?:#|ℹ) pass (\d+)/gm,
    failed: /^(?:#|ℹ) fail (\d+)/gm,
    skipped: /^(?:#|ℹ) skipped (\d+)/gm,
  },
  { runner: "mocha", command: /^mocha\b/, passed: /^\s*(\d+) passing\b/gm, failed: /^\s*(\d+) failing\b/gm },
  {
    runner: "playwright",
    command: /^playwright test\b/,
    passed: /^\s*(\d+) passed\b/gm,
    failed: /^\s*(\d+) failed\b/gm,
    skipped: /^\s*(\d+) skipped\b/gm,
  },
  {
    runner: "rspec",
    command: /^rspec\b/,
    passed: /^(\d+) examples?, 0 failures/gm,
    failed: /^\d+ examples?, (\d+) failures?/gm,
  },
  {
    runner: "phpunit",
    command: /^(vendor\/bin\/)?phpunit\b/,
    passed: /^OK \((\d+) tests?/gm,
    failed: /\bFailures: (\d+)/gm,
  },
  {
    runner: "maven",
    command: /^(\.\/)?mvnw?\b.*\b(test|verify)\b/,
    failed: /^\[(?:ERROR|WARNING|INFO)\] Tests run: \d+, Failures: (\d+), Errors: \d+, Skipped: \d+\s*$/gm,
  },
  {
    runner: "gradle",
    command: /^(\.\/)?gradlew?\b.*\b(test|check)\b/,
    failed: /^\d+ tests? completed, (\d+) failed/gm,
  },
  {
    runner: "dotnet test",
    command: /^dotnet test\b/,
    passed: /\bPassed:\s+(\d+)/gm,
    failed: /\bFailed:\s+(\d+)/gm,
    skipped: /\bSkipped:\s+(\d+)/gm,
  },
];

/** Scripts of packages: which runner they start only their output tells. */
const SCRIPT =
  /^((npm|pnpm|yarn|bun)( run)?|make|just|task) (run )?[\w:-]*test[\w:-]*(\s|$)|^(npm|bun) t(\s|$)|^tox\b|^nox\b/;
const WRAPPER =
  /^(npx( --yes| -y)?|pnpm( exec| dlx)?|yarn( exec| dlx)?|bunx|uv run|poetry run|pipenv run|bundle exec|sudo|time|timeout \S+|env)\s+/;
const VARIABLE = /^\w+=(?:'[^']*'|"[^"]*"|\S*)\s+/;

/** All that is remembered of a command until its output is there. `runner` is "" where it runs no tests. */
export type CommandKind = { runner: string; isPiped: boolean; makesCommits: boolean };

/** Which runner a script of a package starts only its output tells. */
const UNKNOWN_RUNNER = "script";

export function describeCommand(command: string): CommandKind {
  const steps = splitCommand(command);
  const known = RUNNERS.find((runner) => steps.some((step) => runner.command.test(step)));
  const isScript = steps.some((step) => SCRIPT.test(step));
  return {
    runner: known?.runner ?? (isScript ? UNKNOWN_RUNNER : ""),
    isPiped: isPiped(command),
    makesCommits: /\bgit\b[^|;&]*\b(commit|merge|revert|cherry-pick)\b/.test(command),
  };
}

/** Null for a command that runs no tests. `exitCode` is null where the history doesn't say it. */
export function recogniseTests(kind: CommandKind, output: string, exitCode: number | null): TestVerdict | null {
  if (kind.runner === "") return null;
  const text = stripColours(output);
  const isTelling = (candidate: Runner): boolean =>
    kind.runner === UNKNOWN_RUNNER
      ? (sumOf(text, candidate.passed) ?? sumOf(text, candidate.failed)) !== null
      : candidate.runner === kind.runner;
  const told = RUNNERS.find(isTelling);
  const [passed, failed, skipped] = [told?.passed, told?.failed, told?.skipped].map((pattern) => sumOf(text, pattern));
  const counts = { passed: passed ?? null, failed: failed ?? null, skipped: skipped ?? null };
  return { runner: told?.runner ?? kind.runner, status: judge(counts, exitCode, kind.isPiped), ...counts };
}

/** A pipe's exit code is that of its last command: `pytest | tail` always succeeds. */
function judge(
  { passed, failed }: Pick<TestVerdict, "passed" | "failed">,
  exitCode: number | null,
  piped: boolean,
): TestVerdict["status"] {
  if ((failed ?? 0) > 0) return "failed";
  if (exitCode !== null && exitCode !== 0) return "failed";
  if ((passed ?? 0) > 0) return "passed";
  return exitCode === 0 && !piped ? "passed" : "unknown";
}

const isPiped = (command: string): boolean => /(^|[^|])\|([^|]|$)|;|\|\|/.test(command);

/** Simple commands of a line of shell, each without what stands before the program. Quoting is not understood, nor need be. */
function splitCommand(command: string): string[] {
  return command
    .split(/&&|\|\||[;|\n]/)
    .map((step) => {
      let rest = step.trim().replace(/^[({]+\s*/, "");
      for (;;) {
        const shorter = rest.replace(VARIABLE, "").replace(WRAPPER, "");
        if (shorter === rest) return rest.replace(/^\S*\/(?=(vitest|jest|pytest|mocha|rspec|playwright)\b)/, "");
        rest = shorter;
      }
    })
    .filter((step) => step !== "");
}

/** Null where the pattern is not found. A group that is no number counts as one. */
function sumOf(text: string, pattern: RegExp | undefined): number | null {
  if (pattern === undefined) return null;
  let sum: number | null = null;
  for (const [, found = ""] of text.matchAll(pattern)) sum = (sum ?? 0) + (/^\d+$/.test(found) ? Number(found) : 1);
  return sum;
}

const stripColours = (text: string): string => text.replace(COLOUR, "");
/** Escape, bracket, numbers, m. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");

/** Commits that `git commit` says it made, abbreviated as git writes them. */
export function findCommits({ makesCommits }: CommandKind, output: string): string[] {
  if (!makesCommits) return [];
  return [...output.matchAll(/^\[[^\]\s]+(?: [^\]]*?)? ([0-9a-f]{7,40})\] /gm)].map(([, commit = ""]) => commit);
}
