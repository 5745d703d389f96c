/** The options of every command that asks or changes one workspace of a running stack. */
import type { Command } from "commander";
import { DEFAULT_WORKSPACE } from "../stores.ts";

export const addWorkspaceOptions = (command: Command, defaultData: string): Command =>
  command
    .option("--workspace <id>", "workspace", DEFAULT_WORKSPACE)
    .option("--data <dir>", "data folder of the running stack", defaultData);
