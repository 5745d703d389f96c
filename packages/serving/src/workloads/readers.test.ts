import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { CentspanError } from "@centspan/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandRuns, readAzure, readMooncake, readWeka, type TraceBytes } from "../index.ts";

const encoder = new TextEncoder();

async function collect<T>(read: (bytes: TraceBytes) => AsyncGenerator<T>, chunks: Uint8Array[]): Promise<T[]> {
  const all: T[] = [];
  for await (const one of read(chunks)) all.push(one);
  return all;
}

const MOONCAKE = '{"timestamp": 1500, "input_length": 600, "output_length": 6, "hash_ids": [7, 8]}';
const WEKA =
  '{"s":"a","a":"","i":0,"t":1.5,"m":"x","ty":"n","in":71,"out":9,"api":7.34,"think":null,"stop":"tool_use","h":[[5,2],[9,1]]}';
const AZURE =
  "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8\r\n";

describe("readers", () => {
  it("read what the formats say", async () => {
    expect(await collect(readMooncake, [encoder.encode(MOONCAKE)])).toEqual([
      { arrivalNs: 1_500_000_000, promptTokens: 600, outputTokens: 6, blockKeys: [7, 8] },
    ]);
    const [weka] = await collect(readWeka, [encoder.encode(WEKA)]);
    expect(weka).toMatchObject({ session: "a", startNs: 1_500_000_000, serviceNs: 7_340_000_000, thinkNs: null });
    expect(weka?.hashRuns).toEqual([
      { first: 5, blocks: 2 },
      { first: 9, blocks: 1 },
    ]);
    expect(expandRuns(weka?.hashRuns ?? [])).toEqual([5, 6, 9]);
    expect(await collect(readAzure, [encoder.encode(AZURE)])).toEqual([
      { arrivalNs: 0, promptTokens: 4808, outputTokens: 10, blockKeys: [] },
      { arrivalNs: 52_000_000, promptTokens: 3180, outputTokens: 8, blockKeys: [] },
    ]);
  });

  it("expand runs of hashes, all of them or one of each full group", () => {
    const runs = fc.array(fc.record({ first: fc.nat(50), blocks: fc.integer({ min: 1, max: 9 }) }), { maxLength: 6 });
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 5 }), (all, step) => {
        const hashes = all.flatMap(({ first, blocks }) => Array.from({ length: blocks }, (_, at) => first + at));
        expect(expandRuns(all, step)).toEqual(hashes.filter((_, at) => at % step === step - 1));
      }),
    );
  });

  it("read the same however the bytes are cut, zipped or not", async () => {
    const lines = Array.from({ length: 20 }, (_, at) => MOONCAKE.replace("1500", `${at * 100}`)).join("\n");
    const whole = await collect(readMooncake, [encoder.encode(lines)]);
    expect(whole).toHaveLength(20);
    const cuts = fc.array(fc.nat(400), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.boolean(), async (sizes, zipped) => {
        let rest: Uint8Array = zipped ? gzipSync(lines) : encoder.encode(lines);
        const chunks = sizes.map((size) => {
          const chunk = rest.subarray(0, size);
          rest = rest.subarray(size);
          return chunk;
        });
        expect(await collect(readMooncake, [...chunks, rest])).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  });

  /** The line that is wrong, and what of it the message must name. */
  const BROKEN: [string, (bytes: TraceBytes) => AsyncGenerator<unknown>, string, string, RegExp][] = [
    ["a cut line", readMooncake, `${MOONCAKE}\n${MOONCAKE.slice(0, 30)}`, "line", /^line 2: line is no JSON/],
    ["a list", readMooncake, "[1]", "line", /^line 1: line is no JSON object/],
    ["a negative time", readMooncake, MOONCAKE.replace("1500", "-1"), "timestamp", /^line 1: timestamp .*-1/],
    ["a time that is text", readMooncake, MOONCAKE.replace("1500", '"9"'), "timestamp", /timestamp/],
    ["a time out of range", readMooncake, MOONCAKE.replace("1500", "1e300"), "timestamp", /nanoseconds/],
    ["no prompt", readMooncake, MOONCAKE.replace("600", "0"), "input_length", /input_length/],
    ["half a token", readMooncake, MOONCAKE.replace(": 6,", ": 6.5,"), "output_length", /6\.5/],
    [
      "a hash of unknown type",
      readMooncake,
      `\n${MOONCAKE.replace("8]", "null]")}`,
      "hash_ids[1]",
      /^line 2: hash_ids\[1\].*null/,
    ],
    [
      "hashes of two kinds",
      readMooncake,
      MOONCAKE.replace("8]", '"8"]'),
      "hash_ids[1]",
      /string; those before are numbers/,
    ],
    [
      "more hashes than tokens",
      readMooncake,
      MOONCAKE.replace("8]", "8, 9]"),
      "hash_ids",
      /3 blocks; 600 tokens fill 2/,
    ],
    ["no hashes", readMooncake, MOONCAKE.replace("hash_ids", "hashes"), "hash_ids", /must be a list, not nothing/],
    ["a negative API time", readWeka, WEKA.replace("7.34", "-7.34"), "api", /api/],
    ["a run without count", readWeka, WEKA.replace("[9,1]", "[9]"), "h[1]", /h\[1\]/],
    ["an empty run", readWeka, WEKA.replace("[9,1]", "[9,0]"), "h[1]", /h\[1\]/],
    ["a run without end", readWeka, WEKA.replace("[9,1]", "[9,9999999]"), "h[1]", /1000000/],
    ["no session", readWeka, WEKA.replace('"s":"a"', '"s":1'), "s", /must be a string, not 1/],
    ["another CSV", readAzure, "a,b\n1,2", "header", /^line 1: header/],
    ["a missing cell", readAzure, AZURE.replace(",10\r", "\r"), "line", /^line 2: line has 2 cells/],
    [
      "a date that is none",
      readAzure,
      AZURE.replace("11-16 18:17:04", "02-30 18:17:04"),
      "TIMESTAMP",
      /^line 3: TIMESTAMP/,
    ],
    [
      "time before the start",
      readAzure,
      AZURE.replace("18:17:04", "18:17:02"),
      "TIMESTAMP",
      /^line 3: .*before the first/,
    ],
    ["negative tokens", readAzure, AZURE.replace("3180", "-3"), "ContextTokens", /^line 3: ContextTokens/],
  ];
  it.each(BROKEN)("refuse %s with line and field", async (_what, read, text, field, message) => {
    const error = await collect(read, [encoder.encode(text)]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CentspanError);
    expect(error).toMatchObject({ code: "invalid_file", field, message: expect.stringMatching(message) });
  });

  it("refuse bytes that are no text and archives that are cut", async () => {
    const cut = gzipSync(`${MOONCAKE}\n`.repeat(1000)).subarray(0, 90);
    for (const bytes of [Uint8Array.of(0x7b, 0xff, 0x0a), cut]) {
      await expect(collect(readMooncake, [bytes])).rejects.toMatchObject({ code: "invalid_file", field: "text" });
    }
  });

  const shared = process.env.CENTSPAN_SHARED;
  it.skipIf(shared === undefined)("read the published traces whole (needs CENTSPAN_SHARED)", async () => {
    const folder = join(shared ?? "", "data/serving");
    expect(existsSync(folder)).toBe(true);
    const count = async (read: (bytes: TraceBytes) => AsyncGenerator<unknown>, file: string) =>
      (await collect(read, [readFileSync(join(folder, file))])).length;
    expect(await count(readMooncake, "mooncake_conversation_trace.jsonl")).toBe(12_031);
    expect(await count(readAzure, "AzureLLMInferenceTrace_code.csv")).toBe(8_819);
    expect(await count(readWeka, "weka/weka_cc_traces_rle.jsonl.gz")).toBe(49_334);
  });
});
