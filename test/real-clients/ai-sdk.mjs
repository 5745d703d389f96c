// The AI SDK with OpenAI's provider: a task with a tool over Responses, then over Chat Completions, streamed.
import { createOpenAI } from "@ai-sdk/openai";
import { stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const openai = createOpenAI({
  baseURL: process.env.OPENAI_BASE_URL,
  headers: { "x-centspan-session": process.env.SESSION },
});
const tools = {
  run_command: tool({
    description: "Runs a command",
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => `ran ${command}`,
  }),
};

for (const model of [openai.responses("scripted-tools"), openai.chat("scripted-tools")]) {
  const result = streamText({
    model,
    tools,
    prompt: "Run two commands.",
    stopWhen: stepCountIs(5),
    onError({ error }) {
      throw error;
    },
  });
  console.log(await result.text);
}
