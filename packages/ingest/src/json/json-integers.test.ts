import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteBigIntegers } from "./json-integers.ts";

describe("long integers in JSON", () => {
  it.each([
    ["a number", '{"a":1790000000000000001}', '{"a":"1790000000000000001"}'],
    ["negative, in a list, with spaces", "[ -9223372036854775808 , 1]", '[ "-9223372036854775808" , 1]'],
    ["fifteen digits", "[123456789012345]", "[123456789012345]"],
    ["a fraction", "[1234567890123456.5]", "[1234567890123456.5]"],
    ["digits of a fraction", "[0.12345678901234567]", "[0.12345678901234567]"],
    ["an exponent", "[1234567890123456e2]", "[1234567890123456e2]"],
    ["text", '["1234567890123456789",": 1234567890123456789"]', '["1234567890123456789",": 1234567890123456789"]'],
    ["text with quotes in it", '["\\"",1234567890123456789,"\\\\"]', '["\\"","1234567890123456789","\\\\"]'],
    ["at the top", "1234567890123456789 ", "1234567890123456789 "],
    ["no JSON: a leading zero", "[01234567890123456789]", "[01234567890123456789]"],
    ["no JSON: a number for a name", "{1234567890123456789 :1}", "{1234567890123456789 :1}"],
  ])("%s", (_why, json, expected) => expect(quoteBigIntegers(json)).toBe(expected));

  it("makes nothing valid that is not, and nothing invalid that is", () => {
    const parses = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const token = fc.constantFrom(...'{}[]":,.-+eE0 \\', "1234567890123456", "9", "true", "null", '"a"', '"":');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join("");
        expect(parses(quoteBigIntegers(text))).toBe(parses(text));
      }),
      { numRuns: 5_000 },
    );
  });
});
