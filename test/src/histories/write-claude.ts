/** Lines as Claude Code writes them (2.1.197, looked at on a disk), for cases and for whole disks. Knows nothing of readers. */

export type ClaudeUsage = {
  input: number;
  output: number;
  read?: number;
  write5m?: number;
  write1h?: number;
  searches?: number;
  speed?: string;
  iterations?: object[];
  tier?: string;
};

export type ClaudeLineOptions = {
  session: string;
  at: number;
  uuid: string;
  parent?: string;
  cwd?: string;
  branch?: string;
  version?: string;
  /** Set for lines of an agent. */
  agent?: string;
  sidechain?: boolean;
  extra?: Record<string, unknown>;
};

const envelope = (type: string, options: ClaudeLineOptions, rest: Record<string, unknown>): string =>
  JSON.stringify({
    parentUuid: options.parent ?? null,
    isSidechain: options.sidechain ?? options.agent !== undefined,
    ...(options.agent !== undefined && { agentId: options.agent }),
    type,
    ...rest,
    uuid: options.uuid,
    timestamp: new Date(options.at).toISOString(),
    userType: "external",
    entrypoint: "cli",
    cwd: options.cwd ?? "/home/dev/shop",
    sessionId: options.session,
    version: options.version ?? "2.1.197",
    gitBranch: options.branch ?? "main",
    ...options.extra,
  });

export const personLine = (options: ClaudeLineOptions, text: string): string =>
  envelope("user", options, { message: { role: "user", content: text } });

export type Block = { type: string; [name: string]: unknown };

export const textBlock = (text: string): Block => ({ type: "text", text });
export const toolBlock = (id: string, name: string, input: object): Block => ({ type: "tool_use", id, name, input });

/** One line of a response: one block, and the usage so far. */
export const answerLine = (
  options: ClaudeLineOptions,
  answer: { id: string; request?: string; model?: string; stop?: string | null; usage: ClaudeUsage; blocks?: Block[] },
): string =>
  envelope("assistant", options, {
    message: {
      ...(answer.id !== "" && { id: answer.id }),
      type: "message",
      role: "assistant",
      model: answer.model ?? "claude-opus-4-8",
      content: answer.blocks ?? [textBlock("Done.")],
      stop_reason: answer.stop ?? null,
      stop_sequence: null,
      usage: toUsage(answer.usage),
    },
    ...(answer.request !== undefined && { requestId: answer.request }),
  });

export function toUsage({
  input,
  output,
  read = 0,
  write5m = 0,
  write1h = 0,
  searches = 0,
  speed,
  tier,
  iterations = [],
}: ClaudeUsage): object {
  return {
    input_tokens: input,
    cache_creation_input_tokens: write5m + write1h,
    cache_read_input_tokens: read,
    output_tokens: output,
    server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
    service_tier: tier ?? "standard",
    cache_creation: { ephemeral_1h_input_tokens: write1h, ephemeral_5m_input_tokens: write5m },
    inference_geo: "",
    iterations,
    speed: speed ?? "standard",
  };
}

export const resultLine = (
  options: ClaudeLineOptions,
  result: { tool: string; content: string | Block[]; isError?: boolean; about?: Record<string, unknown> },
): string =>
  envelope("user", options, {
    message: {
      role: "user",
      content: [
        { tool_use_id: result.tool, type: "tool_result", content: result.content, is_error: result.isError ?? false },
      ],
    },
    toolUseResult: result.about ?? { stdout: result.content, stderr: "", interrupted: false, isImage: false },
  });

export const otherLine = (type: string, options: ClaudeLineOptions, rest: Record<string, unknown>): string =>
  envelope(type, options, rest);
