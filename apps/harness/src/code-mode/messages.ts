/** What a program's thread and the harness say to each other. */
import { z } from "zod";

export type CodeLimits = {
  /** From its start to its end, tools included; the harness keeps to it, the rest is kept to in the thread. */
  timeMs: number;
  memoryBytes: number;
  /** Of its log. */
  outputBytes: number;
  calls: number;
};
export type Start = { code: string; limits: CodeLimits };

/** How a call ended: its output, or what the program can catch. */
export type ToProgram = { id: number; ok: boolean; text: string };

export const fromProgramSchema = z.discriminatedUnion("type", [
  /** Begins with the program now. */
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("log"), text: z.string() }),
  z.object({ type: z.literal("call"), id: z.int(), tool: z.string(), argumentsJson: z.string() }),
  z.object({
    type: z.literal("end"),
    end: z.enum(["returned", "threw", "memory", "output", "calls", "stuck"]),
    value: z.string(),
  }),
]);
export type FromProgram = z.infer<typeof fromProgramSchema>;
