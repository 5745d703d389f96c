/**
 * The durable log of one thread: a line per event, on disk before anybody acts on it. A kill can tear the last line only,
 * which is then as if it had never been written.
 * Must not: be written by two processes; whoever opens it owns it until its process has gone.
 */
import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { errorCode } from "../sandbox/file-error.ts";
import { type Event, eventSchema, type Happening } from "./event.ts";

export type EventLog = {
  /** All that happened so far. */
  readonly events: readonly Event[];
  /** Durable when it returns. */
  append(happening: Happening): Event;
  close(): void;
};

export const EVENTS_FILE = "events.jsonl";

export function openEventLog(file: string): EventLog {
  // What an agent read and wrote is nobody else's business.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const release = takeOver(`${file}.owner`);
  const handle = openSync(file, "a+");
  const { events, wholeBytes } = parseLines(readFileSync(file), file);
  let bytes = wholeBytes;
  ftruncateSync(handle, bytes);
  return {
    events,
    append(happening) {
      const event: Event = { at: new Date().toISOString(), ...happening };
      const line = `${JSON.stringify(event)}\n`;
      try {
        writeFileSync(handle, line);
        fdatasyncSync(handle);
      } catch (error) {
        // On a full disk a part of it may be there, which the next line must not stand behind.
        ftruncateSync(handle, bytes);
        throw error;
      }
      bytes += Buffer.byteLength(line);
      events.push(event);
      return event;
    },
    close() {
      closeSync(handle);
      release();
    },
  };
}

/** For readers: whoever writes it is not disturbed. */
export const readEventLog = (file: string): Event[] => parseLines(readFileSync(file), file).events;

function parseLines(bytes: Buffer, file: string): { events: Event[]; wholeBytes: number } {
  const wholeBytes = bytes.lastIndexOf("\n") + 1;
  const lines = bytes.toString("utf8", 0, wholeBytes).split("\n").slice(0, -1);
  const events = lines.map((line, index) => {
    const parsed = eventSchema.safeParse(parseJson(line));
    if (parsed.success) return parsed.data;
    const message = `${file}: line ${index + 1}: ${z.prettifyError(parsed.error).replaceAll("\n", "; ")}`;
    throw new CentspanError("invalid_file", message);
  });
  return { events, wholeBytes };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Which no event is.
    return undefined;
  }
}

function takeOver(file: string): () => void {
  try {
    const owner = Number(readFileSync(file, "utf8"));
    if (owner !== process.pid && isRunning(owner)) {
      throw new CentspanError("conflict", `the run is being worked on by process ${owner}`, { field: "resume" });
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  writeFileSync(file, String(process.pid));
  return () => rmSync(file, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
