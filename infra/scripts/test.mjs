// `npm test`: the whole gate. Lint, boundaries, ratchet, generated files, types, builds, unit and integration tests, and the
// browser end to end. Ends with `N passed, N failed`: tests counted from Vitest's own reports, each other check as one.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { findChromium } from "./find-chromium.mjs";
import { installWhenChanged, quietEnvironment, ROOT, requireNode, run, turbo } from "./prepare.mjs";

requireNode();
await installWhenChanged();
const env = { ...quietEnvironment, CHROMIUM_PATH: await findChromium() };
const shared = process.env.CENTSPAN_SHARED;
// Each package's tests run in its own folder.
if (shared !== undefined) env.CENTSPAN_SHARED = resolve(ROOT, shared);

const totals = { passed: 0, failed: 0, skipped: 0 };
const failures = [];

async function check(title, command, args) {
  console.log(`\n── ${title}`);
  const code = await run(command, args, { env });
  if (code === 130) process.exit(130);
  if (code === 0) totals.passed += 1;
  else {
    totals.failed += 1;
    failures.push(title);
  }
}

/** Adds up the reports of a Vitest run; a folder that has tests and left no report has failed. */
async function runTests(title, task) {
  const folders = ["apps", "packages"].flatMap((kind) => readdirSync(join(ROOT, kind)).map((room) => join(kind, room)));
  const tested = [...folders, "test"].filter((folder) => hasScript(folder, task));
  for (const folder of tested) rmSync(join(ROOT, folder, REPORT), { force: true });
  console.log(`\n── ${title}`);
  // Time limits are there to end what hangs, not to measure: two packages share the machine.
  const limits = ["--testTimeout=60000", "--hookTimeout=120000"];
  const seed = process.env.CI ? [`--execArgv=--import=${join(ROOT, "infra/scripts/fix-seed.mjs")}`] : [];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${REPORT}`];
  const [command, args] = turbo([
    task,
    "--concurrency=2",
    "--continue",
    "--output-logs=new-only",
    "--",
    ...limits,
    ...seed,
    ...reporters,
  ]);
  const code = await run(command, args, { env });
  if (code === 130) process.exit(130);
  let failed = 0;
  for (const folder of tested) {
    const report = readReport(folder);
    if (report === null) {
      failed += 1;
      failures.push(`${folder}: no test report`);
      continue;
    }
    totals.passed += report.numPassedTests;
    totals.skipped += report.numPendingTests + report.numTodoTests;
    const broken = report.testResults.filter((file) => file.status === "failed");
    // A file that fails to load has no failed test in it, but it did fail.
    failed += report.numFailedTests + broken.filter((file) => file.assertionResults.length === 0).length;
    failures.push(...broken.flatMap(nameFailures));
  }
  if (code !== 0 && failed === 0) {
    failed = 1;
    failures.push(`${title}: exit code ${code}`);
  }
  totals.failed += failed;
}

const REPORT = ".tmp/test-report.json";

function nameFailures({ name, assertionResults }) {
  const file = relative(ROOT, name);
  const broken = assertionResults.filter((test) => test.status === "failed");
  return broken.length === 0 ? [file] : broken.map((test) => `${file} > ${test.fullName}`);
}

const hasScript = (folder, name) =>
  JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")).scripts?.[name] !== undefined;

function readReport(folder) {
  try {
    return JSON.parse(readFileSync(join(ROOT, folder, REPORT), "utf8"));
  } catch {
    return null;
  }
}

const node = process.execPath;
await check("Lint and format", "node_modules/.bin/biome", ["ci", "--colors=off", "."]);
await check("Turborepo boundaries", "node_modules/.bin/turbo", ["boundaries"]);
await check("Dependency boundaries", node, ["infra/scripts/check-boundaries.mjs"]);
await check("Ratchet", node, ["infra/scripts/check-ratchet.mjs"]);
await check("Generated files", node, ["--import", "tsx", "infra/scripts/generate.ts", "--check"]);
await check("Documentation", node, ["--import", "tsx", "infra/scripts/check-docs.ts"]);
await check("Build and types", ...turbo(["build", "typecheck", "--concurrency=2", "--output-logs=errors-only"]));
await runTests("Unit and integration tests", "test");
await runTests("End to end, with a real browser", "e2e");

if (shared === undefined) console.log("\nLeft out: tests against shared data (CENTSPAN_SHARED is not set).");
if (failures.length > 0) console.log(`\nFailed:\n  ${failures.join("\n  ")}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1);
