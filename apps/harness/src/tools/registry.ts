/** The agent's tools in the one order they are ever sent in: by name. Add one: a file here and a line in the list. */
import editFile from "./edit-file.ts";
import listFiles from "./list-files.ts";
import readFile from "./read-file.ts";
import readMore from "./read-more.ts";
import runCommand from "./run-command.ts";
import runTests from "./run-tests.ts";
import search from "./search.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [editFile, listFiles, readFile, readMore, runCommand, runTests, search];
