import fc from "fast-check";
import { expect, it } from "vitest";
import { createReadingLock } from "./reading-lock.ts";

it("never has a change beside anything else, keeps changes in order and lets readers in together", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.tuple(fc.boolean(), fc.boolean()), { maxLength: 10 }),
      async (s, works) => {
        const lock = createReadingLock();
        const inside = new Set<number>();
        const changes: number[] = [];
        const done = works.map(([isReader, fails], index) =>
          lock(isReader, async () => {
            inside.add(index);
            if (!isReader) changes.push(index);
            expect(isReader ? [...inside].every((other) => works[other]?.[0]) : inside.size === 1).toBe(true);
            await s.schedule(Promise.resolve());
            inside.delete(index);
            if (fails) throw new Error("failed");
          }),
        );
        const settled = Promise.allSettled(done);
        await s.waitFor(settled);
        expect((await settled).map(({ status }) => status)).toEqual(
          works.map(([, fails]) => (fails ? "rejected" : "fulfilled")),
        );
        expect(changes).toEqual(works.flatMap(([isReader], index) => (isReader ? [] : [index])));
      },
    ),
  );
});
