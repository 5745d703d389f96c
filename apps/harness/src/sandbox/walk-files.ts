/** The files of a package in one fixed order. Links are named, not followed; what package managers install is left out. */
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const LEFT_OUT = new Set(["node_modules", ".git"]);

/** Up to `limit` paths relative to `root`, with `/`: a folder's files before its folders, each in code-unit order. */
export async function walkFiles(root: string, directory: string, limit: number): Promise<string[]> {
  const files: string[] = [];
  const pending = [directory];
  for (let current = pending.pop(); current !== undefined && files.length < limit; current = pending.pop()) {
    const entries = await readdir(current, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const folders = entries.filter((entry) => entry.isDirectory() && !LEFT_OUT.has(entry.name));
    for (const entry of entries) {
      if (!entry.isDirectory()) files.push(relative(root, join(current, entry.name)).split(sep).join("/"));
    }
    pending.push(...folders.map((folder) => join(current, folder.name)).reverse());
  }
  return files.slice(0, limit);
}
