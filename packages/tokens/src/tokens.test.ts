import type { Conversation, ConversationItem } from "@centspan/model";
import fc from "fast-check";
import { O200KBase } from "gpt-tokenizer/encodingParams/o200k_base";
import { describe, expect, it } from "vitest";
import {
  createDeltaTokenizer,
  getTokenizer,
  hashPrefixBlocks,
  splitByToken,
  splitLongRuns,
  type Tokenizer,
  tokenizeConversation,
} from "./index.ts";

const tokenizer = await getTokenizer("scripted-strong");

/** Few short texts, so that conversations often share pieces. */
const text = fc.oneof(
  fc.constantFrom("fix it", "ok", "", "한국어 👩‍👩‍👧 ü"),
  fc.string({ maxLength: 20, unit: "binary" }),
);
const item: fc.Arbitrary<ConversationItem> = fc.oneof(
  fc.record({
    type: fc.constant("message" as const),
    role: fc.constantFrom("user" as const, "assistant" as const),
    text,
  }),
  fc.record({ type: fc.constant("tool_result" as const), callId: fc.constant("c"), output: text }),
);
const conversation: fc.Arbitrary<Conversation> = fc.record({
  instructions: text,
  tools: fc.constantFrom([], [{ name: "search", description: "Searches", parametersJson: "{}" }]),
  items: fc.array(item, { maxLength: 5 }),
});

describe("tokenizer", () => {
  it("encodes as o200k_base does, known ids", () => {
    expect(tokenizer.encode("hello world")).toEqual([24912, 2375]);
    expect(tokenizer.count("hello world")).toBe(2);
    expect(tokenizer.id).toBe("o200k_base");
  });

  it("reads a special token's name as plain text", () => {
    expect(tokenizer.decode(tokenizer.encode("<|endoftext|>"))).toBe("<|endoftext|>");
    expect(tokenizer.count("<|endoftext|>")).toBeGreaterThan(1);
  });

  it("keeps the text whatever is cut, and cuts only long runs", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (s) => splitLongRuns(s).join("") === s));
    const long = `x${"é".repeat(5000)}`;
    expect(Math.max(...splitLongRuns(long).map((part) => part.length))).toBeLessThanOrEqual(257);
    expect(tokenizer.decode(tokenizer.encode(long))).toBe(long);
    expect(splitLongRuns("some ordinary text ".repeat(100))).toHaveLength(1);
  });

  it("never gives byte-pair merging a piece longer than a few runs", () => {
    const { tokenSplitRegex } = O200KBase([]);
    const run = fc.tuple(
      fc.string({ unit: fc.constantFrom(..."/\n\r !aÉ́1"), minLength: 1, maxLength: 3 }),
      fc.nat(900),
    );
    fc.assert(
      fc.property(fc.array(run, { maxLength: 4 }), (runs) => {
        const text = runs.map(([unit, times]) => unit.repeat(times)).join("");
        for (const part of splitLongRuns(text)) {
          for (const [piece] of part.matchAll(tokenSplitRegex)) expect(piece.length).toBeLessThan(3 * 256);
        }
      }),
    );
  });

  it("splits a text by token without losing or changing a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (s) => {
        const parts = splitByToken(tokenizer, s);
        expect(parts.map((part) => part.text).join("")).toBe(s);
        expect(parts.map((part) => part.id)).toEqual(tokenizer.encode(s));
      }),
    );
    const family = splitByToken(tokenizer, "a👩‍👩‍👧b");
    expect(family.some((part) => part.text === "")).toBe(true);
    expect(family.every((part) => !part.text.includes("\ufffd"))).toBe(true);
  });
});

describe("delta tokenizer", () => {
  it("gives the ids of whole encoding, whatever came before and however little it may remember", () => {
    fc.assert(
      fc.property(fc.array(conversation, { maxLength: 8 }), fc.constantFrom(0, 130, 1_000_000), (all, maxTokens) => {
        const delta = createDeltaTokenizer({ tokenizer, maxTokens });
        for (const one of all) {
          const { ids, newTokens, reusedTokens } = delta.tokenize(one);
          expect([...ids]).toEqual(tokenizeConversation(tokenizer, one));
          expect(newTokens + reusedTokens).toBe(ids.length);
        }
      }),
    );
  });

  it("the same for conversations with names, and what was handed out never changes", () => {
    const named = fc.tuple(conversation, fc.constantFrom("a", "b", undefined));
    fc.assert(
      fc.property(fc.array(named, { maxLength: 12 }), fc.constantFrom(0, 200, 1_000_000), (all, maxTokens) => {
        const delta = createDeltaTokenizer({ tokenizer, maxTokens });
        const handedOut = all.map(([one, name]) => {
          const { ids, newTokens, reusedTokens } = delta.tokenize(one, name);
          expect(newTokens + reusedTokens).toBe(ids.length);
          return { ids, expected: tokenizeConversation(tokenizer, one) };
        });
        for (const { ids, expected } of handedOut) expect([...ids]).toEqual(expected);
      }),
    );
  });

  it("encodes only what a turn appends, and everything after a change", () => {
    const encoded: string[] = [];
    const record = (piece: string): number[] => {
      encoded.push(piece);
      return tokenizer.encode(piece);
    };
    const spy: Tokenizer = { ...tokenizer, encode: record };
    const delta = createDeltaTokenizer({ tokenizer: spy });
    const turn = (items: ConversationItem[], instructions = "be brief"): number =>
      delta.tokenize({ instructions, tools: [], items }).reusedTokens;
    const one: ConversationItem = { type: "message", role: "user", text: "one" };
    const two: ConversationItem = { type: "message", role: "assistant", text: "two" };
    expect(turn([one])).toBe(0);
    encoded.length = 0;
    expect(turn([one, two])).toBe(tokenizer.count("<|system|>be brief") + tokenizer.count("<|user|>one"));
    expect(encoded).toEqual(["<|assistant|>two"]);
    expect(turn([one, two], "be long")).toBe(0);
  });

  it("tells no owner what another one said, by name or by content, and none loses its place by that", () => {
    const delta = createDeltaTokenizer({ tokenizer });
    const ask = (text: string, owner: string, name?: string): number =>
      delta.tokenize({ instructions: text, tools: [], items: [] }, name, owner).reusedTokens;
    for (const name of ["session", undefined]) {
      expect(ask(`said in ${name}`, "a", name)).toBe(0);
      expect(ask(`said in ${name}`, "b", name)).toBe(0);
      expect(ask(`said in ${name}`, "a", name)).toBeGreaterThan(0);
      expect(ask(`said in ${name}`, "b", name)).toBeGreaterThan(0);
    }
  });

  it("forgets the least recently used beyond its bound", () => {
    const delta = createDeltaTokenizer({ tokenizer, maxTokens: 200 });
    const ask = (said: string): number => delta.tokenize({ instructions: said, tools: [], items: [] }).reusedTokens;
    ask("first");
    ask("second");
    expect(ask("first")).toBeGreaterThan(0);
    ask("third");
    expect(ask("first")).toBeGreaterThan(0);
    expect(ask("second")).toBe(0);
  });
});

describe("prefix blocks", () => {
  const ids = fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 40 });

  it("agree exactly on the blocks that two sequences share from the start", () => {
    fc.assert(
      fc.property(ids, ids, ids, fc.integer({ min: 1, max: 8 }), (shared, left, right, blockTokens) => {
        const a = [...shared, ...left];
        const b = [...shared, ...right];
        const hashesA = hashPrefixBlocks(a, blockTokens);
        const hashesB = hashPrefixBlocks(b, blockTokens);
        expect(hashesA).toHaveLength(Math.floor(a.length / blockTokens));
        for (let block = 0; block < Math.min(hashesA.length, hashesB.length); block++) {
          const end = (block + 1) * blockTokens;
          const same = a.slice(0, end).every((id, at) => id === b[at]);
          expect(hashesA[block] === hashesB[block]).toBe(same);
        }
      }),
    );
  });

  it("spread over 53 bits: no collision in 50,000 blocks that differ in little", () => {
    const hashes = Array.from({ length: 50_000 }, (_, i) => hashPrefixBlocks([i >> 8, i & 255], 2)[0] ?? -1);
    expect(new Set(hashes).size).toBe(hashes.length);
    const ones = new Float64Array(53);
    for (const hash of hashes) {
      const low = hash % 2 ** 32;
      const high = (hash - low) / 2 ** 32;
      for (let bit = 0; bit < 53; bit++)
        ones[bit] = (ones[bit] ?? 0) + ((bit < 32 ? low / 2 ** bit : high / 2 ** (bit - 32)) & 1);
    }
    // Each bit is set in half of them, within five standard deviations.
    for (const count of ones) expect(Math.abs(count / hashes.length - 0.5)).toBeLessThan(0.0112);
  });

  it("never change: gateway, engine and stored traces compare them", () => {
    const known = Array.from({ length: 130 }, (_, at) => at);
    expect(hashPrefixBlocks(known).map((hash) => hash.toString(16))).toMatchInlineSnapshot(`
      [
        "1577f9af1fb1d0",
        "d6398b817141d",
      ]
    `);
  });
});
