/** Keys of a workspace: what each may do, limits of those that ask models, and the form that makes one. */
import { KEY_KINDS, type KeyRow, type TeamRow } from "@centspan/model";
import { ActionForm } from "#components/action-form";
import { DataTable, wide } from "#components/data-table";
import { ChoiceField, TextField } from "#components/fields";
import type { Catalogue } from "#i18n";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { makeKey, revokeKey, saveLimits } from "./actions.ts";
import { listScopes } from "./key-form.ts";

const FORM = "flex flex-wrap items-start gap-3 px-4 pt-2 pb-3.5";

function LimitFields({ t, rules }: { t: Catalogue; rules: KeyRow["rules"] }) {
  const number = { type: "number", min: 1, step: 1, hint: t.noLimit } as const;
  return (
    <>
      <TextField label={t.keyModels} name="models" hint={t.keyModelsHint} defaultValue={rules.models?.join(", ")} />
      <TextField
        label={t.requestsPerMinute}
        name="requestsPerMinute"
        {...number}
        defaultValue={rules.requestsPerMinute}
      />
      <TextField label={t.tokensPerMinute} name="tokensPerMinute" {...number} defaultValue={rules.tokensPerMinute} />
      <TextField label={t.maxOutputTokens} name="maxOutputTokens" {...number} defaultValue={rules.maxOutputTokens} />
    </>
  );
}

function Row({ page, row }: { page: Page; row: KeyRow }) {
  const { t, params } = page;
  const { keyId, name, kind, scopes, team, hint, revokedAt, rules } = row;
  const target = { workspace: params.workspace, id: keyId };
  return (
    <tr>
      <td>
        <b className="font-semibold">{name}</b>
      </td>
      <td>{kind}</td>
      <td className="cell-wide text-ink-2">{team ?? "–"}</td>
      <td className="max-w-[280px] whitespace-normal! text-ink-2">
        {scopes?.join(", ") ?? t.keyAll}
        {kind === "gateway" && revokedAt === null && (
          <details>
            <summary className="cursor-pointer">{t.limitsOf(name)}</summary>
            <ActionForm
              action={saveLimits.bind(null, target)}
              submit={t.saveLimits}
              label={`${t.saveLimits}: ${name}`}
              className="flex flex-col items-start gap-2 py-2"
            >
              <LimitFields t={t} rules={rules} />
              <p className="text-axis text-ink-3">{t.limitsKeep}</p>
            </ActionForm>
          </details>
        )}
      </td>
      <td className="cell-wide font-mono text-axis text-ink-2">…{hint}</td>
      <td className="text-ink-2">{revokedAt === null ? t.keyLive : t.keyRevoked(revokedAt.slice(0, 10))}</td>
      <td>
        {revokedAt === null && (
          <ActionForm action={revokeKey.bind(null, target)} submit={t.revoke} label={t.revokeOf(name)} isDanger />
        )}
      </td>
    </tr>
  );
}

function Scopes({ page }: { page: Page }) {
  const { t } = page;
  return (
    <fieldset className="basis-full">
      <legend className="font-medium text-ink-2 text-note">
        {t.keyScopes} <span className="font-normal text-axis text-ink-3">{t.keyScopesHint}</span>
      </legend>
      <div className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {listScopes(page.may).map((scope) => (
          <label key={scope} className="flex items-center gap-1.5 font-mono text-axis">
            <input type="checkbox" name="scopes" value={scope} defaultChecked={scope === "figures.read"} />
            {scope}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function KeysView({ page, keys, teams }: { page: Page; keys: readonly KeyRow[]; teams: readonly TeamRow[] }) {
  const { t, params } = page;
  const sorted = [...keys].sort((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null));
  return (
    <>
      <Panel title={t.makeKey}>
        <ActionForm action={makeKey.bind(null, params.workspace)} submit={t.makeKey} isMain className={FORM}>
          <TextField label={t.keyName} name="name" hint={t.keyNameHint} required maxLength={63} autoComplete="off" />
          <ChoiceField
            label={t.keyKind}
            name="kind"
            chosen="gateway"
            choices={KEY_KINDS.map((kind) => [kind, t.keyKindOf[kind]])}
          />
          <ChoiceField
            label={t.keyTeam}
            name="team"
            chosen=""
            choices={[["", "–"], ...teams.map(({ id, name }) => [id, name] as const)]}
          />
          <details className="basis-full">
            <summary className="cursor-pointer font-medium text-ink-2 text-note">{t.keyLimits}</summary>
            <div className="flex flex-wrap items-start gap-3 pt-2">
              <LimitFields t={t} rules={{}} />
            </div>
          </details>
          <Scopes page={page} />
        </ActionForm>
      </Panel>
      <Panel title={t.settingsOf.keys}>
        {keys.length === 0 ? (
          <p className="px-4 pt-1 pb-3.5 text-ink-2">{t.noKeys}</p>
        ) : (
          <DataTable headings={[t.keyName, t.keyKind, wide(t.keyTeam), t.keyMay, wide(t.keyEndsIn), t.keyState, ""]}>
            {sorted.map((row) => (
              <Row key={row.keyId} page={page} row={row} />
            ))}
          </DataTable>
        )}
      </Panel>
    </>
  );
}
