/** A server's tools without a process: they say what they were called with, and are listed in another order each time. */
import type { ToolServer } from "../tools/mcp/connect-server.ts";
import type { Tool } from "../tools/tool.ts";

export const toolOf = (name: string, description: string, parameters: Record<string, unknown> = {}): Tool => ({
  name,
  description,
  parameters: { type: "object", properties: parameters },
  readOnly: false,
  run: async (json, { output }) => ({ output: output.write(`${name} ${json}`) }),
});

export function createToolServer(tools: readonly Tool[]): ToolServer {
  let listed = 0;
  return {
    name: "test",
    async list() {
      const at = listed++ % Math.max(1, tools.length);
      return [...tools.slice(at), ...tools.slice(0, at)];
    },
    close: async () => undefined,
  };
}
