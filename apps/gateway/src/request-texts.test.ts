import fc from "fast-check";
import { expect, it } from "vitest";
import { listTexts } from "./request-texts.ts";

it("gives a text for each item of a list and each other member, without the protocol's words", () => {
  const text = (of: string) => ({ type: "input_text", text: of });
  const input = [
    { type: "message", role: "user", content: [text("hi"), text("you")] },
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
    {},
    7,
  ];
  expect([...listTexts({ model: "m", input, stream: true })]).toEqual(["m", "hi\nyou", "c1\nf\n{}"]);
});

it("gives every text, however deep it stands and whatever holds it, as a value and as a name", () => {
  const name = fc.oneof(fc.constantFrom("type", "role", "data", "headers", "tools", "content"), fc.string());
  const way = fc.array(fc.option(name), { maxLength: 8 });
  const needle = fc.string().map((more) => `A needle ${more}`);
  fc.assert(
    fc.property(name, way, needle, fc.boolean(), fc.jsonValue(), (member, steps, text, isName, beside) => {
      const last: unknown = isName ? { [text]: beside } : text;
      const wrap = (inner: unknown, step: string | null): unknown =>
        step === null ? [beside, inner] : { beside, [step]: inner };
      const body = { [member]: steps.reduceRight(wrap, last) };
      expect([...listTexts(body)].some((each) => each.includes(text))).toBe(true);
    }),
  );
});
