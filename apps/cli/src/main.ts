/** The `centspan` command: parses, calls one use case, prints. Expected failures are one plain line and exit code 1. */
import { fileURLToPath } from "node:url";
import { CentspanError } from "@centspan/base";
import { Command } from "commander";
import { registerCost } from "./commands/cost.ts";
import { registerImport } from "./commands/import.ts";
import { registerKeys } from "./commands/keys.ts";
import { registerUp } from "./commands/up.ts";

const DEFAULT_DATA = fileURLToPath(new URL("../../../.centspan", import.meta.url));

export function createProgram(): Command {
  const program = new Command("centspan")
    .description("Every cent on the span that spent it, tied to the outcome it bought.")
    .version(process.env.CENTSPAN_VERSION ?? "source")
    .showHelpAfterError("(centspan --help lists the commands)");
  registerUp(program, DEFAULT_DATA);
  registerImport(program, DEFAULT_DATA);
  registerCost(program, DEFAULT_DATA);
  registerKeys(program, DEFAULT_DATA);
  return program;
}

try {
  await createProgram().parseAsync();
} catch (error) {
  if (!(error instanceof CentspanError)) throw error;
  process.stderr.write(`centspan: ${error.message}\n`);
  process.exit(1);
}
