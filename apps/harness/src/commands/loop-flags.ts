/** What every command that runs agents can be told of their loop. */
import { type Command, InvalidArgumentError } from "commander";
import { createMechanisms, MECHANISM_NAMES } from "../mechanisms.ts";
import type { LoopSettings } from "../services.ts";

/** What most models take at least. */
export const WINDOW_TOKENS = 128_000;

export type LoopFlags = { mcp?: string; library?: string; window: number; without: string[] };

export const addLoopFlags = (command: Command): Command =>
  command
    .option("--mcp <file>", "JSON file with `mcpServers` whose tools the agent can find")
    .option("--library <folder>", "folder with skills, plug-ins and memory that the agent can find")
    .option("--window <tokens>", "tokens that the model takes, prompt and answer together", readTokens, WINDOW_TOKENS)
    .option("--without <names...>", `mechanisms to switch off: ${MECHANISM_NAMES.join(", ")}`, []);

export const readLoopSettings = ({ mcp, library, window, without }: LoopFlags): LoopSettings => ({
  mechanisms: createMechanisms(without),
  windowTokens: window,
  mcp: mcp ?? null,
  library: library ?? null,
});

function readTokens(text: string): number {
  if (!/^[1-9]\d{3,7}$/.test(text)) throw new InvalidArgumentError("It has to be a whole number of at least 1000.");
  return Number(text);
}
