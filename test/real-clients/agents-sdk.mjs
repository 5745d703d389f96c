// The Agents SDK: an agent with a tool.
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

setTracingDisabled(true);
const openAIClient = new OpenAI({ defaultHeaders: { "x-centspan-session": process.env.SESSION } });
const agent = new Agent({
  name: "runner",
  instructions: "Run what you are asked to.",
  model: "scripted-tools",
  tools: [
    tool({
      name: "run_command",
      description: "Runs a command",
      parameters: z.object({ command: z.string() }),
      execute: async ({ command }) => `ran ${command}`,
    }),
  ],
});
const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }) });
console.log((await runner.run(agent, "Run two commands.")).finalOutput);
