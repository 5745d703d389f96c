import fc from "fast-check";
import { expect, it } from "vitest";
import { answerJson, writePieces } from "./answer-json.ts";

it("writes in pieces what JSON.stringify writes at once", () => {
  const member = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.constant(undefined));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), member), fc.integer({ min: 1, max: 4 }), (value, rowsPerPiece) => {
      expect([...writePieces(value, rowsPerPiece)].join("")).toBe(JSON.stringify(value));
    }),
  );
});

it.each([3, 5000])("answers %i rows, with their type and status", async (rows) => {
  const value = { data: Array.from({ length: rows }, (_, index) => ({ index, text: "é\n" })), nextCursor: null };
  const response = answerJson(value, 201);
  expect(response.status).toBe(201);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.json()).toEqual(value);
});
