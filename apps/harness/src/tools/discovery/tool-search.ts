/** `tool_search`: what is not in the prompt, by words. Documents are shown from their start; `read_more` reads on. */
import { z } from "zod";
import type { LibraryDocument } from "../../library/read-library.ts";
import type { Mechanisms } from "../../mechanisms.ts";
import { createOutputBuffer } from "../../sandbox/cut-output.ts";
import { stableJson } from "../stable-json.ts";
import { defineTool, keptFileOf, type Tool, type ToolContext } from "../tool.ts";
import { type Catalogue, type CatalogueEntry, ENTRY_KINDS } from "./catalogue.ts";
import { compactSchema } from "./compact-schema.ts";

export type FoundTool = CatalogueEntry & { kind: "tool"; tool: Tool };

const MAX_TOOLS = 8;
/** Of skills, of plug-ins and of memories. */
const MAX_DOCUMENTS = 3;
const DOCUMENT_TOKENS = 500;

export function createToolSearch(catalogue: Catalogue<FoundTool | LibraryDocument>, mechanisms: Mechanisms): Tool {
  return defineTool({
    name: "tool_search",
    description:
      "Finds further tools, skills, plug-ins and notes by what they do. Tools that it finds are called through call_tool.",
    arguments: z.strictObject({
      query: z.string().min(1).max(1_000).describe("What is to be done, in a few words."),
      limit: z.int().min(1).max(50).default(MAX_TOOLS).describe("Most tools to find."),
    }),
    readOnly: true,
    span: "tool_search",
    async run({ query, limit }, context) {
      const found = ENTRY_KINDS.flatMap((kind) =>
        catalogue.search(query, kind, kind === "tool" ? limit : MAX_DOCUMENTS),
      );
      const lines = found.map((entry) =>
        entry.kind === "tool" ? describeTool(entry.tool, mechanisms) : describeDocument(entry, context),
      );
      const output = context.output.write(lines.length === 0 ? "(nothing found; try other words)" : lines.join("\n"));
      return { output, search: { candidates: catalogue.size, hits: found.length } };
    },
  });
}

const describeTool = ({ name, description, parameters }: Tool, mechanisms: Mechanisms): string =>
  stableJson({ name, description, parameters: mechanisms.compactSchemas ? compactSchema(parameters) : parameters });

function describeDocument({ kind, name, description, text }: LibraryDocument, context: ToolContext): string {
  const id = `${kind}:${name}`;
  const kept = { id, file: keptFileOf(context.outputsDir, id) };
  const shown = createOutputBuffer({ limitTokens: DOCUMENT_TOKENS, kept }).write(text);
  return `<${kind} name=${JSON.stringify(name)}>\n${description}\n\n${shown.text}\n</${kind}>`;
}
