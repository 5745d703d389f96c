import { expect, it } from "vitest";
import { createBacklog, LARGE_RECORDS } from "./backlog.ts";
import { planUnits } from "./plan-units.ts";

const news = (traceId: string, records = 1, receivedAtNs = 1n) => ({
  workspace: "w",
  unit: { kind: "trace", traceId } as const,
  appearance: `at ${receivedAtNs}`,
  receivedAtNs,
  records,
});

function start() {
  let nowMs = 0;
  const backlog = createBacklog(() => nowMs);
  const part = (...changes: ReturnType<typeof news>[]) => {
    const { inLine, due } = backlog.part(planUnits([...changes, ...backlog.listChanges()]));
    const name = (units: typeof due) =>
      units.map(({ unit, changes }) => `${unit.kind === "trace" && unit.traceId} ${changes.length}`);
    return { due, inLine: inLine[0], names: [name(inLine), name(due)] };
  };
  return { backlog, part, wait: (ms: number) => (nowMs += ms) };
}

it("puts aside what is much at once, also when it came bit by bit", () => {
  const { backlog, part } = start();
  const half = LARGE_RECORDS / 2;
  expect(part(news("small"), news("even", LARGE_RECORDS)).names).toEqual([["small 1", "even 1"], []]);
  expect(backlog.sinceNs()).toBeNull();
  expect(part(news("large", half, 5n), news("large", half + 1, 7n)).names).toEqual([[], ["large 2"]]);
  expect(backlog.sinceNs()).toBe(5n);
});

it("lets a large unit rest as long as it took, however little is new, and not for ever", () => {
  const { backlog, part, wait } = start();
  const { inLine } = part(news("t"));
  if (inLine) backlog.finish(inLine, { records: LARGE_RECORDS + 1, tookMs: 1_000 });
  expect(part(news("t", 1, 2n), news("other")).names).toEqual([["other 1"], []]);
  wait(999);
  expect(part(news("t", 1, 3n)).names).toEqual([[], []]);
  wait(1);
  const { due, names } = part();
  expect(names).toEqual([[], ["t 2"]]);
  if (due[0]) backlog.finish(due[0], { records: 5, tookMs: 1 });
  expect([backlog.listChanges(), backlog.sinceNs()]).toEqual([[], null]);
  expect(part(news("t", 1, 4n)).names).toEqual([["t 1"], []]);
});

it("tries again what failed, with growing pauses, until it works", () => {
  const { backlog, part, wait } = start();
  const { inLine } = part(news("t"));
  if (inLine) backlog.postpone(inLine, false);
  const pausesMs: number[] = [];
  while (pausesMs.length < 9) {
    let ms = 0;
    for (; part().due.length === 0; ms += 1_000) wait(1_000);
    pausesMs.push(ms);
    for (const planned of part().due) backlog.postpone(planned, false);
  }
  expect(pausesMs.map((ms) => ms / 1_000)).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
  wait(600_000);
  for (const planned of part().due) backlog.finish(planned, { records: 1, tookMs: 1 });
  expect(part(news("t", 1, 2n)).names).toEqual([["t 1"], []]);
});

it("holds up nothing for what is kept elsewhere, and takes it up again at once after a start", () => {
  const { backlog, part, wait } = start();
  const { inLine } = part(news("t", 1, 3n));
  if (inLine) backlog.postpone(inLine, true);
  expect([backlog.sinceNs(), part().names]).toEqual([null, [[], []]]);
  // Its news waits with it, and is kept nowhere else yet.
  expect(part(news("t", 1, 5n)).names).toEqual([[], []]);
  expect(backlog.sinceNs()).toBe(5n);
  wait(10_000);
  const [planned] = part().due;
  expect(planned?.changes).toHaveLength(2);
  if (planned) backlog.finish(planned, { records: 1, tookMs: 1 });
  expect([backlog.listChanges(), backlog.sinceNs()]).toEqual([[], null]);
  backlog.resume([news("u", 0)]);
  expect([backlog.sinceNs(), part().names]).toEqual([null, [["u 1"], []]]);
});
