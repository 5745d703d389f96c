/**
 * The tool `run_program`: the model's own program in place of many turns. The calls that it makes are approved, recorded
 * and seen as spans like any other; those that only read run side by side, others alone. Only what the program returns
 * enters the context.
 */
import { CentspanError } from "@centspan/base";
import { setAttributes } from "@centspan/telemetry";
import { z } from "zod";
import { type Execution, executeCall } from "../loop/execute-calls.ts";
import { defineTool, type Tool } from "../tools/tool.ts";
import type { CodeLimits } from "./messages.ts";
import { createReadingLock } from "./reading-lock.ts";
import { CODE_LIMITS, type CodeResult, runCode } from "./run-code.ts";
import { prepareThread } from "./threads.ts";

const NAME = "run_program";

export function createRunProgram(execution: Execution, limits: CodeLimits = CODE_LIMITS): Tool {
  prepareThread();
  return defineTool({
    name: NAME,
    description: `Runs a JavaScript program: the body of an async function in which every tool is one too, so that \`await tools.read_file({ path: "a.js" })\` gives what the tool would answer, and Promise.all makes calls side by side. Only what the program returns is shown. For at most ${limits.timeMs / 1000} seconds; no files, network or timers but through tools.`,
    arguments: z.strictObject({ code: z.string().min(1).describe("The program; `return` what you want to see.") }),
    readOnly: false,
    // Its calls are approved one by one.
    subject: () => null,
    async run({ code }, { callId, output, signal }) {
      const lock = createReadingLock();
      let made = 0;
      const result = await execution.spans("code_mode.run", {}, async (span) => {
        const ran = await runCode({
          code,
          call(name, argumentsJson, ended) {
            made += 1;
            const call = { callId: `${callId}.${made}`, name, argumentsJson };
            const inner = { ...execution, context: { ...execution.context, signal: ended } };
            return lock(execution.findTool(name)?.readOnly === true, async () => {
              ended.throwIfAborted();
              const done = await executeCall(call, inner, { parallel: 1, within: callId });
              if (done.refused) throw new Error(done.output.text);
              return done.output.text;
            });
          },
          limits,
          signal,
        });
        setAttributes(span, {
          "centspan.code.calls": ran.calls,
          "centspan.code.parallel": ran.parallel,
          "centspan.code.end": ran.end,
        });
        return ran;
      });
      if (result.end === "returned") return { output: output.write(result.value) };
      throw new CentspanError("invalid_request", describeEnd(result, limits));
    },
  });
}

function describeEnd({ end, value, log }: CodeResult, limits: CodeLimits): string {
  const reasons = {
    returned: "",
    threw: value,
    time: `the program was ended after ${limits.timeMs / 1000} seconds`,
    memory: `the program was ended: it took more than ${limits.memoryBytes} bytes`,
    output: `the program was ended: it logged more than ${limits.outputBytes} bytes`,
    calls: `the program was ended: it made more than ${limits.calls} calls`,
    stuck: "the program waits for something that never comes",
  };
  return log === "" ? reasons[end] : `${reasons[end]}\nIt had logged:\n${log}`;
}
