/** A workspace's data, taken away or ended. */
import { EXPORTED_TABLES } from "@centspan/model";
import { ActionForm } from "#components/action-form";
import { TextField } from "#components/fields";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { endWorkspace } from "./actions.ts";

type Props = { page: Page; workspace: string };

export function WorkspaceView({ page, workspace }: Props) {
  const { t, params } = page;
  return (
    <>
      <Panel title={t.exportTitle}>
        <p className="max-w-[860px] px-4 pt-1 pb-3 text-ink-2">{t.exportText}</p>
        <p className="flex flex-wrap gap-2 px-4 pb-3.5">
          {EXPORTED_TABLES.map((table) => (
            <a key={table} className="control" href={page.href(`/settings/workspace/export/${table}`)} download>
              {t.download(table)}
            </a>
          ))}
        </p>
      </Panel>
      {page.may("workspace.delete") && (
        <Panel title={t.deleteTitle}>
          <p className="max-w-[860px] px-4 pt-1 pb-3 text-ink-2">{t.deleteText}</p>
          <ActionForm
            action={endWorkspace.bind(null, params.workspace)}
            submit={t.deleteIt}
            isDanger
            className="flex flex-wrap items-end gap-3 px-4 pb-3.5"
          >
            <TextField label={t.deleteConfirm(workspace)} name="confirm" required autoComplete="off" />
          </ActionForm>
        </Panel>
      )}
    </>
  );
}
