/**
 * What happened in one thread of a run, as it is kept: enough to go on after a kill, and for somebody else to reread.
 * Must not: hold a credential.
 * Add one: an entry here; readers ignore what doesn't concern them.
 */
import { z } from "zod";
import { limitsSchema } from "../budget/limits.ts";

/** As it came and as it will be sent: a schema that rebuilt it could change the order of its members. */
const item = z.custom<{ type: string }>(
  (value) => typeof value === "object" && value !== null && "type" in value && typeof value.type === "string",
);
const call = z.object({ callId: z.string(), name: z.string(), argumentsJson: z.string() });
const usage = z.object({ inputTokens: z.int(), cachedTokens: z.int(), outputTokens: z.int() });

const EVENTS = [
  /** The first of a thread. `request` is what it takes to go on. */
  z.object({
    type: z.literal("started"),
    runId: z.string(),
    threadId: z.string(),
    agent: z.string(),
    role: z.string(),
    model: z.string(),
    harnessVersion: z.string(),
    traceId: z.string().nullable(),
    sandbox: z.string(),
    policy: z.unknown(),
    limits: limitsSchema,
    request: z.unknown(),
  }),
  z.object({ type: z.literal("resumed"), limits: limitsSchema }),
  /** What a person, or the one who gave the task, says to the agent. */
  z.object({ type: z.literal("message"), from: z.enum(["task", "person"]), item }),
  z.object({
    type: z.literal("turn_answered"),
    turn: z.int(),
    responseId: z.string(),
    model: z.string(),
    items: z.array(item),
    calls: z.array(call),
    text: z.string(),
    incomplete: z.string().nullable(),
    usage: usage.nullable(),
    /** At list prices; null where the model has none, or no usage was reported. */
    costUsd: z.string().nullable(),
  }),
  /** `waitMs` is how long a person took; null where nobody was asked. */
  z.object({
    type: z.literal("approval"),
    callId: z.string(),
    tool: z.string(),
    subject: z.string(),
    decision: z.enum(["allowed", "refused", "unconfined"]),
    by: z.enum(["policy", "person"]),
    waitMs: z.number().nullable(),
  }),
  /** `within` is the call whose program made this one. */
  z.object({ type: z.literal("tool_started"), call, within: z.string().optional() }),
  z.object({
    type: z.literal("tool_done"),
    call,
    within: z.string().optional(),
    output: z.string(),
    totalBytes: z.int(),
    exitCode: z.int().optional(),
    /** What the call was refused or failed with, where that is not a program's exit code. */
    error: z.string().optional(),
  }),
  z.object({
    type: z.literal("egress"),
    method: z.string(),
    host: z.string(),
    status: z.int().nullable(),
    sentBytes: z.int(),
    receivedBytes: z.int(),
  }),
  /** Settings that can change, as the model is told of them. */
  z.object({ type: z.literal("surroundings"), settings: z.record(z.string(), z.string()) }),
  /** From here on the context is these items. `usage` and `costUsd` are of the answer that summed it up. */
  z.object({
    type: z.literal("context_compacted"),
    turn: z.int(),
    items: z.array(item),
    usage: usage.nullable(),
    costUsd: z.string().nullable(),
  }),
  z.object({ type: z.literal("stopped"), reason: z.string(), detail: z.string() }),
  z.object({ type: z.literal("judged"), status: z.string() }),
] as const;

export const eventSchema = z.discriminatedUnion("type", EVENTS).and(z.object({ at: z.iso.datetime() }));

/** Without when it happened, which the log adds. */
export type Happening = z.infer<(typeof EVENTS)[number]>;
export type Event = z.infer<typeof eventSchema>;
export type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;
