import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readElements, readMembers, writeMembers } from "./json-members.ts";

describe("members of a JSON object", () => {
  it("are the text they came as", () => {
    const text = ' { "a" : 12345678901234567890 , "b\\"c":"x,}\\\\" ,"d": [ {"e":"]"} ,1 ] , "f":{}\n} ';
    expect([...readMembers(text)]).toEqual([
      ["a", "12345678901234567890"],
      ['b"c', '"x,}\\\\"'],
      ["d", '[ {"e":"]"} ,1 ]'],
      ["f", "{}"],
    ]);
    expect([...readMembers("{ }")]).toEqual([]);
  });

  it("are those that JSON.parse finds, whatever the layout", () => {
    const layouts = fc.constantFrom(0, 1, 2);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), layouts, (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        const members = readMembers(text);
        const expected = Object.entries(JSON.parse(text));
        expect([...members].map(([name, value]) => [name, JSON.parse(value)])).toEqual(expected);
        expect(Object.entries(JSON.parse(writeMembers(members)))).toEqual(expected);
      }),
    );
  });
});

it("elements of an array are those that JSON.parse sees, whatever stands in them", () => {
  const blanks = fc.constantFrom(undefined, 1, "\t");
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), blanks, (list, indent) => {
      const elements = readElements(JSON.stringify(list, null, indent));
      expect(elements.map((element) => JSON.parse(element))).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
  expect(readElements(' [ 12345678901234567890 , "]," ] ')).toEqual(["12345678901234567890", '"],"']);
});
