/**
 * Skills, plug-ins and long-term memory: text files in a folder, found like tools when they are needed.
 * `skills/<name>/SKILL.md` · `memory/<name>.md` · `plugins/<name>/plugin.json` with skills and MCP servers of its own.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { errorCode } from "../sandbox/file-error.ts";
import type { CatalogueEntry } from "../tools/discovery/catalogue.ts";
import { type ServerSpecs, serverSpecsSchema } from "../tools/mcp/server-spec.ts";

export type LibraryDocument = CatalogueEntry & { kind: "skill" | "plugin" | "memory"; text: string };
export type Library = { documents: LibraryDocument[]; servers: ServerSpecs };

export const EMPTY_LIBRARY: Library = { documents: [], servers: {} };

export async function readLibrary(folder: string): Promise<Library> {
  const [skills, memories, plugins] = await Promise.all([
    readSkills(join(folder, "skills")),
    readMemories(join(folder, "memory")),
    readPlugins(join(folder, "plugins")),
  ]);
  return {
    documents: [...skills, ...memories, ...plugins.flatMap(({ documents }) => documents)],
    servers: Object.assign({}, ...plugins.map(({ servers }) => servers)),
  };
}

async function readSkills(folder: string): Promise<LibraryDocument[]> {
  const names = await listNames(folder);
  return Promise.all(
    names.map(async (name) => {
      const file = join(folder, name, "SKILL.md");
      const { head, text } = splitFrontmatter(await readText(file));
      return createDocument("skill", head.get("name") ?? name, head.get("description") ?? firstLine(text), text);
    }),
  );
}

async function readMemories(folder: string): Promise<LibraryDocument[]> {
  const names = (await listNames(folder)).filter((name) => name.endsWith(".md"));
  return Promise.all(
    names.map(async (name) => {
      const text = await readText(join(folder, name));
      return createDocument("memory", name.replace(/\.md$/, ""), firstLine(text), text);
    }),
  );
}

const pluginSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  mcpServers: serverSpecsSchema.default({}),
});

async function readPlugins(folder: string): Promise<Library[]> {
  const names = await listNames(folder);
  return Promise.all(names.map((name) => readPlugin(join(folder, name))));
}

async function readPlugin(folder: string): Promise<Library> {
  const file = join(folder, "plugin.json");
  const text = await readText(file);
  const parsed = pluginSchema.safeParse(parseJson(file, text));
  if (!parsed.success) throw new CentspanError("invalid_file", `${file}: ${z.prettifyError(parsed.error)}`);
  const { name, description, mcpServers } = parsed.data;
  const skills = await readSkills(join(folder, "skills"));
  const contents = [
    ...skills.map((skill) => `skill ${skill.name}: ${skill.description}`),
    ...Object.keys(mcpServers).map((server) => `tools ${server}__…`),
  ];
  return {
    documents: [createDocument("plugin", name, description, contents.join("\n")), ...skills],
    servers: mcpServers,
  };
}

const createDocument = (
  kind: LibraryDocument["kind"],
  name: string,
  description: string,
  text: string,
): LibraryDocument => ({ kind, name, description, text, words: text });

/** Of a folder that need not exist, in a fixed order. */
async function listNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((cause: unknown) => {
    throw new CentspanError("invalid_file", `${file}: can't be read (${errorCode(cause)})`, { cause });
  });
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CentspanError("invalid_file", `${file}: is not JSON`, { cause });
  }
}

/** `name: value` lines between two lines of three dashes, as skills have them. */
function splitFrontmatter(text: string): { head: Map<string, string>; text: string } {
  const [, lines, rest] = /^---\r?\n(.*?)\r?\n---\r?\n(.*)$/s.exec(text) ?? [];
  if (lines === undefined || rest === undefined) return { head: new Map(), text };
  const pairs = lines.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, name, value] = /^(\w+):\s*(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.replace(/^(["'])(.*)\1$/, "$2")]];
  });
  return { head: new Map(pairs), text: rest };
}

const firstLine = (text: string): string =>
  text
    .replace(/^#+\s*/, "")
    .split("\n")[0]
    ?.trim() ?? "";
