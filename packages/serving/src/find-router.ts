/** A router by its id, with its settings checked. */
import { CentspanError, type Random } from "@centspan/base";
import type { Router, RouterPlugin } from "@centspan/model";
import { routers } from "./registry.gen.ts";

export type RouterChoice = { id: string; settings?: Readonly<Record<string, number>> };

export function findRouter(id: string): RouterPlugin {
  const found = routers.find((router) => router.id === id);
  if (found) return found;
  const known = routers.map((router) => router.id).join(", ");
  throw new CentspanError("not_found", `no router ${JSON.stringify(id)}; known: ${known}`, { field: "router.id" });
}

export function createRouter({ id, settings = {} }: RouterChoice, random: Random): Router {
  const plugin = findRouter(id);
  for (const name of Object.keys(settings)) {
    if (name in plugin.defaults) continue;
    const known = Object.keys(plugin.defaults).join(", ") || "none";
    const message = `the router ${id} has no setting ${JSON.stringify(name)}; it has: ${known}`;
    throw new CentspanError("invalid_request", message, { field: `router.settings.${name}` });
  }
  return plugin.create({ settings: { ...plugin.defaults, ...settings }, random: random.next });
}
