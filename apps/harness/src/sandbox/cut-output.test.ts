import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createOutputBuffer } from "./cut-output.ts";

const cutOutput = (text: string, limitTokens = 10_000) => createOutputBuffer({ limitTokens }).write(text);
const bytesOf = (text: string) => Buffer.byteLength(text);

/** The rule, slowly: whole characters that fit into half of the limit, from either end. */
function cutSlowly(text: string, limitTokens: number): string {
  const half = limitTokens * 2;
  if (Math.ceil(bytesOf(text) / 4) <= limitTokens) return text;
  const take = (characters: string[]) => {
    const taken: string[] = [];
    for (const character of characters) {
      if (bytesOf(taken.join("") + character) > half) break;
      taken.push(character);
    }
    return taken;
  };
  const head = take([...text]).join("");
  const tail = take([...text].reverse())
    .reverse()
    .join("");
  const cut = bytesOf(text) - bytesOf(head) - bytesOf(tail);
  return `${head}\n[… ${cut} bytes, about ${Math.ceil(cut / 4)} tokens, cut here …]\n${tail}`;
}

const text = fc.string({ unit: fc.constantFrom("a", "é", "한", "👩", "\n"), maxLength: 80 });

it("cuts on character boundaries as the slow rule does, however the bytes are chunked", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 12 }), fc.integer({ min: 1, max: 7 }), (whole, limitTokens, step) => {
      const bytes = Buffer.from(whole);
      const buffer = createOutputBuffer({ limitTokens });
      for (let at = 0; at < bytes.byteLength; at += step) buffer.append(bytes.subarray(at, at + step));
      const cut = buffer.finish();
      expect(cut.text).toBe(cutSlowly(whole, limitTokens));
      expect(cut).toEqual(cutOutput(whole, limitTokens));
      expect(cut.totalBytes).toBe(bytes.byteLength);
    }),
    { numRuns: 500 },
  );
});

it("keeps 10,000 tokens whole and cuts one byte more to 20,000 bytes at each end", () => {
  expect(cutOutput("x".repeat(40_000))).toMatchObject({ truncated: false, text: "x".repeat(40_000) });
  const cut = cutOutput(`${"a".repeat(20_000)}!${"z".repeat(20_000)}`);
  expect(cut.truncated).toBe(true);
  expect(cut.text).toBe(`${"a".repeat(20_000)}\n[… 1 bytes, about 1 tokens, cut here …]\n${"z".repeat(20_000)}`);
});

it("does not follow later changes of a chunk's memory", () => {
  const chunk = Buffer.from("first");
  const buffer = createOutputBuffer();
  buffer.append(chunk);
  chunk.fill("x");
  expect(buffer.finish().text).toBe("first");
});

it("keeps the whole of what it cuts, and nothing of what it shows whole", async () => {
  const folder = join(await createTemporaryFolder(), "outputs");
  const put = (text: string, step: number) => {
    const kept = { id: "call_1", file: join(folder, `${text.length}-${step}`) };
    const buffer = createOutputBuffer({ limitTokens: 10, kept });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.byteLength; at += step) buffer.append(bytes.subarray(at, at + step));
    return { file: kept.file, cut: buffer.finish() };
  };
  const whole = "0123456789".repeat(5);
  for (const step of [1, 7, 40, 41, 50]) {
    const { file, cut } = put(whole, step);
    expect(readFileSync(file, "utf8")).toBe(whole);
    expect(cut.text).toBe(
      `${whole.slice(0, 20)}\n[… 10 bytes, about 3 tokens, cut here; read_more {"id":"call_1","from":20} shows what follows …]\n${whole.slice(30)}`,
    );
  }
  expect(existsSync(put("x".repeat(40), 1).file)).toBe(false);
});
