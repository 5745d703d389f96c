"use server";
/** Compares a file that was chosen with the ledger: what came of it, or what is wrong with the file, by row and field. */
import { CentspanError } from "@centspan/base";
import { prepareReconciliation } from "@centspan/ui";
import { getCatalogue } from "#i18n";
import { openTraceApi } from "#server/trace-api";
import { readLanguage } from "../page/open-page.tsx";
import { type CompareState, readAliases } from "./compare-state.ts";

export async function compareFile(
  workspace: string | undefined,
  _before: CompareState,
  sent: FormData,
): Promise<CompareState> {
  const language = await readLanguage();
  const t = getCatalogue(language);
  const file = sent.get("file");
  const said = sent.get("aliases");
  const aliasText = typeof said === "string" ? said : "";
  const refuse = (refusal: string): CompareState => ({ aliasText, refusal, view: null });
  if (!(file instanceof File) || file.size === 0) return refuse(t.noFileChosen);
  const aliases = readAliases(aliasText);
  if (aliases === null) return refuse(t.aliasesWrong);
  try {
    const api = await openTraceApi(workspace);
    const row = await api.reconcile({ file: file.name, content: await file.text(), aliases });
    return { aliasText, refusal: null, view: prepareReconciliation(row, language) };
  } catch (thrown) {
    if (!(thrown instanceof CentspanError)) throw thrown;
    return refuse(thrown.message);
  }
}
