/** The `centspan` command: parses, calls one use case, prints. Expected failures are one plain line and exit code 1. */
import { fileURLToPath } from "node:url";
import { CentspanError } from "@centspan/base";
import { createProgram } from "./program.ts";

/** This file is bundled into apps/cli/dist/main.js. */
const DEFAULT_DATA = fileURLToPath(new URL("../../../.centspan", import.meta.url));

try {
  await createProgram(DEFAULT_DATA).parseAsync();
} catch (error) {
  if (!(error instanceof CentspanError)) throw error;
  process.stderr.write(`centspan: ${error.message}\n`);
  process.exit(1);
}
