/** Addresses of every page of the web app, from the folder of its routes: a new page is looked at without being named here. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../stack/processes.ts";

const ROUTES = join(ROOT, "apps/web/src/app");

/** A page with a part that varies is left out where no value is given for it; `left` names those. */
export function listPages(values: Readonly<Record<string, string>>): { pages: string[]; left: string[] } {
  const [pages, left]: [string[], string[]] = [[], []];
  for (const file of readdirSync(ROUTES, { recursive: true, encoding: "utf8" }).sort()) {
    if (!/(^|\/)page\.tsx$/.test(file)) continue;
    const route = `/${file.replace(/\/?page\.tsx$/, "")}`;
    const path = route.replace(/\[([^\]]+)\]/g, (part, name: string) => values[name] ?? part);
    (path.includes("[") ? left : pages).push(path);
  }
  return { pages, left };
}
