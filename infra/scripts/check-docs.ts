/**
 * Documentation is tested: links lead somewhere, npm scripts and centspan commands that are shown exist with the flags shown,
 * every setting that the code reads is described in docs/settings.md, and every room has its README.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createProgram } from "../../apps/cli/src/program.ts";
import { fullName, listCommands } from "./describe-docs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => existsSync(join(ROOT, file)) && !file.includes("/tasks/"));
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const problems: string[] = [];

const documents = tracked.filter((file) => file.endsWith(".md"));
const scripts: Record<string, string> = JSON.parse(read("package.json")).scripts;
const commands = listCommands(createProgram(".centspan")).map((command) => ({
  name: fullName(command),
  flags: command.options.flatMap((option) => [option.long, option.short]),
}));

for (const file of documents) {
  const text = read(file);
  for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)) {
    if (!existsSync(join(ROOT, dirname(file), target))) problems.push(`${file}: link to ${target} leads nowhere`);
  }
  for (const [, name = ""] of text.matchAll(/npm run ([a-z][\w:-]*)/g)) {
    if (scripts[name] === undefined) problems.push(`${file}: npm run ${name}: no such script`);
  }
  for (const [line] of text.matchAll(/(?:npx centspan|npm start --) [^\n`]*/g)) checkCommand(file, line);
}

function checkCommand(file: string, line: string): void {
  const words = line
    .replace(/^npx /, "")
    .replace(/^npm start --/, "centspan up")
    .split(/\s+/);
  const command = commands.find(({ name }) => words.slice(0, name.split(" ").length).join(" ") === name);
  if (command === undefined) {
    if (!/^centspan (--help|…)/.test(words.join(" "))) problems.push(`${file}: \`${line}\`: no such command`);
    return;
  }
  for (const word of words.filter((candidate) => /^--?[a-z]/.test(candidate))) {
    if (!command.flags.includes(word.split("=")[0])) problems.push(`${file}: \`${line}\`: no option ${word}`);
  }
}

const settings = read("docs/settings.md");
const sources = tracked.filter(
  (file) => /^(apps|packages)\/[^/]+\/src\/.*\.tsx?$/.test(file) && !/\.test\.|\/testing\//.test(file),
);
const named = new Set(
  sources.flatMap((file) => read(file).match(/\b(CENTSPAN_[A-Z_]+|CLICKHOUSE_URL|DATABASE_URL)\b/g) ?? []),
);
for (const name of named)
  if (!settings.includes(`\`${name}\``)) problems.push(`docs/settings.md: says nothing of ${name}`);

for (const manifest of tracked.filter((file) => /^(apps|packages)\/[^/]+\/package\.json$/.test(file))) {
  const readme = join(dirname(manifest), "README.md");
  if (!tracked.includes(readme)) problems.push(`${readme}: is missing`);
}

for (const problem of problems) console.error(problem);
console.log(`documentation: ${documents.length} documents, ${named.size} settings, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
