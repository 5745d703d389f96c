/** Files that a workload and a cluster are described in, and the words of options. Errors name the file or the option. */
import { createReadStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { CentspanError } from "@centspan/base";
import { parseSimulationConfig, type SimulationConfig, type TraceBytes } from "@centspan/serving";

const PROGRESS_EVERY = 1_000;

export function readConfig(file: string | undefined): SimulationConfig {
  if (file === undefined) return parseSimulationConfig({});
  try {
    return parseSimulationConfig(JSON.parse(readText(file)));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CentspanError("invalid_file", `${file}: not JSON: ${error.message}`);
    if (error instanceof CentspanError && error.code === "invalid_request")
      throw new CentspanError(
        "invalid_request",
        `${file}: ${error.message}`,
        error.field ? { field: error.field } : {},
      );
    throw error;
  }
}

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CentspanError("invalid_file", `${file}: can't be read (${reason})`);
  }
}

export function parseCount(option: string, word: string): number {
  const value = Number(word);
  if (Number.isSafeInteger(value) && value > 0) return value;
  const message = `--${option}: ${JSON.stringify(word)} is no whole number above 0`;
  throw new CentspanError("invalid_request", message, { field: option });
}

export async function readTrace<T>(
  file: string,
  read: (bytes: TraceBytes) => AsyncGenerator<T>,
  say: (text: string) => void,
): Promise<T[]> {
  if (!existsSync(file)) throw new CentspanError("invalid_file", `${file}: there is no such file`);
  const trace: T[] = [];
  try {
    for await (const request of read(createReadStream(file))) {
      trace.push(request);
      if (trace.length % PROGRESS_EVERY === 0) say(`reading ${file}: ${trace.length} requests`);
    }
  } catch (error) {
    if (!(error instanceof CentspanError)) throw error;
    throw new CentspanError(error.code, `${file}: ${error.message}`, error.field ? { field: error.field } : {});
  }
  if (trace.length === 0) throw new CentspanError("invalid_file", `${file}: holds no request`);
  return trace;
}

export function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new CentspanError("invalid_file", `${file}: can't be written (${reason})`);
  }
}
