import { describe, expect, it } from "vitest";
import { matchesModel } from "./key-rules.ts";

/** The obvious way, whose time grows with a power of the name's length. */
function matchesSlowly(pattern: string, model: string): boolean {
  const parts = pattern.split("*").map((text) => text.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(model);
}

describe("a model's name against a pattern", () => {
  it("matches as a regular expression would: all of up to five letters", () => {
    const listTexts = (letters: string, most: number): string[] =>
      most === 0
        ? [""]
        : ["", ...listTexts(letters, most - 1).flatMap((text) => [...letters].map((one) => one + text))];
    const models = new Set(listTexts("a.\n", 5));
    for (const pattern of new Set(listTexts("a.*", 5))) {
      const differing = [...models].filter((model) => matchesModel(pattern, model) !== matchesSlowly(pattern, model));
      expect({ pattern, differing }).toEqual({ pattern, differing: [] });
    }
  });

  // A regular expression would be at it for years.
  it("is read once, however long it is and however many stars there are", () => {
    expect(matchesModel("a*b*b*b*c", `a${"b".repeat(1_000_000)}`)).toBe(false);
    expect(matchesModel("a*b*b*b*c", `a${"b".repeat(1_000_000)}c`)).toBe(true);
  });
});
