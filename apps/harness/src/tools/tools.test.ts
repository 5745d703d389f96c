import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createRunContext } from "../testing/tool-context.ts";
import { TOOLS } from "./registry.ts";
import { countTests } from "./run-tests.ts";
import { openToolContext } from "./tool.ts";

async function openPackage(files: Record<string, string>) {
  const root = await createTemporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const context = await createRunContext(root);
  let calls = 0;
  const call = async (name: string, args: unknown) => {
    const tool = TOOLS.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.run(
      typeof args === "string" ? args : JSON.stringify(args),
      openToolContext(context, `call_${++calls}`),
    );
  };
  const text = async (name: string, args: unknown) => (await call(name, args)).output.text;
  return { root, call, text };
}

it("sends the tools in one fixed order with plain schemas", () => {
  const names = TOOLS.map((tool) => tool.name);
  expect(names).toEqual([...names].sort());
  for (const { parameters } of TOOLS) {
    expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
    expect(Object.keys(parameters)).not.toContain("$schema");
  }
});

it("lists files in a fixed order, without what was installed, naming links but not following them", async () => {
  const { root, text } = await openPackage({
    "src/b.js": "",
    "src/a.js": "",
    "B.md": "",
    "a.md": "",
    "node_modules/x/index.js": "",
    ".git/HEAD": "",
  });
  await symlink("/etc", join(root, "src/link"));
  expect(await text("list_files", {})).toBe("B.md\na.md\nsrc/a.js\nsrc/b.js\nsrc/link");
  expect(await text("list_files", { path: "src" })).toBe("src/a.js\nsrc/b.js\nsrc/link");
  await expect(text("list_files", { path: "none" })).rejects.toThrow('"none" does not exist');
  await expect(text("list_files", { path: "a.md" })).rejects.toThrow('"a.md" is not a folder');
  await expect(text("list_files", { path: ".." })).rejects.toThrow("leaves the package");
});

it("reads whole files and ranges of lines, and says what is wrong with a range or a file", async () => {
  const { text } = await openPackage({ "a.txt": "one\ntwo\nthree\n", "b.bin": "a\0b" });
  expect(await text("read_file", { path: "a.txt" })).toBe("    1  one\n    2  two\n    3  three");
  expect(await text("read_file", { path: "a.txt", start: 2, end: 2 })).toBe("    2  two");
  expect(await text("read_file", { path: "a.txt", start: 3, end: 99 })).toBe("    3  three");
  await expect(text("read_file", { path: "a.txt", start: 4 })).rejects.toThrow("start: is 4, but the file has 3 lines");
  await expect(text("read_file", { path: "a.txt", start: 3, end: 2 })).rejects.toThrow("end: is 2");
  await expect(text("read_file", { path: "b.bin" })).rejects.toThrow("is not a text file");
  await expect(text("edit_file", { path: "b.bin", old: "a", new: "" })).rejects.toThrow("is not a text file");
  await expect(text("read_file", { path: "." })).rejects.toThrow("is a folder");
  await expect(text("read_file", { path: "c.txt" })).rejects.toThrow('"c.txt" does not exist');
});

it("searches files and folders, and stops a pattern that takes exponential time", async () => {
  const { root, text } = await openPackage({
    "src/a.js": "const one = 1;\nconst two = 2;",
    "test/a.test.js": "one",
    "slow.txt": `${"a".repeat(40)}b`,
    "data.bin": "\0one",
  });
  await symlink(join(root, "src"), join(root, "link"));
  expect(await text("search", { pattern: "\\bone\\b" })).toBe("src/a.js:1: const one = 1;\ntest/a.test.js:1: one");
  expect(await text("search", { pattern: "^const two", path: "src/a.js" })).toBe("src/a.js:2: const two = 2;");
  expect(await text("search", { pattern: "zero" })).toBe("(no matches)");
  await expect(text("search", { pattern: "(a+)+$", path: "slow.txt" })).rejects.toThrow("pattern: took longer");
  await expect(text("search", { pattern: "(" })).rejects.toThrow("pattern: Invalid regular expression");
  await expect(text("search", { pattern: "x", path: "../" })).rejects.toThrow("leaves the package");
});

it("edits only what occurs exactly once, literally", async () => {
  const { root, text } = await openPackage({ "a.js": "let x = 1;\nlet y = 1;\n", "aa.txt": "aaa" });
  const read = (path: string) => readFile(join(root, path), "utf8");
  expect(await text("edit_file", { path: "a.js", old: "x = 1", new: "x = '$&$1'" })).toBe("edited a.js at line 1");
  expect(await read("a.js")).toBe("let x = '$&$1';\nlet y = 1;\n");
  await expect(text("edit_file", { path: "a.js", old: "let", new: "" })).rejects.toThrow("occurs more than once");
  await expect(text("edit_file", { path: "aa.txt", old: "aa", new: "" })).rejects.toThrow("occurs more than once");
  await expect(text("edit_file", { path: "a.js", old: "var", new: "" })).rejects.toThrow("does not occur");
  await expect(text("edit_file", { path: "b.js", old: "x", new: "" })).rejects.toThrow('"b.js" does not exist');
  expect(await read("a.js")).toBe("let x = '$&$1';\nlet y = 1;\n");
});

it("neither waits for a pipe nor changes bytes that are no text", async () => {
  const { root, text } = await openPackage({});
  const latin1 = Buffer.from("caf\xe9 = 1;", "latin1");
  await writeFile(join(root, "latin1.js"), latin1);
  await text("run_command", { command: "mkfifo pipe; truncate -s 5G dump" });
  for (const [path, why] of [
    ["pipe", "is not a file"],
    ["dump", "is larger than"],
    ["latin1.js", "is not a text file in UTF-8"],
  ]) {
    await expect(text("edit_file", { path, old: "1", new: "2" })).rejects.toThrow(why);
    await expect(text("read_file", { path })).rejects.toThrow(why);
  }
  expect(await readFile(join(root, "latin1.js"))).toEqual(latin1);
});

it("searches as much as it can hold, and says so", async () => {
  const { text } = await openPackage({ "a.txt": "needle" });
  await text("run_command", {
    command: "head -c 1000000 /dev/zero | tr '\\0' x > b; for i in $(seq 20); do ln b c$i; done; echo needle > z.txt",
  });
  const found = await text("search", { pattern: "needle" });
  expect(found).toMatch(/^a\.txt:1: needle\n\(only the first \d+ bytes of files were searched; name a folder\)$/);
  expect(await text("search", { pattern: "needle", path: "z.txt" })).toBe("z.txt:1: needle");
});

it("creates files, but not over others and not outside", async () => {
  const { root, text } = await openPackage({ "a.js": "x" });
  await symlink(join(dirname(root), "harness-test-outside"), join(root, "dangling"));
  expect(await text("edit_file", { path: "lib/new/b.js", old: "", new: "b" })).toBe("created lib/new/b.js");
  expect(await readFile(join(root, "lib/new/b.js"), "utf8")).toBe("b");
  await expect(text("edit_file", { path: "a.js", old: "", new: "y" })).rejects.toThrow("exists already");
  await expect(text("edit_file", { path: "../b.js", old: "", new: "" })).rejects.toThrow("leaves the package");
  await expect(text("edit_file", { path: "dangling", old: "", new: "" })).rejects.toThrow("can't be followed");
});

it("runs commands in the package and gives the exit code first", async () => {
  const { call } = await openPackage({ "a.txt": "hello" });
  expect(await call("run_command", { command: "cat a.txt; exit 2" })).toMatchObject({
    exitCode: 2,
    output: { text: "exit code: 2\nhello" },
  });
});

it("cuts five megabytes of output, and reads the rest of it by range without losing a character", async () => {
  const { text } = await openPackage({});
  const command = `node -e 'process.stdout.write("한글\\n".repeat(750_000))'`;
  const cut = await text("run_command", { command });
  expect(Buffer.byteLength(cut)).toBeLessThan(41_000);
  const mark = /read_more (\{[^}]+\})/.exec(cut)?.[1] ?? "{}";
  expect(JSON.parse(mark)).toEqual({ id: "call_1", from: expect.any(Number) });
  let { id, from } = JSON.parse(mark);
  for (let round = 0; round < 3; round++) {
    const more = await text("read_more", { id, from });
    const [head = "", ...lines] = more.split("\n");
    const [, at, to, size] = /^bytes (\d+) to (\d+) of (\d+)$/.exec(head)?.map(Number) ?? [];
    expect([at, size]).toEqual([from, 5_250_000]);
    expect(lines.join("\n").replaceAll("한글\n", "").length).toBeLessThan(5);
    expect(more).not.toContain("\ufffd");
    from = to;
  }
  const end = await text("read_more", { id, from: 5_249_993 });
  expect(end).toBe("bytes 5249993 to 5250000 of 5250000\n한글\n");
  await expect(text("read_more", { id, from: 5_250_000 })).rejects.toThrow("from: is 5250000");
  await expect(text("read_more", { id: "../../etc/passwd", from: 0 })).rejects.toThrow("nothing was cut of");
});

it("shows neither binary output nor what only a terminal understands", async () => {
  const { text } = await openPackage({});
  expect(await text("run_command", { command: "head -c 9000 /dev/zero" })).toBe(
    "exit code: 0\n(binary output of 9000 bytes is not shown)",
  );
  const command = "printf '\\033[31mred\\033[0m\\n 10%%\\r 99%%\\r100%%\\r\\nbell\\007 \\033]0;title\\007end'";
  expect(await text("run_command", { command })).toBe("exit code: 0\nred\n100%\nbell end");
});

it("runs the package's tests and counts them", async () => {
  const { call } = await openPackage({
    "package.json": '{"type":"module"}',
    "test/a.test.js":
      'import test from "node:test"; import assert from "node:assert"; test("good", () => {}); test("bad", () => assert.equal(1, 2));',
  });
  const result = await call("run_tests", {});
  expect(result).toMatchObject({ exitCode: 1, tests: { passed: 1, failed: 1 } });
  expect(result.output.text).toMatch(/^exit code: 1\n/);
});

it("takes the counts from the end of a report, and none from a report without an end", () => {
  expect(countTests("ℹ pass 99\n✔ x\nℹ tests 3\nℹ pass 1\nℹ fail 1\nℹ cancelled 1\n")).toEqual({
    passed: 1,
    failed: 2,
  });
  expect(countTests("✔ x\n")).toBeNull();
});

it("names the argument that is wrong", async () => {
  const { text } = await openPackage({});
  await expect(text("read_file", {})).rejects.toThrow("path:");
  await expect(text("read_file", { path: "a", start: 0 })).rejects.toThrow("start:");
  await expect(text("read_file", { path: "a", lines: 3 })).rejects.toThrow("lines");
  await expect(text("read_file", "{")).rejects.toThrow("arguments: not valid JSON");
});
