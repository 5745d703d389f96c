/**
 * Rollouts as Codex writes them, of new releases and old ones, with all that makes them hard to count: running totals written
 * again, forks that replay their parent with its times or their own, agents with a copied history, compressed and archived
 * copies. Shares nothing with the readers; what counts is tallied as it is invented.
 */
import { type CodexUsage, createRollout, type Rollout } from "../../histories/write-codex.ts";
import type { WriteFile } from "./generate-claude.ts";
import type { Inventor } from "./invent.ts";
import type { Tally } from "./tally.ts";

const MODELS = ["gpt-5.5", "gpt-5.5-mini"];

export function generateCodexThread(inventor: Inventor, tally: Tally, startMs: number, write: WriteFile): void {
  const isNumbered = inventor.chance(0.6);
  const thread = threadId(inventor);
  const to = createRollout({ thread, at: startMs, isNumbered });
  tally.sessions += 1;
  to.meta({
    git: { commit_hash: inventor.id("", 40), branch: "main", repository_url: "https://git.example/o/shop.git" },
  });
  for (let n = inventor.between(1, 14); n > 0; n--) writeTurn(to, inventor, tally, isNumbered);
  const name = nameOf(startMs, thread);
  const isCompressed = inventor.chance(0.15);
  write(isCompressed ? `${name}.zst` : name, to.lines);
  if (inventor.chance(0.1)) write(`.codex/archived_sessions/${name.slice(name.lastIndexOf("/") + 1)}.zst`, to.lines);
  if (inventor.chance(0.25)) writeChild(to, thread, { inventor, tally, startMs, isNumbered, write });
}

const threadId = (inventor: Inventor): string => `01a2${inventor.uuid().slice(4)}`;

function nameOf(atMs: number, thread: string): string {
  const [day = "", time = ""] = new Date(atMs).toISOString().split("T");
  return `.codex/sessions/${day.replaceAll("-", "/")}/rollout-${day}T${time.slice(0, 8).replaceAll(":", "-")}-${thread}.jsonl`;
}

function writeTurn(to: Rollout, inventor: Inventor, tally: Tally, isNumbered: boolean): void {
  const turn = inventor.uuid();
  to.context(turn, { model: MODELS[inventor.random.integer(MODELS.length)] });
  to.user(inventor.text(inventor.between(20, 3_000)), inventor.id("msg_"));
  tally.turns += 1;
  let context = inventor.between(8_000, 60_000);
  for (let n = inventor.between(1, 26); n > 0; n--) {
    const usage: CodexUsage = {
      input: context,
      cached: Math.floor(context * (inventor.chance(0.05) ? 0 : 0.9)),
      output: inventor.between(20, 1_500),
      reasoning: inventor.random.integer(20),
    };
    context += inventor.between(200, 5_000);
    writeResponse(to, inventor, usage, { isNumbered, isLast: n === 1, tally });
  }
  to.done(turn);
  if (!inventor.chance(0.02)) return;
  to.lines.push(inventor.text(50).replaceAll("\n", " "));
  tally.brokenLines += 1;
}

function writeResponse(
  to: Rollout,
  inventor: Inventor,
  usage: CodexUsage,
  { isNumbered, isLast, tally }: { isNumbered: boolean; isLast: boolean; tally: Tally },
): void {
  to.add("response_item", {
    type: "reasoning",
    summary: [],
    encrypted_content: inventor.text(inventor.between(300, 3_000)),
  });
  const call = inventor.id("call_");
  const command = inventor.chance(0.15) ? "npx vitest run" : `rg -n ${inventor.id("w", 8)} src`;
  if (isLast) to.assistant(inventor.text(inventor.between(100, 3_000)));
  else if (isNumbered) to.call(call, "exec_command", { cmd: command });
  else to.call(call, "shell", { command: ["bash", "-lc", command], workdir: "/home/dev/shop" });
  if (isNumbered) to.record(inventor.id("resp_"), usage);
  if (!isLast) {
    const output = inventor.text(inventor.between(100, 30_000));
    to.output(
      call,
      isNumbered
        ? `Chunk ID: 1\nProcess exited with code 0\nOutput:\n${output}`
        : JSON.stringify({ output, metadata: { exit_code: 0 } }),
    );
    tally.toolRuns += 1;
  }
  const limits = {
    primary: { used_percent: inventor.random.integer(100), window_minutes: 300, resets_at: 1_796_070_000 },
    secondary: null,
  };
  to.count(usage, !isNumbered, { rate_limits: limits });
  if (inventor.chance(0.1)) to.count(usage, false, { rate_limits: limits });
  const { input, cached = 0, output, reasoning = 0 } = usage;
  tally.calls += 1;
  tally.input += input - cached;
  tally.cacheRead += cached;
  tally.outputText += output - reasoning;
  tally.outputReasoning += reasoning;
}

type Child = { inventor: Inventor; tally: Tally; startMs: number; isNumbered: boolean; write: WriteFile };

/** A fork or an agent, which holds what its parent had: as it was, dated anew, or not at all. */
function writeChild(parent: Rollout, parentId: string, { inventor, tally, startMs, isNumbered, write }: Child): void {
  const thread = threadId(inventor);
  const atMs = startMs + 3 * 3_600_000;
  const to = createRollout({ thread, at: atMs, isNumbered });
  const isAgent = inventor.chance(0.5);
  const source = { subagent: { thread_spawn: { parent_thread_id: parentId, depth: 1 } } };
  const copies = parent.lines.filter((line) => line.startsWith("{") && line.endsWith("}"));
  const kind = inventor.random.next();
  const copied = kind < 0.2 ? [] : copies;
  to.meta({
    ...(isAgent ? { parent_thread_id: parentId, session_id: parentId, source } : { forked_from_id: parentId }),
    ...(isNumbered && isAgent && { subagent_history_start_ordinal: copied.length + 1 }),
  });
  for (const line of copied) {
    const { type, payload, timestamp } = JSON.parse(line);
    if (kind < 0.6 || isNumbered) to.add(type, payload);
    else to.lines.push(JSON.stringify({ timestamp, type, payload }));
  }
  to.startFrom(parent.total());
  tally.sessions += isAgent ? 0 : 1;
  for (let n = inventor.between(1, 5); n > 0; n--) writeTurn(to, inventor, tally, isNumbered);
  write(nameOf(atMs, thread), to.lines);
}
