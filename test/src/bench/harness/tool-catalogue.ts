/**
 * Tools as an organisation's MCP servers would lend them, and what people look for among them: 117 tools that were
 * written for this, records of many kinds to fill up with, and 100 labelled queries of which none is a description.
 */
import { readFileSync } from "node:fs";

export type ListedTool = { name: string; description: string; inputSchema: { type: "object"; properties: Schema } };
type Schema = Record<string, { type: "string"; title: string; description: string }>;
export type LabelledQuery = { tool: string; query: string };

const RECORDS =
  "order product shipment supplier campaign survey lesson course student patient claim policy vehicle driver ticket venue playlist article device sensor firmware contract vendor asset lease tenant batch recipe permit grant member".split(
    " ",
  );
const VERBS = {
  create: "Makes a new",
  get: "Reads one",
  list: "Lists every",
  update: "Changes fields of a",
  delete: "Removes a",
  search: "Looks for a",
};

function readRows(file: string): string[][] {
  const lines = readFileSync(new URL(file, import.meta.url), "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(" | "));
}

const nameOf = (words: string): string => words.trim().replace(" ", "__");

function describeParameters(text: string): Schema {
  const pairs = text.split("; ").map((parameter) => parameter.split(": "));
  return Object.fromEntries(
    pairs.map(([name = "", description = ""]) => [name, { type: "string" as const, title: name, description }]),
  );
}

export function listTools(count: number): ListedTool[] {
  const written = readRows("tools.txt").map(
    ([words = "", description = "", parameters = ""]): ListedTool => ({
      name: nameOf(words),
      description,
      inputSchema: { type: "object", properties: describeParameters(parameters) },
    }),
  );
  const filled = RECORDS.flatMap((record) =>
    Object.entries(VERBS).map(
      ([verb, says]): ListedTool => ({
        name: `records__${verb}_${record}`,
        description: `${says} ${record} record.`,
        inputSchema: {
          type: "object",
          properties: describeParameters("id: Which record; fields: Values by name; filter: Condition"),
        },
      }),
    ),
  );
  const tools = [...written, ...filled].slice(0, count);
  if (tools.length < count) throw new Error(`there are ${tools.length} tools, not ${count}`);
  return tools;
}

export const readQueries = (): LabelledQuery[] =>
  readRows("queries.txt").map(([words = "", query = ""]) => ({ tool: nameOf(words), query }));
