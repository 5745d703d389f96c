/** Which language a request reads: what its address asks for, else its cookie, else the browser's first, else English. */
import type { Language } from "@centspan/ui";
import type { Catalogue } from "./catalogue.ts";
import { en } from "./en.ts";
import { ko } from "./ko.ts";

export type { Language } from "@centspan/ui";
export type { Catalogue } from "./catalogue.ts";
export { koCauses } from "./ko-causes.ts";

const CATALOGUES: Record<Language, Catalogue> = { en, ko };

export const isLanguage = (text: string | null | undefined): text is Language => text === "en" || text === "ko";

/** Carries the `lang` of an address from the proxy to the page. */
export const LANGUAGE_HEADER = "x-centspan-language";

export function chooseLanguage(cookie: string | undefined, acceptLanguage: string | null): Language {
  if (isLanguage(cookie)) return cookie;
  const first = (acceptLanguage ?? "").split(",", 1)[0]?.slice(0, 2).toLowerCase();
  return isLanguage(first) ? first : "en";
}

export const getCatalogue = (language: Language): Catalogue => CATALOGUES[language];
