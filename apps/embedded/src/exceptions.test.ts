import { expect, it } from "vitest";
import { exceptionText, httpStatus, toClickHouseException } from "./exceptions.ts";

it("takes an engine's error apart, nested ones too", () => {
  const nested =
    "Code: 73. DB::Exception: Code: 73. DB::Exception: Unknown format X. (UNKNOWN_FORMAT) (version 1). (UNKNOWN_FORMAT)";
  const exception = toClickHouseException(new Error(nested));
  expect(exception).toMatchObject({ code: 73, type: "UNKNOWN_FORMAT" });
  expect(exceptionText(exception, "26.7")).toBe(`${nested} (version 26.7)\n`);
  expect(httpStatus(exception)).toBe(404);
});

it("reports what is no engine error as unknown", () => {
  const exception = toClickHouseException(new Error("ENOSPC: no space left"));
  expect(exception).toMatchObject({ code: 1002, message: "ENOSPC: no space left" });
  expect(httpStatus(exception)).toBe(500);
});
