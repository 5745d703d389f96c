/** `centspan push`: metadata of this disk's histories to a team's Centspan. Ids come from the histories, so it may be repeated, and from many machines. */
import { hash } from "node:crypto";
import { homedir } from "node:os";
import { basename } from "node:path";
import { type ApiClient, createApiClient } from "@centspan/api";
import { CentspanError, formatInstant } from "@centspan/base";
import { historyFormats } from "@centspan/histories";
import type { Outcome } from "@centspan/model";
import type { Command } from "commander";
import { formatFound, formatReceipt } from "../local/describe-import.ts";
import { findHistories } from "../local/find-histories.ts";
import { readState, statePath } from "../local/import-state.ts";
import { runImport } from "../local/run-import.ts";
import { createProgress } from "../progress.ts";
import { abortOnInterrupt, showProgress } from "./import-local.ts";

const POSTS_AT_ONCE = 8;

type PushOptions = {
  to: string;
  key?: string;
  api?: string;
  team?: string;
  data: string;
  content: boolean;
  json: boolean;
};

export function registerPush(program: Command, defaultData: string): void {
  program
    .command("push")
    .description("send the metadata of this disk's histories to a team's Centspan; repeating it sends only what is new")
    .requiredOption("--to <url>", "the team's collector, where OTLP over HTTP goes")
    .option("--key <secret>", "key of kind ingest; default: CENTSPAN_INGEST_KEY of the environment")
    .option("--api <url>", "the team's web app, to send what test runs came to as well")
    .option("--team <id>", "team that the calls are of")
    .option(
      "--content",
      "with prompts, answers and texts of tools, where the key's rules want them; needs --api",
      false,
    )
    .option("--data <dir>", "where what was sent is remembered", defaultData)
    .option("--json", "print the receipt as JSON", false)
    .action(push);
}

async function push(options: PushOptions): Promise<void> {
  const key = options.key ?? process.env.CENTSPAN_INGEST_KEY ?? "";
  if (key === "") {
    throw new CentspanError(
      "invalid_request",
      "--key: is missing; whoever runs the team's Centspan makes one with `centspan keys create NAME --kind ingest`",
      { field: "key" },
    );
  }
  const target = readUrl(options.to, "to");
  const api = options.api === undefined ? null : openApi(readUrl(options.api, "api"), key);
  if (options.content) await requireContentKey(api);
  const progress = createProgress(process.stderr);
  const found = await findHistories(historyFormats, { home: homedir(), environment: process.env });
  if (found.files.length === 0) throw new CentspanError("not_found", "there are no histories on this disk to send");
  const tellPath = (path: string): string => `…/${basename(path)}`;
  if (!options.json) process.stderr.write(`${formatFound(found, tellPath)}\n`);
  const path = statePath(options.data, `push ${target.host} ${options.team ?? ""}`);
  // Another key may be of another workspace, which has none of it. One that took its place is sent all again, which changes nothing.
  const { state, note } = readState(path, `${target.href} ${hash("sha256", key).slice(0, 16)}`);
  if (note !== "") progress.done(note);
  const report = await runImport(found, {
    home: homedir(),
    state,
    statePath: path,
    target: {
      spans: { otlpUrl: target.href, key },
      storeOutcomes: api === null ? async () => undefined : sendOutcomes(api),
    },
    team: options.team,
    keepsContent: options.content,
    nowMs: Date.now(),
    onProgress: (done) => showProgress(progress, done),
    onStep: progress.step,
    signal: abortOnInterrupt(),
  });
  progress.done(`${report.sent.spans} spans sent, ${report.sent.refused} refused`);
  const { seen: _, ...receipt } = report;
  if (options.json) process.stdout.write(`${JSON.stringify(receipt, null, 2)}\n`);
  else process.stdout.write(`\n${formatReceipt(report, [], tellPath)}\n`);
  if (options.api === undefined && !options.json)
    process.stdout.write("What test runs came to was not sent: name the team's web app with --api.\n");
}

function readUrl(text: string, field: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new CentspanError("invalid_request", `--${field}: ${text} is no address such as https://centspan.example.com`, {
    field,
  });
}

const openApi = (webUrl: URL, key: string): ApiClient =>
  createApiClient((path, init) =>
    fetch(new URL(path, webUrl), { ...init, headers: { ...init?.headers, authorization: `Bearer ${key}` } }),
  );

/** What people wrote goes only where somebody asked for it, on both sides. */
async function requireContentKey(api: ApiClient | null): Promise<void> {
  if (api === null)
    throw new CentspanError("invalid_request", "--content: needs --api, which says whether the key wants content", {
      field: "content",
    });
  const { rules, key } = await api.self();
  if (rules.content === true) return;
  throw new CentspanError(
    "invalid_request",
    `--content: key ${key} wants none; whoever runs the team's Centspan sets it with \`centspan keys rules KEY_ID --set '{"content": true}'\``,
    { field: "content" },
  );
}

/** An ingest key may not say that work was approved: of that a team's code host knows more than a clone. */
function sendOutcomes(api: ApiClient): (outcomes: readonly Outcome[]) => Promise<void> {
  return async (outcomes) => {
    const waiting = outcomes.filter(({ kind }) => kind !== "approved");
    const sendRest = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { outcomeId, atNs, ...said } = next;
        await api.postOutcome({ ...said, idempotencyKey: outcomeId, at: formatInstant(atNs) });
      }
    };
    await Promise.all(Array.from({ length: POSTS_AT_ONCE }, sendRest));
  };
}
