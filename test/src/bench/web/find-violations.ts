/** What axe-core finds wrong with a page, of the two grades that shut somebody out. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export type Violation = { rule: string; impact: string; help: string; targets: string[] };

/** The script that runs in the page. */
const RUN = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, impact, help, nodes }) => ({ rule: id, impact, help, targets: nodes.slice(0, 5).map((node) => node.target.join(" ")) })))`;

export async function findViolations(page: Page): Promise<Violation[]> {
  await page.evaluate(SOURCE);
  return page.evaluate<Violation[]>(RUN);
}
