/**
 * The decoder in WebAssembly (assembly/): one instance, with its memory, builds blocks of one signal's table. This file
 * is what it and the rest say to each other: bytes and text, what the host does for it, what it throws.
 * Whatever calls it may move its memory: a view is valid until the next call.
 */
import { randomBytes } from "node:crypto";
import { assert } from "@centspan/base";
import { SIGNALS, type Signal } from "@centspan/model";
import { BadValue, BlockFull, REJECTION_CODES } from "./admission.ts";
import { wasmBase64 } from "./decoder.gen.ts";
import type { Exports } from "./decoder-exports.ts";
import { createClassifier, listWords } from "./lifted-values.ts";

type Memory = { readonly buffer: ArrayBuffer };
/** What is used of WebAssembly. Node's type definitions leave it out, those of browsers don't. */
type Wasm = {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (
    module: object,
    imports: Record<string, Record<string, unknown>>,
  ) => { readonly exports: Exports & { memory: Memory } };
};
const GLOBAL_NAME: string = "WebAssembly";
const { Module, Instance }: Wasm = Reflect.get(globalThis, GLOBAL_NAME);

export type Decoder = {
  readonly wasm: Exports;
  readonly memoryBytes: number;
  /** Of its memory, as it is now. */
  view(start: number, count: number): Buffer;
  /** Where the text lies until the next call. */
  hold(text: string): { start: number; count: number };
  /** A string constant of the module. */
  readString(address: number): string;
};

let compiled: object | undefined;

export function createDecoder(signal: Signal): Decoder {
  compiled ??= new Module(Buffer.from(wasmBase64, "base64"));
  const view = (start: number, count: number): Buffer => Buffer.from(wasm.memory.buffer, start, count);
  const readText = (start: number, count: number): string => view(start, count).toString("utf8");
  // Sixteen-bit characters, and before them how many bytes they are.
  const readString = (address: number): string =>
    view(address, view(address - 4, 4).readUInt32LE()).toString("utf16le");

  const readPath = (last: string): string => {
    const entries = view(wasm.pathStart(), wasm.pathDepth() * 8);
    const names: string[] = [];
    for (let at = 0; at < entries.length; at += 8) {
      const index = entries.readInt32LE(at + 4);
      names.push(`${readString(entries.readUInt32LE(at))}${index < 0 ? "" : `[${index}]`}`);
    }
    return [...names, last].filter((name) => name !== "").join(".");
  };

  const refuse = (code: number, problem: number, name: number, number: number): never => {
    const text = readString(code);
    if (text === "full") throw new BlockFull();
    const known = REJECTION_CODES.find((candidate) => candidate === text);
    assert(known, `a code of REJECTION_CODES, not ${text}`);
    throw new BadValue(known, readString(problem).replace("#", String(number)), readPath(readString(name)));
  };

  const imports = {
    host: {
      refuse,
      signal: () => SIGNALS.indexOf(signal),
      classify: (start: number, count: number) => classify(readText(start, count)),
      writeDouble: (value: number, to: number) => view(to, 32).write(String(value)),
    },
  };
  const wasm = new Instance(compiled, imports).exports;
  const classify = createClassifier(wasm);
  const hold = (text: string) => {
    const count = Buffer.byteLength(text);
    const start = wasm.holdBytes(count);
    view(start, count).write(text);
    return { start, count };
  };

  wasm.seedHash(randomBytes(8).readBigUInt64LE());
  for (const { list, words } of listWords(wasm)) {
    for (const word of words) {
      const { start, count } = hold(word);
      wasm.addWord(list, start, count);
    }
  }
  return {
    wasm,
    get memoryBytes() {
      return wasm.memory.buffer.byteLength;
    },
    view,
    hold,
    readString,
  };
}
