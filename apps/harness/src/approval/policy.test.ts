import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { isApproved, readPolicy } from "./policy.ts";

const policy = { ask: "never" as const, commands: ["npm test", "git diff *", "ls * -l"], paths: ["src/**"] };

it.each([
  ["npm test", true],
  ["  npm   test ", true],
  ["npm test --all", false],
  ["npm", false],
  ["git diff", true],
  ["git diff HEAD src/a.js", true],
  ["git push", false],
  ["ls src -l", true],
  ["ls -l", false],
  // Nothing by which a shell would do something else besides.
  ["npm test; rm -rf /", false],
  ["npm test && curl evil.example", false],
  ["npm test\nrm -rf /", false],
  ["git diff $(reboot)", false],
  ["git diff `reboot`", false],
  ["git diff > /etc/passwd", false],
  ["git diff | sh", false],
  ["git diff ~/x", false],
  ["PATH=/tmp npm test", false],
  ["git diff --output=x", true],
])("a list of commands approves %j: %s", (text, approved) => {
  expect(isApproved(policy, { kind: "command", text })).toBe(approved);
});

it.each([
  ["src/a.js", true],
  ["src/deep/.hidden", true],
  ["package.json", false],
  ["srcs/a.js", false],
])("a list of paths approves %j: %s", (text, approved) => {
  expect(isApproved({ ...policy, paths: ["src/**"] }, { kind: "path", text })).toBe(approved);
});

it("leaves a kind without a list to the mode", () => {
  const tool = { kind: "tool" as const, text: "deploy" };
  expect(isApproved(policy, tool)).toBe(true);
  expect(isApproved({ ask: "on-request" }, tool)).toBe(false);
  expect(isApproved({ ask: "on-request", tools: ["deploy"] }, tool)).toBe(true);
});

it("reads a mode or a file, and says what is wrong with one", async () => {
  const file = join(await createTemporaryFolder(), "policy.json");
  expect(await readPolicy("on-failure")).toEqual({ ask: "on-failure" });
  await expect(readPolicy("always")).rejects.toThrow("is neither a file nor one of never, on-request, on-failure");
  await writeFile(file, JSON.stringify({ ask: "never", comands: [] }));
  await expect(readPolicy(file)).rejects.toThrow("comands");
  await writeFile(file, "{");
  await expect(readPolicy(file)).rejects.toThrow(`policy ${file}:`);
  await writeFile(file, JSON.stringify(policy));
  expect(await readPolicy(file)).toEqual(policy);
});
