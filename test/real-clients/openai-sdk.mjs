// The openai package: a task with a tool over Responses, streamed, then the same over its WebSocket.
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";

const client = new OpenAI({ defaultHeaders: { "x-centspan-session": process.env.SESSION } });
const tools = [
  {
    type: "function",
    name: "run_command",
    description: "Runs a command",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    strict: false,
  },
];

async function runTask(ask) {
  const input = [{ role: "user", content: "Run two commands." }];
  for (;;) {
    const response = await ask(input);
    const calls = response.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return response.output_text ?? response.output[0].content[0].text;
    input.push(...response.output);
    for (const { call_id, arguments: text } of calls) {
      input.push({ type: "function_call_output", call_id, output: `ran ${JSON.parse(text).command}` });
    }
  }
}

const request = { model: "scripted-tools", tools };
console.log(await runTask((input) => client.responses.stream({ ...request, input }).finalResponse()));

const socket = new ResponsesWS(client);
console.log(
  await runTask(
    (input) =>
      new Promise((resolve, reject) => {
        socket.once("response.completed", (event) => resolve(event.response));
        socket.once("error", reject);
        socket.send({ type: "response.create", ...request, input });
      }),
  ),
);
socket.close();
