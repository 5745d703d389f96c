// The ratchet: escapes from the type checker and the linter, counted over the sources. Counts may only fall.
// `--write` records today's counts, and refuses to record a rise.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../ratchet.json", import.meta.url);
const PATTERNS = {
  any: /[:<,|(]\s*any\b/g,
  as: /\bas (?!const\b)[A-Za-z{[(]/g,
  tsExpectError: /@ts-(expect-error|ignore|nocheck)/g,
  biomeIgnore: /biome-ignore/g,
  nonNull: /[\w)\]]!(?=[.;,)\]])/g,
};

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && !file.endsWith(".gen.ts") && !file.includes("/tasks/"));
const counts = Object.fromEntries(Object.keys(PATTERNS).map((name) => [name, 0]));
const places = Object.fromEntries(Object.keys(PATTERNS).map((name) => [name, []]));
for (const file of files) {
  const lines = readFileSync(file, "utf8").split("\n");
  for (const [index, line] of lines.entries()) {
    const code = line
      .replace(/^\s*(\/\/|\*|\/\*).*/, "")
      .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""');
    // Renaming in imports and exports is not a cast.
    const isImport = /^\s*(import|export)\b.*\bfrom\b|^\s*(type )?\w+ as \w+,?$/.test(line);
    for (const [name, pattern] of Object.entries(PATTERNS)) {
      if (isImport) continue;
      const searched = name === "tsExpectError" || name === "biomeIgnore" ? line : code;
      const found = searched.match(pattern)?.length ?? 0;
      counts[name] += found;
      if (found > 0) places[name].push(`${file}:${index + 1}`);
    }
  }
}

const allowed = JSON.parse(readFileSync(FILE, "utf8"));
const risen = Object.keys(counts).filter((name) => counts[name] > (allowed[name] ?? 0));
if (risen.length > 0) {
  for (const name of risen) {
    console.error(
      `ratchet: ${name} rose from ${allowed[name]} to ${counts[name]}:\n  ${places[name].slice(-20).join("\n  ")}`,
    );
  }
  process.exit(1);
}
if (process.argv.includes("--write")) writeFileSync(FILE, `${JSON.stringify(counts, null, 2)}\n`);
else if (Object.keys(counts).some((name) => counts[name] < allowed[name])) {
  console.log("ratchet: counts fell; record them with `node infra/scripts/check-ratchet.mjs --write`");
}
console.log(
  `ratchet: ${Object.entries(counts)
    .map(([name, count]) => `${name} ${count}/${allowed[name]}`)
    .join(", ")} in ${files.length} files`,
);
