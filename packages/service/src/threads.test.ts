import { afterAll, describe, expect, it } from "vitest";
import { createThreadPool } from "./threads.ts";

const url = new URL("./testing/square.worker.js", import.meta.url);
const pool = createThreadPool<number, number>({ url, threads: 2, workerData: null });
afterAll(() => pool.close());

describe("a pool of threads", () => {
  it("answers in the order of the tasks, more or fewer than there are threads", async () => {
    const tasks = Array.from({ length: 50 }, (_, at) => at);
    expect(await pool.run(tasks)).toEqual(tasks.map((task) => task * task));
    expect(await pool.run([7])).toEqual([49]);
    expect(await pool.run([])).toEqual([]);
  });

  it("fails with what a task says, and goes on with the next call", async () => {
    await expect(pool.run([1, 101, 2])).rejects.toThrow("101 is odd");
    expect(await pool.run([3, 4])).toEqual([9, 16]);
  });

  it("stops when it is told to, and takes no late answer for another's", async () => {
    const stop = new AbortController();
    const running = pool.run(
      Array.from({ length: 500 }, (_, at) => 2 * at),
      stop.signal,
    );
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: "interrupted" });
    await expect(pool.run([1], stop.signal)).rejects.toMatchObject({ code: "interrupted" });
    expect(await pool.run([5, 6, 7])).toEqual([25, 36, 49]);
  });

  it("fails where a thread can't start", async () => {
    const broken = createThreadPool<number, number>({
      url: new URL("./testing/nowhere.worker.js", import.meta.url),
      threads: 1,
      workerData: null,
    });
    await expect(broken.run([1])).rejects.toThrow(/nowhere/);
    await broken.close();
  });
});
