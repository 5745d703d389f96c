/**
 * Sessions as Claude Code writes them, with all that makes them hard to count: lines of one response that grow, copies in
 * `progress`, in forks and in resumed files, agents, replays in side chains, compaction, broken lines. Shares nothing with
 * the readers; what counts is tallied as it is invented.
 */
import {
  answerLine,
  type Block,
  type ClaudeLineOptions,
  type ClaudeUsage,
  otherLine,
  personLine,
  resultLine,
  textBlock,
  toolBlock,
  toUsage,
} from "../../histories/write-claude.ts";
import type { Inventor } from "./invent.ts";
import type { Tally } from "./tally.ts";

export type WriteFile = (path: string, lines: readonly string[]) => void;

type Session = {
  id: string;
  cwd: string;
  branch: string;
  nowMs: number;
  last: string;
  lines: string[];
  /** Tokens that stand in the cache. */
  context: number;
};

const MODELS = ["claude-opus-4-8", "claude-sonnet-4-6", "claude-haiku-4-5"];
const REPOSITORIES = ["shop", "billing", "site", "infra", "mobile"];

export function generateClaudeSession(inventor: Inventor, tally: Tally, startMs: number, write: WriteFile): void {
  const repository = REPOSITORIES[inventor.random.integer(REPOSITORIES.length)] ?? "shop";
  const folder = `.claude/projects/-home-dev-${repository}`;
  const session: Session = {
    id: inventor.uuid(),
    cwd: `/home/dev/${repository}`,
    branch: inventor.chance(0.5) ? "main" : `fix-${inventor.random.integer(40)}`,
    nowMs: startMs,
    last: "",
    lines: [],
    context: inventor.between(12_000, 25_000),
  };
  tally.sessions += 1;
  const turns = inventor.between(2, 24);
  for (let n = 0; n < turns; n++)
    writeTurn(session, inventor, tally, (path, lines) => write(`${folder}/${session.id}/${path}`, lines));
  if (inventor.chance(0.15))
    session.lines.push(
      answerLine(next(session, inventor), { id: "msg_cut", usage: { input: 1, output: 1 } }).slice(0, 60),
    );
  write(`${folder}/${session.id}.jsonl`, session.lines);
  if (inventor.chance(0.2)) writeFork(session, inventor, tally, folder, write);
}

const next = (session: Session, inventor: Inventor, rest: Partial<ClaudeLineOptions> = {}): ClaudeLineOptions => {
  session.nowMs += inventor.between(100, 9_000);
  const uuid = inventor.uuid();
  const { id, cwd, branch, last, nowMs } = session;
  session.last = uuid;
  return { session: id, at: nowMs, uuid, parent: last, cwd, branch, ...rest };
};

function writeTurn(session: Session, inventor: Inventor, tally: Tally, write: WriteFile): void {
  session.nowMs += inventor.between(1_000, 900_000);
  session.lines.push(personLine(next(session, inventor), inventor.text(inventor.between(20, 2_000))));
  tally.turns += 1;
  const calls = inventor.between(1, 30);
  const model = MODELS[inventor.random.integer(MODELS.length)] ?? "claude-opus-4-8";
  for (let n = 0; n < calls; n++) {
    const isLast = n === calls - 1;
    writeResponse(session, inventor, tally, model, isLast ? null : pickTool(inventor), write);
    if (inventor.chance(0.003)) session.lines.push(inventor.text(40).replaceAll("\n", " "));
    else continue;
    tally.brokenLines += 1;
  }
  if (session.context > 150_000) compact(session, inventor);
  if (inventor.chance(0.05))
    session.lines.push(
      otherLine("pr-link", next(session, inventor), {
        prNumber: 7,
        prUrl: "https://git.example/o/r/pull/7",
        prRepository: "o/r",
      }),
    );
}

type Tool = { name: string; input: object; output: string; isError: boolean };

function pickTool(inventor: Inventor): Tool {
  const [kind, size] = [inventor.random.next(), inventor.between(100, 40_000)];
  if (kind < 0.4)
    return {
      name: "Read",
      input: { file_path: `/home/dev/shop/src/${inventor.random.integer(300)}.ts` },
      output: inventor.text(size),
      isError: false,
    };
  if (kind < 0.55)
    return {
      name: "Edit",
      input: { file_path: "src/cart.ts", old_string: inventor.text(300), new_string: inventor.text(400) },
      output: "The file has been updated.",
      isError: false,
    };
  if (kind < 0.65) {
    const failed = inventor.random.integer(3);
    const output = `${failed > 0 ? "Exit code 1\n" : ""}${inventor.text(size / 4)}\n Tests  ${failed > 0 ? `${failed} failed | ` : ""}${40 - failed} passed (40)`;
    return { name: "Bash", input: { command: "npx vitest run" }, output, isError: failed > 0 };
  }
  if (kind < 0.7)
    return {
      name: "Agent",
      input: { prompt: inventor.text(800), subagent_type: "Explore" },
      output: inventor.text(2_000),
      isError: false,
    };
  return {
    name: "Bash",
    input: { command: `grep -rn ${inventor.id("w", 8)} src` },
    output: inventor.text(size),
    isError: false,
  };
}

/** One line for each block; the last has the whole usage. */
function writeResponse(
  session: Session,
  inventor: Inventor,
  tally: Tally,
  model: string,
  tool: Tool | null,
  write: WriteFile,
): void {
  const toolId = inventor.id("toolu_01");
  const blocks: Block[] = [];
  if (inventor.chance(0.4))
    blocks.push({
      type: "thinking",
      thinking: inventor.text(inventor.between(50, 1_500)),
      signature: inventor.text(200),
    });
  if (tool === null || inventor.chance(0.5)) blocks.push(textBlock(inventor.text(inventor.between(30, 2_500))));
  if (tool !== null) blocks.push(toolBlock(toolId, tool.name, tool.input));
  const usage = inventUsage(session, inventor);
  const [id, request] = [inventor.id("msg_01"), inventor.id("req_011")];
  for (const [index, block] of blocks.entries()) {
    const isLast = index === blocks.length - 1;
    const soFar = isLast ? usage : { ...usage, output: Math.min(usage.output, 1 + index * 3) };
    const stop = isLast ? (tool === null ? "end_turn" : "tool_use") : null;
    session.lines.push(
      answerLine(next(session, inventor), { id, request, model, stop, usage: soFar, blocks: [block] }),
    );
  }
  count(tally, usage);
  if (inventor.chance(0.01))
    session.lines.push(
      answerLine(next(session, inventor), {
        id: inventor.uuid(),
        model: "<synthetic>",
        usage: { input: 0, output: 0 },
      }),
    );
  if (tool === null) return;
  tally.toolRuns += 1;
  const agent = tool.name === "Agent" ? inventor.id("a", 9) : null;
  if (agent !== null) writeAgent(session, inventor, tally, { agent, toolId, model, replayed: { id, usage } }, write);
  session.lines.push(
    resultLine(next(session, inventor), {
      tool: toolId,
      content: tool.output,
      isError: tool.isError,
      ...(agent !== null && { about: { agentId: agent, status: "completed" } }),
    }),
  );
}

function inventUsage(session: Session, inventor: Inventor): ClaudeUsage {
  const fresh = inventor.between(200, 6_000);
  const isExpired = inventor.chance(0.03);
  const usage = {
    input: inventor.random.integer(12),
    output: inventor.between(5, 2_500),
    read: isExpired ? 0 : session.context,
    write5m: isExpired ? session.context + fresh : fresh,
    write1h: inventor.chance(0.1) ? inventor.random.integer(3_000) : 0,
  };
  session.context += fresh + usage.write1h;
  return usage;
}

function count(tally: Tally, { input, output, read = 0, write5m = 0, write1h = 0 }: ClaudeUsage): void {
  tally.calls += 1;
  tally.input += input;
  tally.cacheRead += read;
  tally.cacheWrite5m += write5m;
  tally.cacheWrite1h += write1h;
  tally.outputText += output;
}

function compact(session: Session, inventor: Inventor): void {
  const boundary = { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: session.context } };
  session.lines.push(otherLine("system", next(session, inventor), boundary));
  session.lines.push(personLine(next(session, inventor, { extra: { isCompactSummary: true } }), inventor.text(6_000)));
  session.context = 20_000;
}

type Agent = { agent: string; toolId: string; model: string; replayed: { id: string; usage: ClaudeUsage } };

/** An agent's own file; what it does is copied into the session, and now and then it begins with its caller's message. */
function writeAgent(
  session: Session,
  inventor: Inventor,
  tally: Tally,
  { agent, toolId, model, replayed }: Agent,
  write: WriteFile,
): void {
  const own: Session = { ...session, lines: [], last: "", context: 9_000 };
  const here = { agent };
  own.lines.push(personLine(next(own, inventor, here), inventor.text(800)));
  tally.turns += 1;
  if (inventor.chance(0.3))
    own.lines.push(
      answerLine(next(own, inventor, here), {
        id: replayed.id,
        request: inventor.id("req_011"),
        model,
        usage: replayed.usage,
      }),
    );
  for (let n = inventor.between(1, 10); n > 0; n--) {
    const usage = inventUsage(own, inventor);
    const [id, request] = [inventor.id("msg_01"), inventor.id("req_011")];
    own.lines.push(
      answerLine(next(own, inventor, here), {
        id,
        request,
        model,
        stop: "end_turn",
        usage,
        blocks: [textBlock(inventor.text(1_500))],
      }),
    );
    count(tally, usage);
    const copy = {
      type: "assistant",
      message: { id, model, usage: toUsage(usage), content: [textBlock(inventor.text(1_500))] },
      requestId: request,
    };
    session.lines.push(
      otherLine("progress", next(session, inventor), {
        data: { type: "agent_progress", agentId: agent, message: copy },
      }),
    );
  }
  session.nowMs = own.nowMs;
  write(`subagents/agent-${agent}.jsonl`, own.lines);
  write(`subagents/agent-${agent}.meta.json`, [
    JSON.stringify({ agentType: "Explore", description: inventor.text(30), toolUseId: toolId }),
  ]);
}

/** The whole of a session copied into another's file, said to be so or not, and gone on with. */
function writeFork(session: Session, inventor: Inventor, tally: Tally, folder: string, write: WriteFile): void {
  const isSaid = inventor.chance(0.5);
  const id = inventor.uuid();
  const copied = session.lines.flatMap((line) => {
    if (!line.endsWith("}") || !line.startsWith("{")) return [];
    const value: Record<string, unknown> = JSON.parse(line);
    const from = { sessionId: session.id, messageUuid: value.uuid };
    return [JSON.stringify({ ...value, sessionId: id, ...(isSaid && { forkedFrom: from }) })];
  });
  const fork: Session = { ...session, id, lines: copied };
  tally.sessions += 1;
  for (let n = inventor.between(1, 6); n > 0; n--)
    writeTurn(fork, inventor, tally, (path, lines) => write(`${folder}/${id}/${path}`, lines));
  write(`${folder}/${id}.jsonl`, fork.lines);
}
