/** What a cause of waste is called and what ends it: as its plug-in says it, and in Korean where that has been written. */
import { koCauses } from "#i18n";
import type { Page } from "../page/page.ts";

export type CauseText = { title: string; describe: string; remedy: string };
/** By id; one that is not known any more is called by it. */
export type CauseWords = (cause: string) => CauseText;

export async function loadCauseWords({ api, language }: Pick<Page, "api" | "language">): Promise<CauseWords> {
  const { data } = await api.wasteCauses();
  const said = new Map<string, CauseText>(data.map(({ cause, ...words }) => [cause, words]));
  const written: Readonly<Record<string, CauseText>> = language === "ko" ? koCauses : {};
  return (cause) => written[cause] ?? said.get(cause) ?? { title: cause, describe: "", remedy: "" };
}
