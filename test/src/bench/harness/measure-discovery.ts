/** How often `tool_search` finds the right tool, asked by name as a model would ask. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMechanisms, openToolbox, openToolContext, openUnconfined, type Tool } from "@centspan/harness";
import { listTools, readQueries } from "./tool-catalogue.ts";

/** Share of the labelled queries whose tool is among the first eight of `count` tools. */
export async function measureToolSearch(count: number): Promise<{ top8: number; top1: number; missed: string[] }> {
  const tools = listTools(count).map(({ name, description, inputSchema }): Tool => {
    const run: Tool["run"] = async (_arguments, { output }) => ({ output: output.write("") });
    return { name, description, parameters: inputSchema, readOnly: true, run };
  });
  const server = { name: "bench", list: async () => tools, close: async () => undefined };
  const toolbox = await openToolbox({ core: [], servers: [server], documents: [], mechanisms: createMechanisms() });
  const outputsDir = mkdtempSync(join(tmpdir(), "centspan-search-"));
  const { signal } = new AbortController();
  const context = { root: "", sandbox: openUnconfined(""), outputsDir, outputTokens: 10_000, signal };
  const search = async (query: string): Promise<string[]> => {
    const found = await toolbox.find("tool_search")?.run(JSON.stringify({ query }), openToolContext(context, query));
    const lines = found?.output.text.split("\n").filter((line) => line.startsWith("{")) ?? [];
    return lines.map((line) => String(JSON.parse(line).name));
  };
  try {
    const queries = readQueries();
    const missed: string[] = [];
    let first = 0;
    for (const { tool, query } of queries) {
      const at = (await search(query)).indexOf(tool);
      if (at < 0) missed.push(`${query} → ${tool}`);
      if (at === 0) first += 1;
    }
    return { top8: 1 - missed.length / queries.length, top1: first / queries.length, missed };
  } finally {
    rmSync(outputsDir, { recursive: true, force: true });
  }
}
