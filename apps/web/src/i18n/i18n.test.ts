import { describe, expect, it } from "vitest";
import { en } from "./en.ts";
import { enMoney } from "./en-money.ts";
import { enOutcomes } from "./en-outcomes.ts";
import { enPeople } from "./en-people.ts";
import { enRecommendations } from "./en-recommendations.ts";
import { enWaste } from "./en-waste.ts";
import { enWaterfall } from "./en-waterfall.ts";
import { chooseLanguage } from "./index.ts";
import { ko } from "./ko.ts";

/** Every text of a catalogue by its path, functions called with markers in place of their arguments. */
function listTexts(node: object, path = ""): [string, string][] {
  return Object.entries(node).flatMap(([name, value]): [string, string][] => {
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof value === "string") return [[at, value]];
    if (typeof value === "function") return [[at, String(value(...["⟦a⟧", "⟦b⟧", "⟦c⟧"].slice(0, value.length)))]];
    return listTexts(value, at);
  });
}

const isOfParts = (key: string, text: unknown): boolean =>
  [enMoney, enOutcomes, enPeople, enRecommendations, enWaste, enWaterfall].some((part) =>
    Object.entries(part).some(([name, said]) => name === key && said === text),
  );

const markersOf = (text: string): string[] => [...new Set(text.match(/⟦.⟧/g) ?? [])].sort();

describe("catalogues", () => {
  const [english, korean] = [listTexts(en), listTexts(ko)];

  it("have the same keys, none empty", () => {
    expect(korean.map(([path]) => path).sort()).toEqual(english.map(([path]) => path).sort());
    expect([...english, ...korean].filter(([, text]) => text.trim() === "")).toEqual([]);
  });

  it("have no key in two parts, the later of which would be said in the place of the earlier", () => {
    const parts = [enMoney, enOutcomes, enPeople, enRecommendations, enWaste, enWaterfall].map((part) =>
      Object.keys(part),
    );
    const keys = parts.flat();
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    expect(Object.entries(en).filter(([key, text]) => keys.includes(key) && !isOfParts(key, text))).toEqual([]);
  });

  it("say every value they are given", () => {
    const wanted = new Map(english.map(([path, text]) => [path, markersOf(text)]));
    for (const [path, text] of korean) expect([path, markersOf(text)]).toEqual([path, wanted.get(path)]);
  });

  it("are in their language: no Hangul in English, Hangul in Korean sentences", () => {
    const hangul = /[가-힣]/;
    expect(english.filter(([path, text]) => hangul.test(text) && path !== "otherLanguage")).toEqual([]);
    expect(korean.filter(([, text]) => /[a-z]+ [a-z]+ [a-z]+ [a-z]+/.test(text))).toEqual([]);
  });
});

describe("language of a request", () => {
  it("follows the cookie, then the browser, then English", () => {
    expect(chooseLanguage("ko", "en-GB,en")).toBe("ko");
    expect(chooseLanguage(undefined, "ko-KR,ko;q=0.9,en;q=0.8")).toBe("ko");
    expect(chooseLanguage("xx", "fr-FR,ko")).toBe("en");
    expect(chooseLanguage(undefined, null)).toBe("en");
  });
});
