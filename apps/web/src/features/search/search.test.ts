import { describe, expect, it } from "vitest";
import { listChoices } from "./list-choices.ts";
import { addView, readViews, writeViews } from "./saved-views.ts";

const labels = {
  ...{ csv: "", picture: "", search: "Search", searchPlaceholder: "", nothingFound: "", goTo: "Go to" },
  ...{ savedViews: "Saved views", saveView: "Save view", saveViewAs: "Save as" },
  foundKind: { key: "Key" },
  pages: [
    { label: "Ledger", path: "/" },
    { label: "Runs", path: "/runs" },
  ],
};
const offered = {
  views: [{ name: "runs of search", href: "/runs?team=search" }],
  found: [{ kind: "key", name: "search-agent", note: "gateway", path: "/keys/search-agent", params: {} } as const],
  carried: { workspace: "w" },
  here: "/outcomes?groupBy=model",
};

describe("the palette", () => {
  it("offers views first, then what was found, pages, and to keep this address under what was typed", () => {
    expect(listChoices("runs", offered, labels).map(({ group, label }) => `${group}: ${label}`)).toEqual([
      "Saved views: runs of search",
      "Key: search-agent",
      "Go to: Runs",
      "Saved views: Save as “runs”",
    ]);
    expect(listChoices(" ", { ...offered, found: [] }, labels).map(({ id }) => id)).toEqual([
      "view runs of search",
      "page /",
      "page /runs",
    ]);
  });

  it("carries workspace and period to what it opens, but for views, whose address is all of them", () => {
    const [view, found, page, keep] = listChoices("runs", offered, labels);
    expect(view).toMatchObject({ href: "/runs?team=search", view: "runs of search" });
    expect(found).toMatchObject({ href: "/keys/search-agent?workspace=w", view: null });
    expect(page).toMatchObject({ href: "/runs?workspace=w" });
    expect(keep).toMatchObject({ keepAs: "runs", note: offered.here });
  });
});

describe("saved views", () => {
  const createStore = (text: string | null = null) => {
    let kept = text;
    return {
      getItem: () => kept,
      setItem: (_key: string, value: string) => {
        kept = value;
      },
    };
  };

  it("come back as they were kept, in the order of their names; one of the same name makes way", () => {
    const store = createStore();
    const views = addView(addView([], { name: "b", href: "/b" }), { name: "a", href: "/a" });
    writeViews(store, addView(views, { name: "b", href: "/other" }));
    expect(readViews(store)).toEqual([
      { name: "a", href: "/a" },
      { name: "b", href: "/other" },
    ]);
  });

  it.each([
    ["no JSON", "{"],
    ["another shape", '[{"name": 1}]'],
    ["an address elsewhere", '[{"name":"a","href":"https://x"}]'],
  ])("are none where there is %s", (_what, text) => {
    expect(readViews(createStore(text))).toEqual([]);
  });
});
