import { describe, expect, it } from "vitest";
import { BadBody, BadValue, createTally, describeRejections, seenFrom } from "./admission.ts";
import { transcodeJson } from "./json/transcode-json.ts";

const bad = (path: string, code: "invalid_id" | "too_deep" = "invalid_id"): BadValue =>
  new BadValue(code, "is bad", path);

describe("a tally of refusals", () => {
  it("counts by code, and tells a problem that refuses many records once", () => {
    const tally = createTally();
    const ofResource = bad("resource", "too_deep");
    for (const problem of [ofResource, ofResource, bad("spans[0]")]) tally.refuse(problem);
    expect(tally.admit(4)).toEqual({
      accepted: 4,
      rejected: 3,
      rejectedBy: { too_deep: 2, invalid_id: 1 },
      reasons: [
        { code: "too_deep", message: "resource: is bad" },
        { code: "invalid_id", message: "spans[0]: is bad" },
      ],
    });
  });

  it("keeps the first ten reasons, and says how many records more there are", () => {
    const tally = createTally();
    for (let i = 0; i < 12; i++) tally.refuse(bad(`spans[${i}]`));
    const admission = tally.admit(0);
    expect(admission.reasons).toHaveLength(10);
    expect(describeRejections(admission)).toMatch(/^spans\[0\]: is bad; .*spans\[9\]: is bad; and 2 more$/);
  });

  it("has nothing to say when nothing was refused", () => {
    expect(describeRejections(createTally().admit(3))).toBe("");
  });
});

describe("the path of a problem", () => {
  it.each([
    ["spans[0]", "name", "spans[0].name"],
    ["attributes", "[3].value", "attributes[3].value"],
    ["name", "", "name"],
    ["", "name", "name"],
  ])("seen from %j: %j is %j", (segment, path, expected) => {
    expect(seenFrom(segment, bad(path))).toMatchObject({ path: expected, code: "invalid_id", message: "is bad" });
  });

  it("is not put on what is no bad value", () => {
    const bug = new TypeError("bug");
    expect(seenFrom("spans[0]", bug)).toBe(bug);
  });

  it("stands before the problem of a body", () => {
    expect(new BadBody("body", "is bad").message).toBe("body: is bad");
    expect(new BadBody("", "is bad").message).toBe("is bad");
  });
});

it.each([
  ["records without end", '{"resourceLogs":[{"scopeLogs":[{"logRecords":[', "{},", "{}]}]}]}"],
  ["depth without end", '{"resourceLogs":', "[", ""],
])("%s: refused before they are read", (_what, start, again, end) => {
  const json = Buffer.from(start + again.repeat(4_000_001) + end);
  expect(() => transcodeJson("logs", json)).toThrow("body: holds too many objects and arrays");
});
