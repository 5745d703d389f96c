import fc from "fast-check";
import { expect, it } from "vitest";
import { writeJson } from "./write-json.ts";

it("agrees with UTF-8 on every string, however broken, in names and values", () => {
  const anyText = fc.string({
    unit: fc.constantFrom("\ud800", "\udfff", "\ud83d", "\ude00", "\\", "u", "d", "8", '"', "é"),
  });
  const encoded = (text: string) => Buffer.from(text, "utf8").toString("utf8");
  fc.assert(
    fc.property(anyText, anyText, (name, value) => {
      expect(JSON.parse(writeJson({ [name]: [value] }))).toEqual({ [encoded(name)]: [encoded(value)] });
    }),
  );
});
