/** An examination and its findings as text for a terminal. Pure. */
import { type CollectorStatus, SIGNALS, type Signal } from "@centspan/model";
import { formatAge, formatBytes, formatCount } from "@centspan/ui/format";
import { formatTable } from "../report.ts";
import { ageOf, type Finding, formatSeconds } from "./diagnose.ts";
import type { Examination } from "./examine.ts";

export function describeExamination(examination: Examination, findings: readonly Finding[]): string {
  const isThere = examination.parts.some(({ state }) => state !== "away");
  const sections = isThere ? [describeParts, describeCollector, describeSources, describeCalls] : [];
  return [
    ...sections.map((describe) => describe(examination)),
    describeFindings("Wrong", findings, "wrong"),
    describeFindings("To know", findings, "note"),
    describeVerdict(findings),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

function describeParts(examination: Examination): string {
  const { parts, ratedThrough, addressesFrom } = examination;
  const rows = parts.map(({ name, state, url, detail }) => [
    name,
    state,
    [url, detail].filter((text) => text !== null && text !== "").join("  "),
  ]);
  const rated =
    ratedThrough === null
      ? ["rating", "unknown", ""]
      : ["rating", "ok", `what came until ${formatSeconds(ageOf(ratedThrough, examination))} ago is rated`];
  return `Services (addresses from ${addressesFrom})\n${formatTable([...rows, rated], 3)}`;
}

function describeCollector({ collector, collectorProblem }: Examination): string {
  if (collector === null) return `Collector\n  not readable: ${collectorProblem}`;
  const { spool, loader, uptimeS } = collector;
  const oldest = spool.oldestAgeS === null ? "nothing waits" : `the oldest waits ${formatSeconds(spool.oldestAgeS)}`;
  const lag = loader.lagS === null ? "nothing loaded yet" : `${formatSeconds(loader.lagS)} from durable to stored`;
  const rows = [
    ["spool", `${formatBytes(spool.bytes)} of ${formatBytes(spool.maxBytes)}, ${formatCount(spool.frames)} batches`],
    ["waiting", oldest],
    ["lag", lag],
    ["refused batches", formatCount(loader.refusedFrames)],
  ];
  return [
    `Collector, since its start ${formatSeconds(uptimeS)} ago`,
    formatTable(rows, 2),
    "",
    formatTable([
      ["signal", "records taken", "records refused", "requests not taken"],
      ...SIGNALS.map((signal) => describeSignal(collector, signal)),
    ]),
  ].join("\n");
}

function describeSignal({ accepted, rejected, requests }: CollectorStatus, signal: Signal): string[] {
  const { ok: _taken, ...ends } = requests[signal];
  return [signal, formatCount(accepted[signal]), describeCounts(rejected[signal]), describeCounts(ends)];
}

function describeCounts(counts: Record<string, number>): string {
  const texts = Object.entries(counts).map(([code, count]) => `${formatCount(count)} ${code}`);
  return texts.length === 0 ? "0" : texts.join(", ");
}

function describeSources(examination: Examination): string {
  const { sources, workspace } = examination;
  if (sources === null || sources.length === 0) return "";
  const rows = sources.map(({ service, signal, lastReceivedAt, records24h }) => [
    service === "" ? "(no service.name)" : service,
    signal,
    `${formatAge(BigInt(Math.round(ageOf(lastReceivedAt, examination) * 1e9)))} ago`,
    formatCount(records24h),
  ]);
  return `Last data in workspace ${workspace}\n${formatTable([["service", "signal", "last", "in 24 h"], ...rows], 2)}`;
}

function describeCalls({ calls }: Examination): string {
  if (calls === null) return "";
  const { calls: all, unpriced, quarantined, from } = calls;
  return `Calls since ${from.slice(0, 10)}\n  ${formatCount(all)} calls, ${formatCount(unpriced)} without a price, ${formatCount(quarantined)} quarantined`;
}

function describeFindings(title: string, findings: readonly Finding[], level: Finding["level"]): string {
  const lines = findings
    .filter((finding) => finding.level === level)
    .map(({ what, todo }) => `  ${what}\n    → ${todo}`);
  return lines.length === 0 ? "" : `${title}\n${lines.join("\n")}`;
}

function describeVerdict(findings: readonly Finding[]): string {
  const count = findings.filter(({ level }) => level === "wrong").length;
  if (count === 0) return "Verdict: everything works.";
  return `Verdict: ${count === 1 ? "one thing is" : `${count} things are`} wrong, see above.`;
}
