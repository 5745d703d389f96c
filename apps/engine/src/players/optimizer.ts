/**
 * `scripted-optimizer`: what a model does that follows the instructions of the bundled optimizer agent to the letter. It looks at
 * what tools answered and takes the next step that the instructions name; it knows nothing of the traffic, and decides nothing
 * that the tools do not say.
 */
import type { Conversation } from "@centspan/model";
import { z } from "zod";
import { type PlayedTurn, type Player, say } from "./player.ts";

export const optimizerPlayer: Player = { model: "scripted-optimizer", answer };

/** A call that was made and what came of it, parsed where it is JSON. */
type Made = { tool: string; args: Record<string, unknown>; output: unknown };

const recommendationSchema = z.looseObject({
  id: z.string(),
  kind: z.string(),
  state: z.string(),
  service: z.string().optional(),
});
const spellSchema = z.looseObject({
  service: z.string(),
  from: z.string(),
  to: z.string(),
  requests: z.number(),
  settings: z.looseObject({ draftTokens: z.string(), maxSequences: z.number() }),
});
type Spell = z.infer<typeof spellSchema>;
const studySchema = z.looseObject({
  id: z.string(),
  state: z.string(),
  result: z
    .looseObject({
      recommendations: z.array(z.looseObject({ title: z.string() })),
      refused: z.array(z.looseObject({ reason: z.string(), message: z.string() })),
    })
    .nullable(),
});
type SeenStudy = z.infer<typeof studySchema> & { asked: Record<string, unknown> };

const recordSchema = z.record(z.string(), z.unknown());
const asRecord = (value: unknown): Record<string, unknown> => recordSchema.safeParse(value).data ?? {};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Names are the server's, with the agent's prefix before them. */
const nameOf = (tool: string): string => tool.replace(/^.*__/, "");

function listMade({ items }: Conversation): Made[] {
  const outputs = new Map(items.flatMap((item) => (item.type === "tool_result" ? [[item.callId, item.output]] : [])));
  return items.flatMap((item) => {
    const output = item.type === "tool_call" ? outputs.get(item.callId) : undefined;
    if (item.type !== "tool_call" || output === undefined) return [];
    return [{ tool: nameOf(item.name), args: asRecord(parse(item.argumentsJson)), output: parse(output) }];
  });
}

const listOf = <T>(made: readonly Made[], tool: string, schema: z.ZodType<T>): T[] => {
  const answer = made.findLast((one) => one.tool === tool)?.output;
  const rows = asRecord(answer).data;
  return Array.isArray(rows) ? rows.flatMap((row) => schema.safeParse(row).data ?? []) : [];
};

/** As it was seen last. */
function listStudies(made: readonly Made[]): SeenStudy[] {
  const studies = new Map<string, SeenStudy>();
  for (const { tool, args, output } of made) {
    if (tool !== "startStudy" && tool !== "readStudy") continue;
    const study = studySchema.safeParse(output).data;
    if (study === undefined) continue;
    const asked = tool === "startStudy" ? asRecord(args.study) : (studies.get(study.id)?.asked ?? {});
    studies.set(study.id, { ...study, asked });
  }
  return [...studies.values()];
}

function answer(conversation: Conversation): PlayedTurn {
  const made = listMade(conversation);
  const offered = new Map(conversation.tools.map(({ name }) => [nameOf(name), name]));
  const call = (text: string, ...calls: [tool: string, args: object][]): PlayedTurn => ({
    reasoning: "",
    text,
    toolCalls: calls.flatMap(([tool, args]) => {
      const name = offered.get(tool);
      return name === undefined ? [] : [{ name, argumentsJson: JSON.stringify(args) }];
    }),
  });
  if (made.length === 0)
    return call(
      "What is on its way already, what costs most, and what of it was paid for twice?",
      ["listRecommendations", {}],
      ["costOutcomes", { groupBy: "model" }],
      ["sumCosts", { groupBy: "model" }],
      ["sumWaste", { groupBy: "cause" }],
      ["listEngines", {}],
    );
  const studies = listStudies(made);
  const running = studies.find(({ state }) => state === "waiting" || state === "running");
  if (running !== undefined) return call("It is not over yet.", ["readStudy", { id: running.id, waitS: 50 }]);
  return (
    followUp(made, studies, call, offered.has("apply_recommendation")) ??
    fileNext(made, studies, call) ??
    lookForMore(made, studies, call) ??
    say(conclude(made, studies))
  );
}

type Call = (text: string, ...calls: [tool: string, args: object][]) => PlayedTurn;

/** What is applied is verified, what is accepted is applied. */
function followUp(
  made: readonly Made[],
  studies: readonly SeenStudy[],
  call: Call,
  mayApply: boolean,
): PlayedTurn | null {
  const known = listOf(made, "listRecommendations", recommendationSchema);
  const applied = known.find(
    ({ id, state }) => state === "applied" && !studies.some(({ asked }) => asked.recommendation === id),
  );
  if (applied !== undefined)
    return call("This one is applied: what came of it?", [
      "startStudy",
      { study: { kind: "verification", recommendation: applied.id } },
    ]);
  const accepted = known.find(
    ({ id, kind, state }) =>
      kind === "serving" &&
      state === "accepted" &&
      !made.some(({ tool, args }) => tool === "apply_recommendation" && args.id === id),
  );
  if (accepted === undefined || !mayApply) return null;
  return call("This one was accepted: I apply it.", ["apply_recommendation", { id: accepted.id }]);
}

function fileNext(made: readonly Made[], studies: readonly SeenStudy[], call: Call): PlayedTurn | null {
  const isFiled = (id: string): boolean => made.some(({ tool, args }) => tool === "fileStudy" && args.id === id);
  const found = studies.find(({ id, result }) => (result?.recommendations.length ?? 0) > 0 && !isFiled(id));
  const [best] = found?.result?.recommendations ?? [];
  if (found === undefined || best === undefined) return null;
  const because =
    found.asked.kind === "spend"
      ? "No engine of our own can be improved on what is known; this is what the waste ledger says costs most."
      : `The engine ${found.asked.service} computes most of the tokens that we serve ourselves.`;
  return call(`It holds on later traffic: ${best.title}. I file it.`, ["fileStudy", { id: found.id, because }]);
}

/** The engine with most requests first, in the time of its present settings; then the waste ledger. */
function lookForMore(made: readonly Made[], studies: readonly SeenStudy[], call: Call): PlayedTurn | null {
  const known = listOf(made, "listRecommendations", recommendationSchema);
  const isOpen = (one: z.infer<typeof recommendationSchema>): boolean =>
    ["proposed", "accepted", "applied"].includes(one.state);
  const spells = listOf(made, "listEngines", spellSchema);
  const present = spells.filter(({ service }, at) => spells.findIndex((one) => one.service === service) === at);
  const busiest = present
    .filter(({ service }) => !known.some((one) => isOpen(one) && one.service === service))
    .toSorted((a, b) => b.requests - a.requests)[0];
  const isSearched = studies.some(({ asked }) => asked.kind === "search");
  if (busiest !== undefined && !isSearched) {
    const { service, from } = busiest;
    const other = spells.find((one) => one !== busiest && one.service === service && tellsMore(one, busiest));
    const machine = other === undefined ? {} : { machine: { from: other.from, to: other.to } };
    const traffic = { from };
    return call(`${service} is the dearest of our engines. Would other settings have served its traffic for less?`, [
      "startStudy",
      { study: { kind: "search", subject: service, service, traffic, ...machine } },
    ]);
  }
  const isAdvised =
    studies.some(({ asked }) => asked.kind === "spend") || known.some((one) => one.kind === "spend" && isOpen(one));
  if (isAdvised || studies.some(({ state, asked }) => state === "done" || asked.kind === "verification")) return null;
  return call("Nothing there. What does the waste ledger advise?", ["startStudy", { study: { kind: "spend" } }]);
}

/** Steps that draft tell nothing of the machine alone, small batches nothing of larger ones. */
const tellsMore = (other: Spell, present: Spell): boolean =>
  other.settings.draftTokens === "0" &&
  other.requests >= 200 &&
  (present.settings.draftTokens !== "0" || other.settings.maxSequences > present.settings.maxSequences);

function conclude(made: readonly Made[], studies: readonly SeenStudy[]): string {
  const lines = made.flatMap(({ tool, args, output }) => {
    if (tool === "fileStudy")
      return [`Filed ${asRecord(output).id}: ${asRecord(output).title}. A person decides on it.`];
    return tool === "apply_recommendation" ? [`${args.id}: ${typeof output === "string" ? output : "applied"}`] : [];
  });
  const refused = studies.flatMap(({ result }) =>
    (result?.refused ?? []).map(({ reason, message }) => `Refused, ${reason}: ${message}.`),
  );
  const verified = studies.flatMap(({ asked, state }) =>
    asked.kind === "verification" && state === "done" ? [`${asked.recommendation} is verified.`] : [],
  );
  const all = [...lines, ...verified, ...refused];
  return all.length === 0 ? "There is nothing to do: what was proposed waits for a person." : all.join("\n");
}
