/** How far a comparison has come, and what is read of its form. Pure. */
import type { ReconciliationView } from "@centspan/ui";
import type { Catalogue } from "#i18n";

export type CompareState = {
  aliasText: string;
  /** What is wrong with the file, or with what was asked. */
  refusal: string | null;
  view: ReconciliationView | null;
};

/** Lines of `theirs=ours`; null where one is none. */
export function readAliases(text: string): Record<string, string> | null {
  const pairs: [string, string][] = [];
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "") continue;
    const [, theirs, ours] = /^([^=]+)=([^=]+)$/.exec(line) ?? [];
    if (theirs === undefined || ours === undefined) return null;
    pairs.push([theirs.trim(), ours.trim()]);
  }
  return Object.fromEntries(pairs);
}

/** The words of the form and its answer: plain texts, so that they can be handed to a browser. */
export const pickTexts = (t: Catalogue) => ({
  ...{ compare: t.compare, comparing: t.comparing, fileToCompare: t.fileToCompare, fileHint: t.fileHint },
  ...{ aliases: t.aliases, aliasesHint: t.aliasesHint, fileRefused: t.fileRefused, keyFigures: t.keyFigures },
  ...{ invoiced: t.invoiced, ratedHere: t.ratedHere, difference: t.difference, unexplained: t.unexplained },
  ...{ nothingUnexplained: t.nothingUnexplained, someUnexplained: t.someUnexplained, ofRated: t.ofRated },
  ...{ matchedDays: t.matchedDays, byCause: t.byCause, byCauseNote: t.byCauseNote, differences: t.differences },
  ...{ noDifferences: t.noDifferences, strangeNames: t.strangeNames, causeOf: t.causeOf, causeText: t.causeText },
  ...{
    cause: t.cause,
    day: t.day,
    rowInFile: t.rowInFile,
    all: t.all,
    calls: t.unitsText,
    group: t.group,
    meterOf: t.meterOf,
  },
  ...{ evidence: t.evidence, project: t.project },
});
export type CompareTexts = ReturnType<typeof pickTexts>;
