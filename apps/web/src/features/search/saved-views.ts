/** Views that a person keeps, in their own browser: a name and an address, which says all that the view is. */
import { z } from "zod";

const KEY = "centspan.views";
const viewsSchema = z.array(z.object({ name: z.string(), href: z.string().startsWith("/") }));
export type SavedView = z.infer<typeof viewsSchema>[number];

export function readViews(store: Pick<Storage, "getItem">): SavedView[] {
  try {
    return viewsSchema.parse(JSON.parse(store.getItem(KEY) ?? "[]"));
  } catch {
    return [];
  }
}

/** One of the same name makes way. */
export const addView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].sort((a, b) => (a.name < b.name ? -1 : 1));

export const writeViews = (store: Pick<Storage, "setItem">, views: readonly SavedView[]): void =>
  store.setItem(KEY, JSON.stringify(views));
