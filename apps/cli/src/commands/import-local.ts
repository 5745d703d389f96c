/** `centspan import local`: histories that agents left on this disk, into a workspace of their own. Sends nothing elsewhere. */
import { homedir } from "node:os";
import { basename } from "node:path";
import { choosesRequests } from "@centspan/attribution";
import { CentspanError, createWallClock, parseInstant } from "@centspan/base";
import { historyFormats } from "@centspan/histories";
import { formatBytes, formatCount } from "@centspan/ui/format";
import type { Command } from "commander";
import { connectionPath, locateStores, readConnection } from "../connection.ts";
import { awaitFigures } from "../local/await-figures.ts";
import { formatFigures, formatPaidTwice } from "../local/describe-figures.ts";
import { formatFound, formatReceipt } from "../local/describe-import.ts";
import { formatSeats } from "../local/describe-seats.ts";
import { formatWork } from "../local/describe-work-costs.ts";
import { enterSeats } from "../local/enter-seats.ts";
import { findEndangered } from "../local/find-endangered.ts";
import { type FoundHistories, findHistories, sumBytes } from "../local/find-histories.ts";
import { readState, statePath } from "../local/import-state.ts";
import { readFigures } from "../local/read-figures.ts";
import { type ImportReport, type ImportTarget, runImport } from "../local/run-import.ts";
import { summariseLimits } from "../local/summarise-limits.ts";
import { watchHistories } from "../local/watch-histories.ts";
import { createProgress, type Progress } from "../progress.ts";
import { ACTOR, type OpenStores, ORG, openStores } from "../stores.ts";

export const LOCAL_WORKSPACE = "local";
const INGEST_KEY = "local-histories";

export type LocalOptions = {
  data: string;
  workspace: string;
  dryRun: boolean;
  watch: boolean;
  since?: string;
  redactPaths: boolean;
  content: boolean;
  json: boolean;
};

export function registerImportLocal(command: Command, defaultData: string): void {
  command
    .command("local")
    .description("histories that Claude Code and Codex left on this disk: metadata only, read again as they grow")
    .option("--dry-run", "read and count everything, keep nothing", false)
    .option("--watch", "go on as the files grow, until Ctrl-C", false)
    .option("--since <time>", "only files that were written since (ISO 8601)")
    .option("--redact-paths", "name no folder of this disk in what is printed", false)
    .option(
      "--content",
      "with prompts, answers and what tools were given and returned; metadata alone otherwise",
      false,
    )
    .option("--workspace <id>", "workspace to import into", LOCAL_WORKSPACE)
    .option("--data <dir>", "data folder of the running stack", defaultData)
    .option("--json", "print the receipt and the figures as JSON", false)
    .action(importLocal);
}

export async function importLocal(options: LocalOptions): Promise<void> {
  const progress = createProgress(process.stderr);
  const found = await findLocal(options);
  const tellPath = options.redactPaths ? (path: string) => `…/${basename(path)}` : (path: string) => path;
  if (found.places.length === 0) {
    throw new CentspanError(
      "not_found",
      `no histories: looked for ${listPlaces()}; where they are elsewhere, set CLAUDE_CONFIG_DIR or CODEX_HOME`,
    );
  }
  if (!options.json) process.stderr.write(`${formatFound(found, tellPath)}\n`);
  const signal = abortOnInterrupt();
  const state = options.dryRun ? null : openTarget(options);
  const stores = state && openStores(state.located);
  try {
    const path = statePath(options.data, options.workspace);
    const target = stores && state && (await prepareTarget(stores, options, path, state.otlpUrl));
    const importOnce = async (files: FoundHistories): Promise<ImportReport> => {
      const { state: before, note } = readState(path, target?.otlpUrl ?? readConnection(options.data)?.otlpUrl ?? "");
      if (note !== "" && target !== null) progress.done(note);
      if (target !== null) before.key = target.key;
      if (options.content && before.import !== null)
        progress.done("with content: what is new; what was imported before stays as it was (--workspace has it anew)");
      return runImport(files, {
        home: homedir(),
        state: before,
        statePath: path,
        target: target?.target ?? null,
        keepsContent: options.content,
        nowMs: Date.now(),
        onProgress: (done) => showProgress(progress, done),
        onStep: progress.step,
        signal,
      });
    };
    const report = await importOnce(found);
    await printReport(report, found, options, { stores, progress, signal, tellPath });
    if (options.watch && stores !== null && !signal.aborted)
      await watchHistories(found, () => findLocal(options), importOnce, signal);
  } finally {
    await stores?.close();
  }
}

async function findLocal({ since }: Pick<LocalOptions, "since">): Promise<FoundHistories> {
  const found = await findHistories(historyFormats, { home: homedir(), environment: process.env });
  if (since === undefined) return found;
  const sinceNs = parseInstant(since);
  if (sinceNs === null)
    throw new CentspanError("invalid_request", `--since: ${since} is not ISO 8601`, { field: "since" });
  const sinceMs = Number(sinceNs / 1_000_000n);
  return { ...found, files: found.files.filter(({ modifiedMs }) => modifiedMs >= sinceMs) };
}

const listPlaces = (): string =>
  historyFormats
    .flatMap(({ places }) => places)
    .map((place) => (place.variable === undefined ? `~/${place.folder}` : `$${place.variable}/${place.folder}`))
    .join(", ");

/** The first Ctrl-C ends orderly, in the middle of a file; a second one at once. */
export function abortOnInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

function openTarget({ data }: LocalOptions) {
  const located = locateStores(data);
  const otlpUrl = readConnection(data)?.otlpUrl;
  if (otlpUrl !== undefined) return { located, otlpUrl };
  throw new CentspanError(
    "not_found",
    `no ${connectionPath(data)}: start the stack with \`npm start\`, or look first with --dry-run`,
  );
}

type Prepared = { target: ImportTarget; otlpUrl: string; key: string };

/** The workspace, and a key to send with: the one of the last time where it is still good. */
async function prepareTarget(
  stores: OpenStores,
  { workspace, content }: LocalOptions,
  path: string,
  otlpUrl: string,
): Promise<Prepared> {
  const { control, warehouse } = stores;
  const name = workspace === LOCAL_WORKSPACE ? "This machine" : workspace;
  await control.ensureWorkspace(ORG, { id: workspace, name }).catch(sayHowToStart);
  const known = readState(path, otlpUrl).state.key;
  const principal = known === "" ? null : await control.findPrincipal(known);
  const isGood =
    principal !== null && principal.workspace === workspace && (!content || principal.rules.content === true);
  const key = isGood ? known : await makeKey(stores, workspace, content);
  const storeOutcomes: ImportTarget["storeOutcomes"] = (outcomes) => warehouse.insertOutcomes(workspace, [...outcomes]);
  return { target: { spans: { otlpUrl, key }, storeOutcomes }, otlpUrl, key };
}

function sayHowToStart(error: unknown): never {
  if (!(error instanceof CentspanError) || error.code !== "store_unavailable") throw error;
  throw new CentspanError("not_ready", `${error.message} Is \`npm start\` running? --dry-run needs no stack.`);
}

/** A key that content may come with says so, for whoever looks at the keys. */
async function makeKey({ control }: OpenStores, workspace: string, content: boolean): Promise<string> {
  const old = (await control.listKeys(workspace)).find((one) => one.name === INGEST_KEY && one.revokedAt === null);
  if (old !== undefined) await control.revokeKey(workspace, old.keyId, ACTOR);
  const made = await control.createKey(
    { workspace, name: INGEST_KEY, kind: "ingest", team: null, orgWide: false, rules: content ? { content } : {} },
    ACTOR,
  );
  return made.secret;
}

const BAR = 24;
let shownAt = 0;

export function showProgress(
  progress: Progress,
  { bytes, totalBytes, calls }: { bytes: number; totalBytes: number; calls: number },
): void {
  const now = performance.now();
  if (now - shownAt < 100) return;
  shownAt = now;
  const share = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
  const bar = "█".repeat(Math.round(share * BAR)).padEnd(BAR, "░");
  progress.step(`${bar} ${(share * 100).toFixed(0)}% of ${formatBytes(totalBytes)}, ${formatCount(calls)} calls`);
}

type Printing = {
  stores: OpenStores | null;
  progress: Progress;
  signal: AbortSignal;
  tellPath: (path: string) => string;
};

async function printReport(
  report: ImportReport,
  found: FoundHistories,
  options: LocalOptions,
  { stores, progress, signal, tellPath }: Printing,
): Promise<void> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const endangered = findEndangered(found, Date.now(), timeZone);
  const { seen: _, ...receipt } = report;
  progress.done(
    options.dryRun
      ? `${report.receipt.files} files looked at, nothing kept`
      : `${report.receipt.files} files read, ${report.unchanged} unchanged, ${formatBytes(sumBytes(found.files))} in all`,
  );
  if (!options.json) process.stdout.write(`\n${formatReceipt(report, endangered, tellPath)}\n`);
  if (stores === null || report.interrupted) {
    if (options.json) process.stdout.write(`${JSON.stringify({ receipt, endangered }, null, 2)}\n`);
    return;
  }
  const { workspace } = options;
  const hasNews = report.sent.spans + report.sent.outcomes > 0;
  const clock = createWallClock();
  const isWhole =
    !hasNews || (await awaitFigures(stores, { workspace, nowNs: () => clock.nowNs(), signal }, progress.step));
  if (!isWhole) progress.done("the figures are not whole yet: the worker still rates what was sent");
  const api = stores.apiFor(workspace);
  progress.done("priced and looked through");
  if (!options.json) await enterSeats(api, signal);
  const figures = await readFigures(api, timeZone);
  const [requests, branches, { data: seats }] = await Promise.all([
    api.costOfWork({ groupBy: "pullRequest" }),
    api.costOfWork({ groupBy: "branch" }),
    api.seats(),
  ]);
  const limits = summariseLimits(report.seen.limits);
  const webUrl = readConnection(options.data)?.webUrl;
  const page = (path: string): string | null =>
    webUrl === undefined
      ? null
      : `${webUrl}${path}${path.includes("?") ? "&" : "?"}workspace=${encodeURIComponent(workspace)}`;
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ receipt, endangered, figures, work: { requests, branches }, seats, limits, isWhole }, null, 2)}\n`,
    );
  else {
    const work = formatWork(requests, branches);
    const parts = [formatFigures(figures), work, formatSeats(seats, limits, workspace), formatPaidTwice(figures, page)];
    process.stdout.write(`\n${parts.filter((part) => part !== "").join("\n\n")}\n`);
    const groupBy = choosesRequests(requests.total, branches.total) ? "pullRequest" : "branch";
    if (webUrl !== undefined)
      process.stdout.write(
        `\nSee it: ${page("/")}  ·  ${page("/waste")}  ·  ${page(`/outcomes?groupBy=${groupBy}`)}\n`,
      );
  }
}
