/** What every outcome source must do, over the registry: a new file is tested without editing this one. */
import { CentspanError } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { outcomeFeeds, outcomeSources } from "./index.ts";

const GARBAGE = [
  ["nothing", ""],
  ["blanks", " \n\t "],
  ["prose", "All tests passed!"],
  ["JSON of something else", '{"hello": [1, 2]}'],
  ["XML of something else", "<html><body>ok</body></html>"],
  ["a cut-off document", '<testsuites><testsuite name="a"><testcase name="b"/>'],
  ["binary", "\u0000\u0001\u0002PK\u0003\u0004"],
  ["half a UTF-16 pair", "\ud800<testsuite/>"],
] as const;

describe.each(outcomeSources)("outcome source $id", (source) => {
  it.each(GARBAGE)("refuses %s as invalid_file, whatever the exit code", (_what, report) => {
    for (const exitCode of [0, 1, null]) {
      const read = () => source.read(report, exitCode);
      expect(read).toThrow(CentspanError);
      expect(read).toThrow(expect.objectContaining({ code: "invalid_file" }));
    }
  });

  it("says what it reads", () => expect(source.describe).not.toBe(""));
});

const EVENTS = ["workflow_run", "check_run", "pull_request", "Pipeline Hook", "Merge Request Hook"];

describe.each(outcomeFeeds)("outcome feed $id", (feed) => {
  it.each(GARBAGE)("refuses %s as invalid_file, or finds nothing in it", (_what, body) => {
    for (const event of EVENTS) {
      const read = () => feed.read({ body, header: (name) => (name.endsWith("-event") ? event : null) });
      try {
        expect(read()).toEqual([]);
      } catch (error) {
        expect(error).toMatchObject({ code: "invalid_file" });
      }
    }
  });

  it("says what it reads", () => expect(feed.describe).not.toBe(""));
});

it("has no two sources of one id", () => {
  const plugins = [...outcomeSources, ...outcomeFeeds];
  expect(new Set(plugins.map(({ id }) => id)).size).toBe(plugins.length);
});
