/** Lines as Codex writes its rollouts (0.171.0, looked at on a disk), for cases and for whole disks. Knows nothing of readers. */

export type CodexUsage = { input: number; output: number; cached?: number; written?: number; reasoning?: number };

export const toCounts = ({
  input,
  output,
  cached = 0,
  written = 0,
  reasoning = 0,
}: CodexUsage): Record<string, number> => ({
  input_tokens: input,
  cached_input_tokens: cached,
  cache_write_input_tokens: written,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: input + output,
});

export const addUsage = (a: CodexUsage, b: CodexUsage): Required<CodexUsage> => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cached: (a.cached ?? 0) + (b.cached ?? 0),
  written: (a.written ?? 0) + (b.written ?? 0),
  reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0),
});

export const NO_USAGE: Required<CodexUsage> = { input: 0, output: 0, cached: 0, written: 0, reasoning: 0 };

export const sumUsage = (usages: readonly CodexUsage[]): Required<CodexUsage> =>
  usages.reduce<Required<CodexUsage>>(addUsage, NO_USAGE);

export type RolloutOptions = {
  thread: string;
  /** In milliseconds; each line is a little later. */
  at: number;
  /** New releases number their lines, and name the response that a usage is of. */
  isNumbered?: boolean;
  step?: number;
};

export type Rollout = ReturnType<typeof createRollout>;

/** A rollout being written: keeps the clock, the number of the line and the totals. */
export function createRollout({ thread, at, isNumbered = true, step = 250 }: RolloutOptions) {
  const lines: string[] = [];
  let [nowMs, ordinal] = [at, 0];
  let total: Required<CodexUsage> = NO_USAGE;
  const add = (type: string, payload: Record<string, unknown>): void => {
    nowMs += step;
    const timestamp = new Date(nowMs).toISOString();
    lines.push(JSON.stringify({ timestamp, ...(isNumbered && { ordinal: ordinal++ }), type, payload }));
  };
  return {
    lines,
    add,
    total: () => total,
    startFrom(usage: Required<CodexUsage>): void {
      total = usage;
    },
    meta(rest: Record<string, unknown> = {}): void {
      add("session_meta", {
        session_id: thread,
        id: thread,
        timestamp: new Date(at).toISOString(),
        cwd: "/home/dev/shop",
        originator: "codex_cli",
        cli_version: "0.171.0",
        source: "cli",
        model_provider: "openai",
        ...rest,
      });
    },
    context(turn: string, rest: Record<string, unknown> = {}): void {
      add("event_msg", { type: "task_started", turn_id: turn, root_turn_id: turn, model_context_window: 258400 });
      add("turn_context", { turn_id: turn, cwd: "/home/dev/shop", model: "gpt-5.5", effort: "medium", ...rest });
    },
    user(text: string, id = `msg_${thread}_${ordinal}`): void {
      add("response_item", { type: "message", id, role: "user", content: [{ type: "input_text", text }] });
    },
    assistant(text: string): void {
      add("response_item", { type: "message", role: "assistant", content: [{ type: "output_text", text }] });
    },
    call(id: string, name: string, args: object): void {
      add("response_item", { type: "function_call", name, arguments: JSON.stringify(args), call_id: id });
    },
    output(id: string, output: string): void {
      add("response_item", { type: "function_call_output", call_id: id, output });
    },
    /** `usage` of one response, named, as new releases write it. */
    record(response: string, usage: CodexUsage, owner = thread): void {
      total = addUsage(total, usage);
      const [own, sum] = [toCounts(usage), toCounts(total)];
      const names = {
        thread_id: owner,
        turn_id: "turn",
        session_id: owner,
        root_turn_id: "turn",
        response_id: response,
      };
      add("token_usage_record", { ...names, usage: own, turn_token_usage: sum, thread_token_usage: sum });
    },
    /** The snapshot after a record, or the only word of a response in old releases: then it moves the total on. */
    count(usage: CodexUsage | null, isNews = !isNumbered, rest: Record<string, unknown> = {}): void {
      if (usage !== null && isNews) total = addUsage(total, usage);
      const info = usage && { total_token_usage: toCounts(total), last_token_usage: toCounts(usage) };
      add("event_msg", {
        type: "token_count",
        info: info && { ...info, model_context_window: 258400 },
        rate_limits: null,
        ...rest,
      });
    },
    done(turn: string): void {
      add("event_msg", { type: "task_complete", turn_id: turn });
    },
  };
}
