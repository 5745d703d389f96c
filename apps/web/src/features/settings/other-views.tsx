/** Teams, recorded content, retention and webhooks: a table each, with a small form in each row. */
import type { BudgetRow, KeyRow, RetentionRow, TeamRow, WebhookRow } from "@centspan/model";
import { ActionForm } from "#components/action-form";
import { DataTable } from "#components/data-table";
import { TextField } from "#components/fields";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { keepFor, recordContent, saveTeam } from "./actions.ts";

const Text = ({ children }: { children: string }) => (
  <p className="max-w-[860px] px-4 pt-1 pb-3.5 text-ink-2">{children}</p>
);

export function TeamsView({ page, teams }: { page: Page; teams: readonly TeamRow[] }) {
  const { t, params } = page;
  const action = saveTeam.bind(null, params.workspace);
  return (
    <>
      <Panel title={t.settingsOf.teams}>
        {teams.length === 0 ? (
          <Text>{t.noTeams}</Text>
        ) : (
          <DataTable headings={[t.teamId, `${t.teamName} · ${t.teamDepartment}`]}>
            {teams.map(({ id, name, department }) => (
              <tr key={id}>
                <td className="font-mono">{id}</td>
                <td>
                  <ActionForm
                    action={action}
                    submit={t.saveTeam}
                    label={t.saveTeamOf(id)}
                    className="flex flex-wrap gap-2 py-1"
                  >
                    <input type="hidden" name="id" value={id} />
                    <input
                      className="field"
                      name="name"
                      aria-label={`${t.teamName}: ${id}`}
                      defaultValue={name}
                      required
                      maxLength={100}
                    />
                    <input
                      className="field"
                      name="department"
                      aria-label={`${t.teamDepartment}: ${id}`}
                      defaultValue={department}
                      maxLength={100}
                    />
                  </ActionForm>
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </Panel>
      <Panel title={t.newTeam}>
        <ActionForm
          action={action}
          submit={t.newTeam}
          isMain
          className="flex flex-wrap items-end gap-3 px-4 pt-2 pb-3.5"
        >
          <TextField label={t.teamId} name="id" required maxLength={63} autoComplete="off" />
          <TextField label={t.teamName} name="name" required maxLength={100} autoComplete="off" />
          <TextField label={t.teamDepartment} name="department" maxLength={100} autoComplete="off" />
        </ActionForm>
      </Panel>
    </>
  );
}

export function ContentView({ page, keys }: { page: Page; keys: readonly KeyRow[] }) {
  const { t, params } = page;
  const live = keys.filter(({ kind, revokedAt }) => kind === "gateway" && revokedAt === null);
  return (
    <Panel title={t.settingsOf.content}>
      <Text>{live.length === 0 ? t.noGatewayKeys : t.contentText}</Text>
      {live.length > 0 && (
        <DataTable headings={[t.keyName, t.keyTeam, t.keyState, ""]}>
          {live.map(({ keyId, name, team, rules }) => {
            const isOn = rules.content === true;
            const target = { workspace: params.workspace, id: keyId, isOn: !isOn };
            return (
              <tr key={keyId}>
                <td className="font-semibold">{name}</td>
                <td className="text-ink-2">{team ?? "–"}</td>
                <td>{isOn ? <span className="tag tag-accent">{t.contentOf.on}</span> : t.contentOf.off}</td>
                <td>
                  <ActionForm
                    action={recordContent.bind(null, target)}
                    submit={isOn ? t.recordNot : t.record}
                    label={isOn ? t.recordNotOf(name) : t.recordOf(name)}
                  />
                </td>
              </tr>
            );
          })}
        </DataTable>
      )}
    </Panel>
  );
}

export function RetentionView({ page, rows }: { page: Page; rows: readonly RetentionRow[] }) {
  const { t, params } = page;
  return (
    <Panel title={t.settingsOf.retention}>
      <Text>{t.retentionText}</Text>
      <DataTable headings={[t.settingsOf.retention, ""]}>
        {rows.map(({ signal, days }) => (
          <tr key={signal}>
            <td>{t.signalOf[signal]}</td>
            <td>
              <ActionForm
                action={keepFor.bind(null, { workspace: params.workspace, id: signal })}
                submit={t.keepFor}
                label={`${t.keepFor}: ${t.signalOf[signal]}`}
                className="flex flex-wrap gap-2 py-1"
              >
                <input
                  className="field"
                  type="number"
                  name="days"
                  min={1}
                  max={36_500}
                  aria-label={t.retentionDays(t.signalOf[signal])}
                  placeholder={t.forEver}
                  defaultValue={days ?? undefined}
                />
              </ActionForm>
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

type WebhooksProps = {
  page: Page;
  keys: readonly KeyRow[];
  shown: WebhookRow | null;
  origin: string;
  budgets: readonly BudgetRow[];
};

export function WebhooksView({ page, keys, shown, origin, budgets }: WebhooksProps) {
  const { t } = page;
  const live = keys.filter(({ kind, revokedAt }) => kind === "ingest" && revokedAt === null);
  const told = budgets.filter(({ alerts }) => alerts.webhook !== undefined || alerts.email.length > 0);
  return (
    <>
      <Panel title={t.settingsOf.webhooks}>
        <Text>{live.length === 0 ? t.noIngestKeys : t.webhooksText}</Text>
        {live.length > 0 && (
          <DataTable headings={[t.keyName, t.webhookAddress]}>
            {live.map(({ keyId, name }) => (
              <tr key={keyId}>
                <td className="font-semibold">{name}</td>
                <td className="whitespace-normal!">
                  {shown?.keyId === keyId ? (
                    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 py-1.5">
                      {[
                        ...shown.addresses.map(({ source, path }) => [source, `${origin}${path}`]),
                        [t.webhookSecret, shown.secret],
                      ].map(([label, text]) => (
                        <div key={label} className="contents">
                          <dt className="text-ink-2">{label}</dt>
                          <dd className="select-all break-all font-mono text-axis">{text}</dd>
                        </div>
                      ))}
                    </dl>
                  ) : (
                    <PageLink className="control" href={page.here({ key: keyId })} aria-label={t.webhookShowOf(name)}>
                      {t.webhookShow}
                    </PageLink>
                  )}
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </Panel>
      <Panel title={t.alertsTitle} aside={<PageLink href={page.href("/budgets")}>{t.budgets}</PageLink>}>
        <Text>{t.alertsText}</Text>
        {told.length > 0 && (
          <DataTable headings={[t.budgets, t.alerts]}>
            {told.map(({ budgetId, name, alerts }) => (
              <tr key={budgetId}>
                <td className="font-semibold">{name}</td>
                <td className="text-ink-2">{[alerts.webhook, ...alerts.email].filter(Boolean).join(", ")}</td>
              </tr>
            ))}
          </DataTable>
        )}
      </Panel>
    </>
  );
}
