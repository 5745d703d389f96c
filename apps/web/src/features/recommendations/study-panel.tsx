/** What the optimizer was asked lately, and where that is; and what needs nobody's word. */
import type { AcceptancePolicy, Study } from "@centspan/model";
import { formatDateMinute, parseInstantNs } from "@centspan/ui";
import { DataTable, wide } from "#components/data-table";
import { PageLink } from "#components/page-link";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";

export function StudyPanel({ page, studies }: { page: Page; studies: readonly Study[] }) {
  const { t, language } = page;
  if (studies.length === 0) return null;
  return (
    <Panel title={t.studies} note={t.studiesNote}>
      <DataTable headings={[t.studyHeading, t.stateHeading, t.studyResult, wide(t.time)]}>
        {studies.map(({ id, asked, state, progress, result, filed, askedAt }) => (
          <tr key={id}>
            <td>
              {t.studyKind[asked.kind]}
              <p className="text-ink-2 text-note">{subjectOf(asked)}</p>
            </td>
            <td>{t.studyState[state]}</td>
            <td className="whitespace-normal!">
              {state === "refused"
                ? (result?.refused ?? []).map(({ message }) => <p key={message}>{message}</p>)
                : progress}
              {Object.values(filed).map((recommendation) => (
                <p key={recommendation}>
                  <PageLink href={page.href(`/recommendations/${encodeURIComponent(recommendation)}`)}>
                    {t.studyFiled}
                  </PageLink>
                </p>
              ))}
            </td>
            <td className="cell-wide text-ink-2">{formatDateMinute(parseInstantNs(askedAt), language)}</td>
          </tr>
        ))}
      </DataTable>
    </Panel>
  );
}

const subjectOf = (asked: Study["asked"]): string =>
  asked.kind === "verification"
    ? asked.recommendation
    : asked.kind === "search"
      ? (asked.service ?? asked.subject)
      : asked.subject;

export function PolicyPanel({ page: { t }, policies }: { page: Page; policies: readonly AcceptancePolicy[] }) {
  return (
    <Panel title={t.policies} note={policies.length === 0 ? t.noPolicies : t.policiesNote}>
      {policies.length > 0 && (
        <DataTable headings={[t.policyHeading, t.policyKnobs, t.policySubjects]}>
          {policies.map(({ name, knobs, subjects }) => (
            <tr key={name}>
              <td className="font-semibold">{name}</td>
              <td className="whitespace-normal! font-mono">{knobs.join(", ")}</td>
              <td className="whitespace-normal!">{subjects?.join(", ") ?? t.all}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
