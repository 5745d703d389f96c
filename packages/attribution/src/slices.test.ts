import { expect, it } from "vitest";
import { deriveReports } from "./index.ts";
import { mapSliced, runAtOnce } from "./slices.ts";
import { chat, span } from "./testing/records.ts";

it("gives every item once, in order, and leaves out what is mapped to null", () => {
  const items = Array.from({ length: 1234 }, (_, index) => index);
  const odd = runAtOnce(mapSliced(items, (item) => (item % 2 === 0 ? null : item)));
  expect(odd).toEqual(items.filter((item) => item % 2 === 1));
});

it("pauses in the middle of a large trace, and tells the same of it", () => {
  const spans = Array.from({ length: 3000 }, (_, index) => span(index + 1, { attributes: chat(index + 1) }));
  const work = deriveReports({ spans });
  let pauses = 0;
  let step = work.next();
  for (; !step.done; step = work.next()) pauses += 1;
  expect(pauses).toBeGreaterThan(10);
  expect(step.value.calls.map(({ buckets }) => buckets.input)).toEqual(spans.map((_, index) => index + 1));
  expect(step.value).toEqual(runAtOnce(deriveReports({ spans })));
});
