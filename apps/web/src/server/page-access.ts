/**
 * What each page and route of the app folder needs: the one list of them. Null is for whoever comes: there a key, a link or a
 * password says who it is, or nothing is said that is not public. Pure.
 */
import type { Permission } from "@centspan/model";

export const PAGES: Readonly<Record<string, Permission | null>> = {
  "/": "figures.read",
  "/approve/[token]": null,
  "/budgets": "figures.read",
  "/close": "figures.read",
  "/close/reconciliation": "audit.read",
  "/keys/[keyId]": "figures.read",
  "/outcomes": "figures.read",
  "/prices": "figures.read",
  "/recommendations": "figures.read",
  "/recommendations/[id]": "figures.read",
  "/report": "figures.read",
  "/runs": "figures.read",
  "/runs/[traceId]": "figures.read",
  "/runs/[traceId]/prompt/[spanId]": "figures.read",
  "/runs/compare": "figures.read",
  "/search": "figures.read",
  "/search/results": "figures.read",
  "/runs/[traceId]/[part]": "figures.read",
  "/settings": null,
  "/settings/account": null,
  "/settings/audit": "audit.read",
  "/settings/content": "settings.write",
  "/settings/keys": "keys.write",
  "/settings/members": "members.manage",
  "/settings/retention": "settings.write",
  "/settings/teams": "settings.write",
  "/settings/webhooks": "keys.write",
  "/settings/workspace": "workspace.export",
  "/settings/workspace/export/[table]": "workspace.export",
  "/sources": "figures.read",
  "/spend": "figures.read",
  "/spend/csv": "figures.read",
  "/waste": "figures.read",
  "/waste/[cause]": "figures.read",
  "/what-if": "simulations.run",
  "/join/[token]": null,
  "/sign-in": null,
  "/session": null,
  "/auth/callback/[provider]": null,
  "/preferences": null,
  "/api/v1/[...path]": null,
  "/mcp": null,
};

const matches = (pattern: readonly string[], parts: readonly string[]): boolean =>
  pattern.length === parts.length && pattern.every((segment, i) => segment.startsWith("[") || segment === parts[i]);

/** What the page at an address needs. A page that is not in the list is a fault of ours. */
export function findAccess(path: string): Permission | null {
  const parts = path.split("/");
  const pattern = Object.keys(PAGES).find((candidate) => matches(candidate.split("/"), parts));
  const access = pattern === undefined ? undefined : PAGES[pattern];
  if (access === undefined) throw new Error(`${path} is not in the list of pages (page-access.ts)`);
  return access;
}
