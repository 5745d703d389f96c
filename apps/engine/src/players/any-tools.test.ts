import type { Conversation, ToolDefinition } from "@centspan/model";
import { describe, expect, it } from "vitest";
import { anyToolsPlayer } from "./any-tools.ts";

const tool = (name: string, parameters: unknown): ToolDefinition => ({
  name,
  description: "",
  parametersJson: typeof parameters === "string" ? parameters : JSON.stringify(parameters),
});
const talk = (tools: ToolDefinition[], items: Conversation["items"] = []): Conversation => ({
  instructions: "",
  tools,
  items: [{ type: "message", role: "user", text: "go" }, ...items],
});
const argumentsOf = (tools: ToolDefinition[]) =>
  JSON.parse(anyToolsPlayer.answer(talk(tools)).toolCalls[0]?.argumentsJson ?? "null");

describe("the model that uses any tools", () => {
  it("calls a shell where there is one, twice, then says what it answered", () => {
    const shell = tool("Bash", { type: "object", properties: { command: { type: "string" } }, required: ["command"] });
    const tools = [tool("read", {}), shell];
    const items: Conversation["items"] = [];
    for (const turn of [1, 2]) {
      const { toolCalls } = anyToolsPlayer.answer(talk(tools, items));
      expect(toolCalls).toEqual([{ name: "Bash", argumentsJson: `{"command":"echo step ${turn}"}` }]);
      const argumentsJson = toolCalls[0]?.argumentsJson ?? "";
      items.push({ type: "tool_call", callId: `${turn}`, name: "Bash", argumentsJson });
      items.push({ type: "tool_result", callId: `${turn}`, output: `step ${turn}\n` });
    }
    expect(anyToolsPlayer.answer(talk(tools, items))).toMatchObject({
      toolCalls: [],
      text: "I called Bash 2 times. It answered:\nstep 1\nstep 2",
    });
  });

  it("makes arguments that fit the schema", () => {
    const properties = {
      cmd: { type: "array", items: { type: "string" } },
      mode: { enum: ["fast", "slow"] },
      count: { type: ["integer", "null"], minimum: 3 },
      quiet: { type: "boolean" },
      where: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      never: { type: "string" },
    };
    expect(
      argumentsOf([tool("x", { type: "object", properties, required: ["cmd", "mode", "count", "quiet", "where"] })]),
    ).toEqual({
      cmd: ["sh", "-c", "echo step 1"],
      mode: "fast",
      count: 3,
      quiet: false,
      where: { path: "step 1" },
    });
    expect(argumentsOf([tool("x", "no schema")])).toEqual({});
  });

  it("without tools says so", () => {
    expect(anyToolsPlayer.answer(talk([])).text).toContain("no tools");
  });
});
