/** On a first start: says that there are histories on this disk and how to read them; asks where somebody is there to answer. */
import { homedir } from "node:os";
import { historyFormats } from "@centspan/histories";
import { formatBytes } from "@centspan/ui/format";
import { askPerson } from "./ask-person.ts";
import { findHistories, sumBytes } from "./find-histories.ts";

/** Null where there is nothing to offer. */
export async function describeOffer(): Promise<string | null> {
  const { files } = await findHistories(historyFormats, { home: homedir(), environment: process.env });
  if (files.length === 0) return null;
  const agents = [...new Set(files.map(({ format }) => format.agent))].join(" and ");
  return `${agents} left ${files.length.toLocaleString("en-US")} histories (${formatBytes(sumBytes(files))}) on this disk: what they cost and what was paid twice can be read from them, metadata only.`;
}

/** Never a yes that nobody gave. */
export const askToImport = async (question: string, signal: AbortSignal): Promise<boolean> =>
  /^y(es)?$/i.test((await askPerson(question, signal)) ?? "");
