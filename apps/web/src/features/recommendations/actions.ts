"use server";
/** Steps that people take on this page: parses, asks the Trace API once, and answers with why it was refused, or the page. */
import { CentspanError } from "@centspan/base";
import { redirect } from "next/navigation";
import { getCatalogue } from "#i18n";
import { openTraceApi } from "#server/trace-api";
import { readLanguage } from "../page/open-page.tsx";
import { buildHref } from "../page/params.ts";

export type Decision = "accept" | "reject" | "applied" | "withdraw";
type Target = { workspace: string | undefined; id: string };

const isDecision = (text: string): text is Decision => ["accept", "reject", "applied", "withdraw"].includes(text);

const readText = (sent: FormData, name: string): string => {
  const value = sent.get(name);
  return typeof value === "string" ? value.trim() : "";
};

/** Answers only where the step was not taken: with why. */
export async function takeStep({ workspace, id }: Target, _before: string | null, sent: FormData): Promise<string> {
  const t = getCatalogue(await readLanguage());
  const [by, note, step] = [readText(sent, "by"), readText(sent, "note"), readText(sent, "step")];
  if (by === "" || !isDecision(step)) return t.nameNeeded;
  try {
    await (await openTraceApi(workspace)).stepRecommendation(id, step, { by, note });
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    return thrown.message;
  }
  redirect(buildHref(`/recommendations/${encodeURIComponent(id)}`, { workspace }));
}
