/**
 * A result on its way from the engine to us through a named pipe: the engine formats and writes as it computes, in any
 * format, and waits when the pipe is full, so a slow reader slows the query and memory stays small. We hold the writing
 * end too, so the end of the stream is where we say the statement is over, not where the engine happened to open it.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

export type ResultPipe = { stream: Socket; endAfterWriters(): void };

export async function createPipes(dir: string, count: number): Promise<string[]> {
  const paths = Array.from({ length: count }, (_, index) => join(dir, `result-${index}`));
  await promisify(execFile)("mkfifo", ["-m", "600", ...paths]);
  return paths;
}

export function openResultPipe(path: string): ResultPipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  const stream = new Socket({ fd: readEnd, readable: true, writable: false });
  return { stream, endAfterWriters: () => closeSync(writeEnd) };
}

/** Lets an engine that is still about to open the pipe go on when its reader has left: opening waits for a reader. */
export function admitWriter(path: string): void {
  closeSync(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
}
