/** What the palette offers for what stands in its field: saved views, what was found, pages, and to keep this address. Pure. */
import type { ShellLabels } from "#components/shell-labels";
import { buildHref, type Params } from "../page/params.ts";
import type { Found } from "./find.ts";
import type { SavedView } from "./saved-views.ts";

/** Opens `href`, or keeps the address of this page under `keepAs`. */
export type Choice = { id: string; group: string; label: string; note: string } & (
  | { href: string; view: string | null }
  | { keepAs: string }
);

type Offered = {
  views: readonly SavedView[];
  found: readonly Found[];
  /** What every address carries along. */
  carried: Params;
  /** This page's own. */
  here: string;
};

export function listChoices(text: string, { views, found, carried, here }: Offered, labels: ShellLabels): Choice[] {
  const asked = text.trim();
  const isAsked = (label: string): boolean => label.toLowerCase().includes(asked.toLowerCase());
  const open = (id: string, label: string, rest: { group: string; note: string; href: string }): Choice => ({
    ...{ id, label, view: null },
    ...rest,
  });
  return [
    ...views
      .filter(({ name }) => isAsked(name))
      .map(({ name, href }) => ({
        ...open(`view ${name}`, name, { group: labels.savedViews, note: href, href }),
        view: name,
      })),
    ...found.map(({ kind, name, note, path, params }) =>
      open(`${kind} ${name} ${path}`, name, {
        group: labels.foundKind[kind] ?? kind,
        note,
        href: buildHref(path, { ...carried, ...params }),
      }),
    ),
    ...labels.pages
      .filter(({ label }) => isAsked(label))
      .map(({ label, path }) =>
        open(`page ${path}`, label, { group: labels.goTo, note: "", href: buildHref(path, carried) }),
      ),
    ...(asked === ""
      ? []
      : [
          {
            id: "keep",
            group: labels.savedViews,
            label: `${labels.saveViewAs} “${asked}”`,
            note: here,
            keepAs: asked,
          },
        ]),
  ];
}
