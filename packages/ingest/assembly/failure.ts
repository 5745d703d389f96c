/** Where in a record the reader is, so that a refusal can name the place, and the refusals that many places share. */
import { refuse } from "./host";

/** The deepest path: a list, an attribute in it, and the levels of its value. */
const MAX_DEPTH = 64;
const path = memory.data(MAX_DEPTH * 8);
let depth: u32 = 0;

/** `index` is a place in the list of that name, or -1 for what is no list. */
export function enterPath(name: string, index: i32): void {
  const place = path + depth * 8;
  store<usize>(place, changetype<usize>(name));
  store<i32>(place, index, 4);
  depth += 1;
}

export function leavePath(): void {
  depth -= 1;
}

export function resetPath(): void {
  depth = 0;
}

/** The path for the host: a name and an index each. */
export function pathStart(): usize {
  return path;
}
export function pathDepth(): u32 {
  return depth;
}

export function refuseTruncated(): void {
  refuse("malformed", "protobuf ends in the middle of a value", "", 0);
}

export function refuseText(name: string): void {
  refuse("invalid_text", "must be UTF-8", name, 0);
}
