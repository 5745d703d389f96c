/** What shows a cause, in words: where a prompt differed, what was different there, and what that repeated. */
import type { WasteItemRow } from "@centspan/model";
import { formatCount, formatSeconds } from "@centspan/ui";
import type { Catalogue } from "#i18n";

type Evidence = WasteItemRow["evidence"];

/** Names of the wire that have a word, and the name itself of those that have none. */
const nameOf = (words: Readonly<Record<string, string>>, name: string): string => words[name] ?? name;

const join = (facts: readonly (string | undefined)[]): string =>
  facts.filter((fact) => fact !== undefined && fact !== "").join(" · ");

/** "system text · the time of day"; "" where nothing is known. */
export const describeChange = ({ section, change }: Pick<Evidence, "section" | "change">, t: Catalogue): string =>
  join([section && nameOf(t.promptSection, section), change && nameOf(t.promptChange, change)]);

/** The same with the exact place. */
export const describePlace = (evidence: Pick<Evidence, "section" | "path" | "change">, t: Catalogue): string =>
  join([describeChange(evidence, t), evidence.path]);

/** Reasons that say no more than the section where the prompt differed. */
const SAID_BY_PLACE = ["system_changed", "tools_changed", "input_changed"];

/** Facts beside the place, each as a name and what it is. */
export function listEvidence(evidence: Evidence, t: Catalogue): [string, string][] {
  const { tools, from, to, idleSeconds, requestId, previousRequestId, turn } = evidence;
  const reasons = evidence.reasons?.filter((reason) => !SAID_BY_PLACE.includes(reason)) ?? [];
  const facts: [string, string][] = [
    [t.missReasons, reasons.map((reason) => nameOf(t.missReason, reason)).join(", ")],
    [t.toolsOf, tools?.join(", ") ?? ""],
    [t.answeredBy, from === undefined || to === undefined ? "" : `${from} → ${to}`],
    [t.idleFor, idleSeconds === undefined ? "" : formatSeconds(idleSeconds)],
    [t.requestOf, requestId ?? ""],
    [t.previousRequest, previousRequestId ?? ""],
    [t.turnOf, turn === undefined ? "" : formatCount(turn)],
  ];
  return facts.filter(([, said]) => said !== "");
}

/** "40,960 of 41,088 tokens that were there before were paid for again". */
export function describeTokens({ knownTokens, repeatedTokens }: Evidence, t: Catalogue): string {
  if (repeatedTokens === undefined) return "";
  return knownTokens === undefined
    ? t.repeatedTokens(formatCount(repeatedTokens))
    : t.repeatedOfKnown(formatCount(repeatedTokens), formatCount(knownTokens));
}
