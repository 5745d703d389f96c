/**
 * A page for one's team, and a card to share, as HTML without scripts or addresses of elsewhere. Pure: figures in, text out.
 * Names of repositories, branches and requests stand there only where they are asked for.
 */
import type { SeatRow, WorkAnswer } from "@centspan/model";
import { describeCase, shareOf, toCents } from "./describe-figures.ts";
import type { LocalFigures } from "./read-figures.ts";

export type ReportFacts = {
  figures: LocalFigures;
  work: WorkAnswer;
  seats: readonly SeatRow[];
  /** Days, as text: the first and last with a call. */
  from: string;
  to: string;
  withNames: boolean;
};

export const CARD_SIZE = { width: 1200, height: 630 };
export const PAGE_SIZE = { width: 1000, height: 1760 };

const STYLE = `
*{box-sizing:border-box}body{margin:0;font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:#1d2330;background:#fff}
main{max-width:880px;margin:0 auto;padding:40px 32px}h1{font-size:26px;margin:0 0 4px}h2{font-size:16px;margin:32px 0 8px}
.note{color:#5b6475;font-size:13px;margin:2px 0}.figures{display:flex;gap:40px;margin:20px 0 0}.figure b{display:block;font-size:30px;line-height:1.2}
table{width:100%;border-collapse:collapse;font-size:14px}th{font-weight:600;color:#5b6475;text-align:right;padding:4px 8px;border-bottom:1px solid #d9dee7}
th:first-child,td:first-child{text-align:left;padding-left:0}td{padding:5px 8px;border-bottom:1px solid #eef1f5;text-align:right;font-variant-numeric:tabular-nums}
ol{padding:0;margin:0;list-style:none}li{display:flex;gap:16px;padding:8px 0;border-bottom:1px solid #eef1f5}li b.usd{min-width:96px;text-align:right;font-variant-numeric:tabular-nums}
.bar{height:10px;border-radius:5px;background:#e6eaf1;overflow:hidden;margin:18px 0 6px}.bar i{display:block;height:100%;background:#c2410c}
.card{width:${CARD_SIZE.width}px;height:${CARD_SIZE.height}px;padding:56px 64px;display:flex;flex-direction:column;justify-content:space-between}
.card h1{font-size:30px;font-weight:600}.card .big{font-size:108px;font-weight:700;line-height:1;letter-spacing:-3px}.card li{font-size:24px;padding:7px 0;border:0}
.card .note{font-size:19px}`;

const toHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const document = (title: string, body: string): string =>
  `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${toHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>\n`;

export function renderCard({ figures, from, to }: ReportFacts): string {
  const { total, paidTwice } = figures;
  const items = paidTwice
    .slice(0, 3)
    .map(
      ({ title, sum }) => `<li><b class="usd">$${toHtml(toCents(sum.costUsd))}</b><span>${toHtml(title)}</span></li>`,
    )
    .join("");
  return document(
    "Paid twice",
    `<div class="card"><div><h1>My coding agents, ${toHtml(from)} to ${toHtml(to)}</h1><p class="note">read from the histories on my own disk; list prices, which are not what a seat costs</p></div>
<div><div class="big">$${toHtml(toCents(total.wasteUsd))}</div><h1>of $${toHtml(toCents(total.spendUsd))} paid twice (${toHtml(shareOf(total.wasteUsd, total.spendUsd))})</h1></div>
<ol>${items}</ol><p class="note">Centspan: every cent on the span that spent it</p></div>`,
  );
}

export function renderReport(facts: ReportFacts): string {
  const { figures, from, to } = facts;
  const { total } = figures;
  const width = Math.min(100, (Number(total.wasteUsd) / Math.max(Number(total.spendUsd), 1e-9)) * 100);
  const useful = `<div class="figures">
${figure("at list prices", total.spendUsd)}${figure("paid twice", total.wasteUsd)}${figure("work that failed or was reverted", total.failedUsd)}</div>
<div class="bar"><i style="width:${width.toFixed(1)}%"></i></div>
<p class="note">${toHtml(shareOf(total.wasteUsd, total.spendUsd))} paid twice. Counted from metadata of the histories that the agents left on the disk: no prompt text was read into it. List value is what the tokens would cost by the token; it is neither what was paid nor what was saved.</p>`;
  return document(
    "What our coding agents cost, and what was paid twice",
    `<main><h1>What our coding agents cost, and what was paid twice</h1><p class="note">${toHtml(from)} to ${toHtml(to)}</p>
${useful}${renderPaidTwice(facts)}${renderModels(facts)}${renderWork(facts)}${renderSeats(facts)}
<h2>How it is known</h2><p class="note">${toHtml(facts.work.method)}</p><p class="note">Cache rebuilds follow from times, models and what caches served: likely, not certain. Test verdicts are read from output of test commands: derived.</p></main>`,
  );
}

const figure = (name: string, amount: string): string =>
  `<div class="figure"><b>$${toHtml(toCents(amount))}</b>${toHtml(name)}</div>`;

function renderPaidTwice({ figures: { paidTwice } }: ReportFacts): string {
  const items = paidTwice
    .map(
      ({ title, remedy, sum, dearest }) =>
        `<li><b class="usd">$${toHtml(toCents(sum.costUsd))}</b><span><b>${toHtml(title)}</b>, ${sum.calls} calls in ${sum.runs} sessions<br><span class="note">${toHtml(remedy)}${dearest === null ? "" : ` Dearest: $${toHtml(toCents(dearest.costUsd))}, ${toHtml(describeCase(dearest))}.`}</span></span></li>`,
    )
    .join("");
  return `<h2>Paid twice</h2>${items === "" ? '<p class="note">Nothing, as far as these histories tell.</p>' : `<ol>${items}</ol>`}`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${head.map((cell) => `<th>${toHtml(cell)}</th>`).join("")}</tr></thead><tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${toHtml(cell)}</td>`).join("")}</tr>`).join("")}</tbody></table>`;

const renderModels = ({ figures: { byModel } }: ReportFacts): string =>
  `<h2>By model</h2>${table(
    ["model", "calls", "USD at list"],
    byModel
      .slice(0, 8)
      .map(({ group, calls, costUsd }) => [group || "(none)", calls.toLocaleString("en-US"), toCents(costUsd)]),
  )}`;

const MOST_WORK = 8;

function renderWork({ work: { data, total }, withNames }: ReportFacts): string {
  if (data.length === 0) return "";
  const rows = data
    .slice(0, MOST_WORK)
    .map((row, index) => [
      withNames ? row.group : `work ${index + 1}`,
      row.state.replace("_", " "),
      toCents(row.costUsd),
      row.toGreenUsd === null ? "–" : toCents(row.toGreenUsd),
      row.afterGreenUsd === null ? "–" : toCents(row.afterGreenUsd),
    ]);
  const coverage = total.coverage === null ? "–" : `${(Number(total.coverage) * 100).toFixed(1)}%`;
  return `<h2>Dearest work</h2>${table(["pull request or branch", "state", "USD", "to the first green test", "after it"], rows)}
<p class="note">${coverage} of spend is of known work; $${toHtml(toCents(total.revertedUsd))} went into reverted or refused work, $${toHtml(toCents(total.abandonedUsd))} into abandoned work.</p>`;
}

const renderSeats = ({ seats }: ReportFacts): string =>
  seats.length === 0
    ? ""
    : `<h2>Seats</h2>${table(
        ["plan, month", "paid", "allocated to usage", "list value of what it covered", "idle days so far"],
        seats.map(({ plan, period, allocatedUsd, paidUsd, listUsd, idleShare }) => [
          `${plan}, ${period}`,
          ...[paidUsd, allocatedUsd, listUsd].map(toCents),
          idleShare === null ? "–" : `${(Number(idleShare) * 100).toFixed(0)}%`,
        ]),
      )}<p class="note">What was paid is cash. List value is another figure, and no saving: nobody says that it would have been bought at that price.</p>`;
