/** What other settings or more traffic would have done, on recorded calls: a question, and figures that say that they are simulated. */
import { ProvenanceMark, type WhatIfView } from "@centspan/ui";
import { DataTable, figures } from "#components/data-table";
import { Panel } from "../ledger/panel.tsx";
import type { Page } from "../page/page.ts";
import { FACTORS, KNOB_NAMES, type WhatIf } from "./load-what-if.ts";

type Props = { page: Page; whatIf: WhatIf };

export function WhatIfPanels(props: Props) {
  const { t } = props.page;
  const { answer } = props.whatIf;
  return (
    <>
      <Panel title={t.whatIfQuestion} note={t.whatIfNote}>
        <Question {...props} />
      </Panel>
      {answer !== null &&
        ("refusal" in answer ? (
          <Refusal page={props.page} text={answer.refusal} />
        ) : (
          <Answer page={props.page} view={answer} />
        ))}
    </>
  );
}

function Question({ page: { t, params }, whatIf: { engine, now } }: Props) {
  return (
    <form className="flex flex-wrap items-end gap-2 px-4 pt-2 pb-3" action="/what-if" aria-label={t.whatIfQuestion}>
      {params.workspace !== undefined && <input type="hidden" name="workspace" value={params.workspace} />}
      <label className="field-label">
        {t.settingHeading}
        <select className="field" name="knob" defaultValue={params.knob ?? ""}>
          <option value="">{t.noChange}</option>
          {KNOB_NAMES.map((knob) => (
            <option key={knob} value={knob}>
              {now[knob] === undefined ? t.knobName[knob] : `${t.knobName[knob]} (${now[knob]})`}
            </option>
          ))}
        </select>
      </label>
      <label className="field-label">
        {t.whatIfValue}
        <input className="field w-[130px]" name="value" defaultValue={params.value} autoComplete="off" />
      </label>
      <label className="field-label">
        {t.trafficHeading}
        <select className="field" name="factor" defaultValue={params.factor ?? "1"}>
          {FACTORS.map((factor) => (
            <option key={factor} value={factor}>
              × {factor}
            </option>
          ))}
        </select>
      </label>
      <label className="field-label">
        {t.group.key}
        <input
          className="field w-[150px]"
          name="key"
          defaultValue={params.key}
          placeholder={t.all}
          autoComplete="off"
        />
      </label>
      <button type="submit" className="control control-primary">
        {t.whatIfAsk}
      </button>
      <p className="basis-full text-ink-2 text-note">
        {engine === null ? t.whatIfUsual : t.whatIfEngine(engine.service)}
      </p>
    </form>
  );
}

function Refusal({ page: { t }, text }: { page: Page; text: string }) {
  return (
    <p role="alert" className="rounded-control border border-waste-line bg-waste-weak px-3 py-2">
      {t.verdictRefused}: {text}
    </p>
  );
}

function Answer({ page: { t }, view: { rows, refused, requests } }: { page: Page; view: WhatIfView }) {
  return (
    <Panel title={t.whatIfAnswer} note={t.whatIfOf(String(requests))}>
      {rows.length > 0 && (
        <DataTable headings={["", figures(t.nowHeading), figures(t.whatIfThen), figures(t.changeHeading)]}>
          {rows.map(({ metric, now, after, change }) => (
            <tr key={metric}>
              <td>{t.whatIfMetric[metric]}</td>
              <td className="num">
                {now} <ProvenanceMark kind="simulated" label={t.provenanceOf.simulated} />
              </td>
              <td className="num">
                {after} <ProvenanceMark kind="simulated" label={t.provenanceOf.simulated} />
              </td>
              <td className="num">{change}</td>
            </tr>
          ))}
        </DataTable>
      )}
      {refused.map(({ reason, message, collect }) => (
        <p key={message} className="px-4 pt-1 pb-2 text-ink-2 text-note">
          {rows.length === 0 ? `${t.verdictRefused}, ${reason}` : t.whatIfBeyond}: {message}. {collect}
        </p>
      ))}
    </Panel>
  );
}
