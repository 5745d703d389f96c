/** Reports as the running Node.js really writes them, from small projects made for the purpose. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import junit from "./sources/junit.ts";

const folder = mkdtempSync(join(tmpdir(), "centspan-junit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = `import test, { describe, it, before } from "node:test"; import assert from "node:assert";\n`;

function runTests(name: string, body: string): { report: string; exitCode: number | null } {
  const file = join(folder, `${name}.test.mjs`);
  writeFileSync(file, HEAD + body);
  // The runner must not take this for a child of its own.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  const run = spawnSync(process.execPath, ["--test", "--test-reporter=junit", file], { env, encoding: "utf8" });
  return { report: run.stdout, exitCode: run.status };
}

describe(`node --test of Node ${process.version}`, () => {
  const cases: { name: string; body: string; exit: number; status: string; counts: number[]; failing?: string[] }[] = [
    {
      name: "nested",
      body: `test("top", () => {});
        describe("outer", () => { it("a", () => {}); describe("inner", () => { it("b", () => {}); }); });
        test("parent", async (t) => { await t.test("child", () => {}); });`,
      exit: 0,
      status: "passed",
      counts: [4, 0, 0],
    },
    {
      name: "failing",
      body: `describe("outer", () => { it("good", () => {}); describe("inner", () => {
          it("bad", () => assert.equal(1, 2, "<html> & more")); it.skip("later"); it.todo("some day"); }); });`,
      exit: 1,
      status: "failed",
      counts: [1, 1, 2],
      failing: ["outer > inner > bad"],
    },
    {
      name: "failing-todo",
      body: `test("good", () => {}); test("some day", { todo: true }, () => { throw new Error("not yet"); });`,
      exit: 0,
      status: "passed",
      counts: [1, 0, 1],
    },
    {
      name: "all-skipped",
      body: `test.skip("a", () => {}); test.skip("b", () => {});`,
      exit: 0,
      status: "unknown",
      counts: [0, 0, 2],
    },
    {
      name: "hidden-failure",
      body: `test("parent", async (t) => { await t.test("child", () => {}); throw new Error("after the child"); });`,
      exit: 1,
      status: "unknown",
      counts: [1, 0, 0],
    },
  ];
  it.each(cases)("$name is $status", ({ name, body, exit, status, counts, failing = [] }) => {
    const { report, exitCode } = runTests(name, body);
    expect(exitCode).toBe(exit);
    const finding = junit.read(report, exitCode);
    expect(finding.status).toBe(status);
    const { evidence } = finding;
    expect([evidence.passed, evidence.failed, evidence.skipped]).toEqual(counts);
    expect(evidence.failing).toEqual(failing);
  });

  it("a file that can't be loaded is a failure", () => {
    const { report, exitCode } = runTests("syntax", "this is not JavaScript");
    expect(exitCode).toBe(1);
    expect(junit.read(report, exitCode).status).toBe("failed");
  });
});
