import type { LinkFacts, Outcome, OutcomeLink, TaskMark } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkOutcomes } from "./link-outcomes.ts";
import { readPlace } from "./read-place.ts";

const HOUR_NS = 3_600_000_000_000n;
const NOON_NS = 1_794_744_000_000_000_000n;
const sha = (digit: string): string => digit.repeat(40);

const mark = (task: string, place: Partial<TaskMark>): TaskMark => ({
  task,
  isSession: !task.startsWith("T"),
  atNs: NOON_NS,
  repository: "acme/shop",
  branch: "fix",
  commit: "",
  pullRequest: "",
  patchId: "",
  ...place,
});

const outcome = (outcomeId: string, subject: Outcome["subject"], rest: Partial<Outcome> = {}): Outcome => ({
  outcomeId,
  subject,
  kind: "tests",
  status: "passed",
  weight: 1,
  source: "github",
  evidence: {},
  atNs: NOON_NS + HOUR_NS,
  ...rest,
});

const decide = (outcomes: Outcome[], marks: TaskMark[], rest: Partial<LinkFacts> = {}) =>
  linkOutcomes({ outcomes, marks, tasksOf: new Map(), links: new Map(), ...rest });
const brief = ({ outcomeId, tasks, linkedBy }: OutcomeLink) => [outcomeId, linkedBy, tasks.join(" ")];

describe("an outcome is tied to the work that it is of", () => {
  it.each([
    ["by its commit", { commit: sha("a") }, { commit: sha("a") }, "commit"],
    ["by a commit's first digits", { commit: "aaaaaaaa" }, { commit: sha("a") }, "commit"],
    ["by its pull request", { pullRequest: "acme/shop#1" }, { pullRequest: "acme/shop#1" }, "pull_request"],
    [
      "by what a commit changes, wherever that is rebased to",
      { patchId: sha("b"), commit: sha("c") },
      { patchId: sha("b") },
      "patch",
    ],
    ["by its branch, as a last resort", { repository: "acme/shop", branch: "fix" }, { commit: sha("d") }, "branch"],
  ] as const)("%s", (_how, subject, place, linkedBy) => {
    expect(decide([outcome("o", subject)], [mark("T1", place)]).links.map(brief)).toEqual([["o", linkedBy, "T1"]]);
  });

  it("through a squash: the pull request names its head, and the commit that it was merged as", () => {
    const merged = outcome(
      "merged",
      { pullRequest: "acme/shop#1", commit: sha("a") },
      { kind: "approved", evidence: { mergeCommit: sha("e") } },
    );
    const onMain = outcome("main", { commit: sha("e"), repository: "acme/shop", branch: "main" });
    const { links } = decide([merged, onMain], [mark("T1", { commit: sha("a") })]);
    expect(links.map(brief)).toEqual([
      ["merged", "commit", "T1"],
      ["main", "squash", "T1"],
    ]);
  });

  it.each([
    ["another branch", { repository: "acme/shop", branch: "other" }, {}],
    ["another repository", { repository: "acme/web", branch: "fix" }, {}],
    [
      "a branch where work was seen too long ago",
      { repository: "acme/shop", branch: "fix" },
      { atNs: NOON_NS - 24n * 8n * HOUR_NS },
    ],
    [
      "a branch where work was seen only later",
      { repository: "acme/shop", branch: "fix" },
      { atNs: NOON_NS + 2n * HOUR_NS },
    ],
    ["another commit", { commit: sha("c") }, { commit: sha("a") }],
  ])("not by %s", (_what, subject, place) => {
    expect(decide([outcome("o", subject)], [mark("T1", place)]).links).toEqual([]);
  });

  it("not by a branch that several tasks were seen on", () => {
    const subject = { repository: "acme/shop", branch: "fix" };
    expect(decide([outcome("o", subject)], [mark("T1", {}), mark("T2", {})]).links).toEqual([]);
  });

  it.each([
    ["names it", outcome("own", { task: "T1" })],
    ["names its trace", outcome("own", { traceId: "t1" })],
    ["names a commit that it made", outcome("own", { commit: sha("a") })],
  ])("not by its branch, where an outcome %s", (_how, own) => {
    const tasksOf = new Map([["own", [{ member: "trace" as const, tasks: ["T1"] }]]]);
    const onBranch = outcome("o", { repository: "acme/shop", branch: "fix", commit: sha("d") }, { status: "failed" });
    const known = own.subject.traceId === undefined ? {} : { tasksOf };
    const links = decide([own, onBranch], [mark("T1", { commit: sha("a") })], known).links.map(brief);
    expect(links.filter(([id]) => id === "o")).toEqual([]);
    expect(decide([onBranch], [mark("T1", { commit: sha("a") })]).links.map(brief)).toEqual([["o", "branch", "T1"]]);
  });

  it("not by the head that work began at: that is what came before", () => {
    const base = outcome("base", { commit: sha("a") });
    const own = outcome("own", { commit: sha("b") });
    const marks = [mark("T1", { commit: sha("a") }), mark("T1", { commit: sha("b"), atNs: NOON_NS + 1n })];
    expect(decide([base, own], marks).links.map(brief)).toEqual([["own", "commit", "T1"]]);
    const two = [mark("T1", { commit: sha("a"), branch: "x" }), mark("T2", { commit: sha("a"), branch: "y" })];
    expect(decide([base], two).links).toEqual([]);
  });

  it("not by a commit that was known before there was work at it", () => {
    const before = outcome("o", { commit: sha("a") }, { atNs: NOON_NS - 1n });
    expect(decide([before], [mark("T1", { commit: sha("a") })]).links).toEqual([]);
  });

  it("not where its subject names whom it is of", () => {
    expect(decide([outcome("o", { task: "T2", commit: sha("a") })], [mark("T1", { commit: sha("a") })]).links).toEqual(
      [],
    );
  });
});

describe("sessions", () => {
  const [one, two] = [{ pullRequest: "acme/shop#1" }, { pullRequest: "acme/shop#2" }];

  it("that share a pull request are attempts at one task", () => {
    const { links, stretches } = decide(
      [outcome("o", one)],
      [mark("s1", one), mark("s2", { ...one, atNs: NOON_NS + 1n })],
    );
    expect(stretches).toEqual([
      { task: "s1", fromNs: 0n, work: "acme/shop#1" },
      { task: "s2", fromNs: 0n, work: "acme/shop#1" },
    ]);
    expect(links.map(brief)).toEqual([["o", "pull_request", "acme/shop#1 s1 s2"]]);
  });

  it("that help with a named task are attempts at it", () => {
    const { links, stretches } = decide([outcome("o", one)], [mark("T1", one), mark("s1", one)]);
    expect(stretches).toEqual([{ task: "s1", fromNs: 0n, work: "T1" }]);
    expect(links.map(brief)).toEqual([["o", "pull_request", "T1 s1"]]);
  });

  it("with several outcomes spend on each from when they were seen there", () => {
    const marks = [
      mark("s1", one),
      mark("s1", { ...two, atNs: NOON_NS + 5n }),
      mark("s1", { branch: "x", atNs: NOON_NS + 9n }),
    ];
    const { links, stretches } = decide([outcome("o1", one), outcome("o2", two)], marks);
    expect(stretches).toEqual([
      { task: "s1", fromNs: 0n, work: "acme/shop#1" },
      { task: "s1", fromNs: NOON_NS + 5n, work: "acme/shop#2" },
      { task: "s1", fromNs: NOON_NS + 9n, work: "s1" },
    ]);
    // The rest of the session has passed nothing.
    expect(links.map(brief)).toEqual([
      ["o1", "pull_request", "acme/shop#1"],
      ["o2", "pull_request", "acme/shop#2"],
    ]);
  });

  it("spend on a commit what they spent before it, on its branch", () => {
    const marks = ["a", "b", "c"].map((digit, n) => mark("s1", { commit: sha(digit), atNs: NOON_NS + BigInt(n) }));
    const said = [outcome("b", { commit: sha("b") }), outcome("c", { commit: sha("c") })];
    expect(decide(said, marks).stretches).toEqual([
      { task: "s1", fromNs: 0n, work: sha("b") },
      { task: "s1", fromNs: NOON_NS + 1n, work: sha("c") },
    ]);
    expect(decide(said.slice(1), marks)).toMatchObject({ stretches: [], links: [{ outcomeId: "c", tasks: ["s1"] }] });
  });

  it("alone on one piece of work stay what they are, and so do named tasks on several", () => {
    expect(decide([outcome("o", one)], [mark("s1", one)]).stretches).toEqual([]);
    expect(decide([outcome("o1", one), outcome("o2", two)], [mark("T1", one), mark("T1", two)]).stretches).toEqual([]);
  });

  it("that an outcome names stay what they are", () => {
    const named = outcome("n", { sessionId: "s1" });
    const tasksOf = new Map([["n", [{ member: "session" as const, tasks: ["s1"] }]]]);
    const marks = [mark("s1", one), mark("s1", { ...two, atNs: NOON_NS + 5n })];
    expect(decide([named, outcome("o", one), outcome("o2", two)], marks, { tasksOf }).stretches).toEqual([]);
  });
});

describe("contradictions are parked, with the reason", () => {
  const park = (
    given: Outcome,
    ...members: (readonly [member: "run" | "trace" | "session", tasks: readonly string[]])[]
  ) => decide([given], [], { tasksOf: new Map([["o", members.map(([member, tasks]) => ({ member, tasks }))]]) }).links;

  it.each([
    [
      "a trace of another task",
      { task: "T1", traceId: "t" },
      [["trace", ["T2"]]],
      "names task T1, but its trace worked on T2",
    ],
    [
      "a run of several tasks",
      { runId: "r" },
      [["run", ["T1", "T2"]]],
      "names no task, and its run worked on 2: T1, T2",
    ],
    [
      "members of different tasks",
      { runId: "r", traceId: "t" },
      [
        ["run", ["T1"]],
        ["trace", ["T2"]],
      ],
      "its run worked on T1, but its trace on T2",
    ],
  ] as const)("%s", (_what, subject, members, reason) => {
    const links = park(outcome("o", subject), ...members);
    expect(links).toMatchObject([{ linkedBy: null, tasks: [], reason }]);
  });

  it("passed and failed at one instant; but not one after the other", () => {
    const [passed, failed] = [outcome("a", { task: "T1" }), outcome("b", { task: "T1" }, { status: "failed" })];
    expect(decide([passed, failed], []).links.map(({ reason }) => reason)).toEqual(
      Array(2).fill("github says of one subject, at one instant, failed and passed"),
    );
    expect(decide([passed, { ...failed, atNs: failed.atNs + 1n }], []).links).toEqual([]);
  });

  it("until they are none any more", () => {
    const was: OutcomeLink = { outcomeId: "o", tasks: [], linkedBy: null, reason: "why", decidedBy: "" };
    const links = new Map([["o", was]]);
    expect(decide([outcome("o", { commit: sha("a") })], [], { links }).links).toEqual([{ ...was, reason: "" }]);
  });
});

it("what a person decided stays, and what is decided already is not decided again", () => {
  const person: OutcomeLink = { outcomeId: "o", tasks: ["T9"], linkedBy: "person", reason: "", decidedBy: "ada" };
  const given = [[outcome("o", { commit: sha("a") })], [mark("T1", { commit: sha("a") })]] as const;
  expect(decide([...given[0]], [...given[1]], { links: new Map([["o", person]]) }).links).toEqual([]);
  const [link] = decide([...given[0]], [...given[1]]).links;
  if (link === undefined) throw new Error("is linked");
  expect(decide([...given[0]], [...given[1]], { links: new Map([["o", link]]) }).links).toEqual([]);
});

const anyPlace = fc.record({
  commit: fc.constantFrom("", sha("a"), sha("b"), sha("c")),
  pullRequest: fc.constantFrom("", "acme/shop#1", "acme/shop#2"),
  branch: fc.constantFrom("x", "y"),
  atNs: fc.bigInt(NOON_NS, NOON_NS + 9n),
});

it("no session's spend is on two things at once, and no outcome of sessions is two passes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom("s1", "s2", "s3"), anyPlace), { maxLength: 12 }),
      fc.array(anyPlace, { maxLength: 6 }),
      (seen, said) => {
        const marks = seen.map(([task, place]) => mark(task, place));
        const outcomes = said.flatMap(({ commit, pullRequest, branch }, n) =>
          outcome(`o${n}`, {
            repository: "acme/shop",
            branch,
            ...(commit && { commit }),
            ...(pullRequest && { pullRequest }),
          }),
        );
        const { links, stretches } = decide(outcomes, marks);
        const keys = stretches.map(({ task, fromNs }) => `${task} ${fromNs}`);
        expect(new Set(keys).size).toBe(keys.length);
        // What calls count as: their session, or the work of the stretch that they are in.
        const divided = new Set(stretches.map(({ task }) => task));
        const spenders = new Set([
          ...marks.map(({ task }) => task).filter((task) => !divided.has(task)),
          ...stretches.map(({ work }) => work),
        ]);
        for (const { tasks } of links) expect(tasks.filter((task) => spenders.has(task)).length).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 500 },
  );
});

it.each([
  [
    { "vcs.repository.url.full": "https://github.com/acme/shop.git", "vcs.ref.head.name": "refs/heads/fix" },
    "acme/shop",
    "fix",
    "",
  ],
  [
    {
      "vcs.repository.url.full": "git@gitlab.com:acme/web/shop.git",
      "vcs.change.id": "4",
      "vcs.provider.name": "gitlab",
    },
    "acme/web/shop",
    "",
    "acme/web/shop!4",
  ],
  [{ "vcs.owner.name": "acme", "vcs.repository.name": "shop", "vcs.change.id": "7" }, "acme/shop", "", "acme/shop#7"],
  [
    { "vcs.repository.url.full": "https://token@github.com/acme/shop/", "vcs.ref.head.revision": sha("A") },
    "acme/shop",
    "",
    "",
  ],
])("reads where work was done: %j", (attributes, repository, branch, pullRequest) => {
  expect(readPlace(attributes)).toMatchObject({ repository, branch, pullRequest });
});

it("reads no place where none is said", () => {
  expect(readPlace({ "vcs.ref.head.name": "main" })).toBeNull();
  expect(readPlace({ "vcs.ref.head.revision": "r1234" })).toBeNull();
});
