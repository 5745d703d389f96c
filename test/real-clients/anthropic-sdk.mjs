// The Anthropic package: a task with a tool over Messages, whole, then streamed.
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ defaultHeaders: { "x-centspan-session": process.env.SESSION } });
const tools = [
  {
    name: "run_command",
    description: "Runs a command",
    input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  },
];

async function runTask(ask) {
  const messages = [{ role: "user", content: "Run two commands." }];
  for (;;) {
    const { role, content } = await ask({ model: "scripted-tools", max_tokens: 1000, tools, messages });
    const uses = content.filter(({ type }) => type === "tool_use");
    if (uses.length === 0) return content[0].text;
    messages.push({ role, content });
    const results = uses.map(({ id, input }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: `ran ${input.command}`,
    }));
    messages.push({ role: "user", content: results });
  }
}

console.log(await runTask((request) => client.messages.create(request)));
console.log(await runTask((request) => client.messages.stream(request).finalMessage()));
