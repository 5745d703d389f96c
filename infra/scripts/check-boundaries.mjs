// Dependency boundaries at error level. dependency-cruiser sees TypeScript only through @swc/core and says nothing when it
// sees none, so the number of modules it saw is checked too.
import { execFileSync, spawnSync } from "node:child_process";

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "apps", "packages"], {
  encoding: "utf8",
});
const isSource = (file) => /^(apps|packages)\/[^/]+\/src\/.*\.tsx?$/.test(file);
const expected = tracked.split("\n").filter(isSource).length;
const result = spawnSync(
  "node_modules/.bin/depcruise",
  ["--config", ".dependency-cruiser.mjs", "--output-type", "json", "apps", "packages", "test"],
  { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 },
);
if (result.stdout === "") {
  console.error(result.stderr);
  process.exit(1);
}
const { summary, modules } = JSON.parse(result.stdout);
for (const violation of summary.violations) {
  console.error(`${violation.rule.severity} ${violation.rule.name}: ${violation.from} → ${violation.to}`);
}
const seen = modules.filter((module) => isSource(module.source)).length;
console.log(`boundaries: ${seen} modules seen of ${expected}, ${summary.violations.length} violations`);
if (seen < expected * 0.95) console.error("boundaries: too few modules seen: the check would pass on an empty graph");
process.exit(summary.error > 0 || summary.warn > 0 || seen < expected * 0.95 ? 1 : 0);
