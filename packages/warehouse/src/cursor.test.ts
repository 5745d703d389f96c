import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutPage, readCursor, writeCursor } from "./cursor.ts";

describe("cursors", () => {
  it("come back as what they were made of", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 63n - 1n), fc.stringMatching(/^[\w:-]{1,100}$/), (atNs, id) => {
        expect(readCursor(writeCursor({ atNs, id }))).toEqual({ atNs, id });
      }),
    );
  });

  it("are refused when they are anything else", () => {
    const good = writeCursor({ atNs: 5n, id: "call_1" });
    const encode = (text: string) => Buffer.from(text).toString("base64url");
    const broken = ["", "x", `${good}=`, `${good} `, good.slice(1), encode("5:"), encode(":a"), encode("-5:a")];
    for (const cursor of [...broken, encode("5 a"), encode(`${2n ** 63n}:a`), encode("5:a b")]) {
      expect(() => readCursor(cursor), cursor).toThrow(
        expect.objectContaining({ code: "invalid_request", field: "cursor" }),
      );
    }
    expect(() => readCursor(good)).not.toThrow();
  });

  it("are given only where there is more", () => {
    const rows = [9n, 8n, 7n].map((atNs) => ({ atNs, id: "a" }));
    const page = cutPage(rows, 2, (row) => row);
    expect(page.data).toEqual(rows.slice(0, 2));
    expect(readCursor(page.nextCursor ?? "")).toEqual(rows[1]);
    expect(cutPage(rows, 3, (row) => row).nextCursor).toBeNull();
  });
});
