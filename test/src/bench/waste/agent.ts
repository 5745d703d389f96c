/**
 * An agent of its own: it plays a written conversation against the gateway turn by turn, as clients do, and says what it did.
 * It knows nothing of waste: what is wrong with a run is in the requests that it is given.
 */
import { request } from "undici";

export type Item = Record<string, unknown>;
export type Tool = { type: "function"; name: string; description: string; parameters: object };

export type Turn = {
  model: string;
  instructions: string;
  tools: readonly Tool[];
  /** What is new in the conversation. */
  news: readonly Item[];
  effort?: string;
  headers?: Record<string, string>;
  /** In place of the run's. */
  gatewayUrl?: string;
  key?: string;
  maxOutputTokens?: number;
  /** Leaves after so many bytes of the answer, then asks again. */
  leavesAfterBytes?: number;
  /** Asks again although the answer was whole. */
  asksTwice?: boolean;
  /** Changes what was said before. */
  rewrite?(items: readonly Item[]): Item[];
  /** Done before the turn by somebody else. */
  before?(): Promise<void>;
  /** Done while its answer is given, from the first of it on. */
  meanwhile?(): Promise<void>;
};

/** The session is the run's own unless it says. */
export type Run = { runId: string; task: string; key: string; session?: string };

export async function playRun(gatewayUrl: string, run: Run, turns: readonly Turn[]): Promise<void> {
  let items: Item[] = [];
  for (const turn of turns) {
    await turn.before?.();
    items = [...(turn.rewrite?.(items) ?? items), ...turn.news];
    const body = {
      model: turn.model,
      instructions: turn.instructions,
      tools: turn.tools,
      input: items,
      stream: true,
      store: false,
      ...(turn.effort !== undefined && { reasoning: { effort: turn.effort } }),
      ...(turn.maxOutputTokens !== undefined && { max_output_tokens: turn.maxOutputTokens }),
    };
    const ask = (leavesAfterBytes?: number) =>
      post(turn.gatewayUrl ?? gatewayUrl, { ...run, key: turn.key ?? run.key }, body, turn, leavesAfterBytes);
    if (turn.leavesAfterBytes !== undefined) await ask(turn.leavesAfterBytes);
    if (turn.asksTwice) await ask();
    items.push(...(await ask()));
  }
}

/** The items of the answer; none where it was left. */
async function post(
  gatewayUrl: string,
  { runId, task, key, session = runId }: Run,
  body: object,
  { headers, meanwhile }: Pick<Turn, "headers" | "meanwhile">,
  leavesAfterBytes = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const leaving = new AbortController();
  const { statusCode, body: answer } = await request(`${gatewayUrl}/v1/responses`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-centspan-run": runId,
      "x-centspan-session": session,
      "x-centspan-task": task,
      ...headers,
    },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  let text = "";
  let others: Promise<void> | undefined;
  try {
    for await (const chunk of answer) {
      others ??= meanwhile?.();
      text += chunk;
      if (text.length >= leavesAfterBytes) leaving.abort();
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    return [];
  }
  await others;
  if (statusCode !== 200) throw new Error(`the gateway answered ${statusCode}: ${text}`);
  const [, completed] = /^data: (\{"type":"response\.(?:completed|incomplete)".*)$/m.exec(text) ?? [];
  const { response }: { response: { output: Item[] } } = JSON.parse(completed ?? "{}");
  return response.output;
}
