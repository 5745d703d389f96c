/** The navigation by question: each section with its pages, the first of which opens it. One place for menu, tabs and palette. */
import type { Catalogue } from "#i18n";

type Name = {
  [K in keyof Catalogue]: Catalogue[K] extends string ? K : never;
}[keyof Catalogue];
export type SectionPage = { path: string; name: Name };
export type Section = { name: Name; pages: readonly [SectionPage, ...SectionPage[]] };

export const SECTIONS: readonly Section[] = [
  { name: "ledger", pages: [{ path: "/", name: "ledger" }] },
  { name: "outcomes", pages: [{ path: "/outcomes", name: "outcomes" }] },
  { name: "waste", pages: [{ path: "/waste", name: "waste" }] },
  { name: "runs", pages: [{ path: "/runs", name: "runs" }] },
  {
    name: "allocation",
    pages: [
      { path: "/spend", name: "spend" },
      { path: "/budgets", name: "budgets" },
    ],
  },
  {
    name: "recommendations",
    pages: [
      { path: "/recommendations", name: "recommendations" },
      { path: "/what-if", name: "whatIfPage" },
    ],
  },
  {
    name: "monthClose",
    pages: [
      { path: "/close", name: "monthClose" },
      { path: "/close/reconciliation", name: "reconciliation" },
      { path: "/prices", name: "prices" },
      { path: "/report", name: "monthlyReport" },
    ],
  },
  { name: "sourcesAndPrivacy", pages: [{ path: "/sources", name: "sourcesAndPrivacy" }] },
  { name: "settings", pages: [{ path: "/settings", name: "settings" }] },
];

/** A key's page is of the ledger, which leads there. */
const OF_LEDGER = /^\/keys\//;

const holds = (page: string, path: string): boolean =>
  page === "/" ? path === "/" || OF_LEDGER.test(path) : path === page || path.startsWith(`${page}/`);

export const isOfSection = ({ pages }: Pick<Section, "pages">, path: string): boolean =>
  pages.some((page) => holds(page.path, path));

/** The pages beside this one; none where it is alone. */
export function listBeside(path: string): { pages: readonly SectionPage[]; current: string } {
  const section = SECTIONS.find((one) => isOfSection(one, path));
  if (section === undefined || section.pages.length === 1) return { pages: [], current: path };
  const [current = section.pages[0]] = section.pages
    .filter((page) => holds(page.path, path))
    .toSorted((a, b) => b.path.length - a.path.length);
  return { pages: section.pages, current: current.path };
}
