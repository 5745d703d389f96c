/** The tool by which a verifier says what it found. */
import { z } from "zod";
import type { Event } from "../events/event.ts";
import { defineTool, type Tool } from "../tools/tool.ts";

const verdictSchema = z.strictObject({
  holds: z.boolean().describe("Whether every condition holds."),
  findings: z.array(z.string()).describe("What you found, each with how you know."),
});
export type Verdict = z.infer<typeof verdictSchema>;

const NAME = "report_verdict";

export const reportVerdict: Tool = defineTool({
  name: NAME,
  description: "Reports whether the conditions hold; your last report counts.",
  arguments: verdictSchema,
  readOnly: true,
  run: async (_verdict, { output }) => ({ output: output.write("reported; say that you are done") }),
});

/** The last report of a thread; null where there is none. */
export function readVerdict(events: readonly Event[]): Verdict | null {
  const reported = events.findLast(
    (event) => event.type === "tool_done" && event.call.name === NAME && event.error === undefined,
  );
  return reported?.type === "tool_done" ? verdictSchema.parse(JSON.parse(reported.call.argumentsJson)) : null;
}
