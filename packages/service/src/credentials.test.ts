import { CentspanError } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { createCredentialCache, readSecret } from "./credentials.ts";

describe("readSecret", () => {
  it.each([
    ["bearer", { authorization: "Bearer cs_ingest_x" }, "cs_ingest_x"],
    ["lower-case scheme", { authorization: "bearer  cs_ingest_x " }, "cs_ingest_x"],
    ["basic: the password", { authorization: `Basic ${btoa("pk:cs_ingest_x:y")}` }, "cs_ingest_x:y"],
    ["x-api-key", { "x-api-key": "cs_ingest_x" }, "cs_ingest_x"],
    ["another scheme is a secret nobody knows", { authorization: "Digest abc" }, "Digest abc"],
    ["so is one with a blank in it", { authorization: "Bearer a b" }, "Bearer a b"],
    ["none", {}, null],
    ["an empty one is none", { authorization: "" }, null],
  ])("%s", (_why, headers, expected) => expect(readSecret(headers)).toBe(expected));
});

function harness(options: { maxEntries?: number } = {}) {
  const state = { now: 0, away: false, asked: 0, known: new Map([["a", "A"]]) };
  const cache = createCredentialCache<string>({
    ...options,
    nowMs: () => state.now,
    async find(secret) {
      state.asked += 1;
      if (state.away) throw new CentspanError("store_unavailable", "away", { retryAfterS: 1 });
      return state.known.get(secret) ?? null;
    },
  });
  return { state, cache };
}

describe("createCredentialCache", () => {
  it("asks once for concurrent and repeated requests", async () => {
    const { state, cache } = harness();
    expect(await Promise.all([cache.find("a"), cache.find("a")])).toEqual(["A", "A"]);
    expect(await cache.find("a")).toBe("A");
    expect(state.asked).toBe(1);
  });

  it("forgets a revoked secret after ten seconds, even one in constant use", async () => {
    const { state, cache } = harness();
    await cache.find("a");
    state.known.clear();
    for (state.now = 0; state.now < 10_000; state.now += 500) expect(await cache.find("a")).toBe("A");
    expect(await cache.find("a")).toBeNull();
  });

  it("goes on with what it knew while the store is away, and learns of a revocation once it is back", async () => {
    const { state, cache } = harness();
    await cache.find("a");
    state.away = true;
    state.now = 60_000;
    expect(await cache.find("a")).toBe("A");
    await expect(cache.find("b")).rejects.toMatchObject({ code: "store_unavailable" });
    state.now = 600_000;
    await expect(cache.find("a")).rejects.toMatchObject({ code: "store_unavailable" });
    state.away = false;
    state.known.clear();
    state.now = 602_000;
    expect(await cache.find("a")).toBeNull();
  });

  it("keeps known secrets however many unknown ones come", async () => {
    const { state, cache } = harness({ maxEntries: 3 });
    await cache.find("a");
    for (let i = 0; i < 50; i++) expect(await cache.find(`x${i}`)).toBeNull();
    const before = state.asked;
    expect(await cache.find("a")).toBe("A");
    expect(state.asked).toBe(before);
  });

  it("asks again for an unknown secret after a second: a key made a moment ago works", async () => {
    const { state, cache } = harness();
    expect(await cache.find("new")).toBeNull();
    state.known.set("new", "N");
    expect(await cache.find("new")).toBeNull();
    state.now = 1_000;
    expect(await cache.find("new")).toBe("N");
  });
});
