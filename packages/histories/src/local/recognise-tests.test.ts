import { describe, expect, it } from "vitest";
import { describeCommand, findCommits, recogniseTests } from "./recognise-tests.ts";

const ESCAPE = String.fromCharCode(27);

type Case = [command: string, output: string, exitCode: number | null, verdict: string | null];

/** `runner status passed/failed/skipped`; null where no tests were run. */
const CASES: readonly Case[] = [
  [
    "npx vitest run",
    " Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 40 passed | 1 skipped (43)",
    1,
    "vitest failed 40/2/1",
  ],
  [
    "cd web && npx vitest run src/a.test.ts",
    `      ${ESCAPE}[2mTests ${ESCAPE}[22m ${ESCAPE}[1m${ESCAPE}[32m7 passed${ESCAPE}[39m (7)`,
    0,
    "vitest passed 7/-/-",
  ],
  ["npx jest --ci", "Tests:       1 failed, 8 passed, 9 total", 1, "jest failed 8/1/-"],
  ["CI=1 yarn jest", "Tests:       8 passed, 8 total", 0, "jest passed 8/-/-"],
  ["pytest -q", "3 failed, 7 passed, 2 skipped in 1.20s", 1, "pytest failed 7/3/2"],
  ["python -m pytest tests/test_a.py", "===== 12 passed in 0.31s =====", 0, "pytest passed 12/-/-"],
  ["uv run pytest", "1 passed, 1 error in 0.5s", 1, "pytest failed 1/1/-"],
  ["./tests/runtests.py", "", 0, null],
  ["python manage.py test shop", "Ran 3 tests in 0.01s\n\nFAILED (failures=1, errors=1)", 1, "unittest failed -/1/-"],
  ["python -m unittest", "Ran 3 tests in 0.01s\n\nOK", 0, "unittest passed -/-/-"],
  ["go test ./...", "ok  \tshop/cart\t0.01s\nok  \tshop/user\t0.02s", 0, "go test passed 2/-/-"],
  [
    "go test ./...",
    "--- FAIL: TestTotal (0.00s)\nFAIL\tshop/cart\t0.01s\nok  \tshop/user\t0.02s",
    1,
    "go test failed 1/2/-",
  ],
  [
    "cargo test --all",
    "test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured\n\ntest result: ok. 2 passed; 0 failed; 0 ignored",
    0,
    "cargo test passed 6/0/1",
  ],
  ["node --test src", "# pass 3\n# fail 1\n# skipped 0", 1, "node --test failed 3/1/0"],
  ["npx mocha", "  5 passing (20ms)\n  1 failing", 1, "mocha failed 5/1/-"],
  ["bundle exec rspec", "12 examples, 0 failures", 0, "rspec passed 12/0/-"],
  ["bundle exec rspec spec/a_spec.rb", "12 examples, 3 failures", 1, "rspec failed -/3/-"],
  ["npm test", "      Tests  9 passed (9)", 0, "vitest passed 9/-/-"],
  ["npm run test:unit -- --watch=false", "nothing that anybody knows", 0, "script passed -/-/-"],
  ["make test", "make: *** [test] Error 2", 2, "script failed -/-/-"],
  // A pipe's code is that of its last command.
  ["pytest 2>&1 | tail -3", "unreadable", 0, "pytest unknown -/-/-"],
  ["pytest 2>&1 | tail -3", "2 failed, 7 passed in 1.20s", 0, "pytest failed 7/2/-"],
  ["pytest; echo done", "done", 0, "pytest unknown -/-/-"],
  ["npx vitest run", "", null, "vitest unknown -/-/-"],
  ["ls tests", "a_test.py", 0, null],
  ["git commit -m 'make test pass'", "[main 1234567] make test pass", 0, null],
  ["cat package.json | grep test", "vitest run", 0, null],
  ["npm run lint", "", 0, null],
  ["", "", 0, null],
];

describe("a command that runs tests", () => {
  it.each(CASES)("%s → %s (%s)", (command, output, exitCode, wanted) => {
    const verdict = recogniseTests(describeCommand(command), output, exitCode);
    const show = (count: number | null): string => (count === null ? "-" : String(count));
    const said =
      verdict &&
      `${verdict.runner} ${verdict.status} ${[verdict.passed, verdict.failed, verdict.skipped].map(show).join("/")}`;
    expect(said).toBe(wanted);
  });
});

describe("commits that a command says it made", () => {
  it.each<[string, string, string[]]>([
    ["git add -A && git commit -m x", "[main 1a2b3c4] x\n 1 file changed", ["1a2b3c4"]],
    ["git commit -qm x", "", []],
    ["git commit -m x", "[feat/cart (root-commit) 1a2b3c4d] x", ["1a2b3c4d"]],
    ["git -C web revert --no-edit HEAD", "[detached HEAD 99aabbcc] Revert x", ["99aabbcc"]],
    ["git log", "[main 1a2b3c4] x", []],
  ])("%s", (command, output, wanted) => {
    expect(findCommits(describeCommand(command), output)).toEqual(wanted);
  });
});
