import { expect, it } from "vitest";
import { parseOptions } from "./options.ts";

it("prefers the command line over the environment over the default", () => {
  const env = { CENTSPAN_DATA: "/env", CENTSPAN_CLICKHOUSE_PORT: "1", CENTSPAN_POSTGRES_PORT: "2" };
  expect(parseOptions(["--data", "/flag", "--clickhouse-port", "0"], env)).toEqual({
    dataDir: "/flag",
    host: "127.0.0.1",
    clickhousePort: 0,
    postgresPort: 2,
    clickhousePassword: undefined,
    maxBodyBytes: 4_294_967_296,
  });
  expect(parseOptions([], { CENTSPAN_DATA: "/env" })).toMatchObject({ clickhousePort: 18_123, postgresPort: 15_432 });
  expect(parseOptions(["--help"], {})).toBeUndefined();
});

it.each([
  [[], "--data DIR or CENTSPAN_DATA"],
  [["--data", "d", "--nonsense"], "--nonsense"],
  [["--data", "d", "--postgres-port", "many"], '--postgres-port must be a whole number from 0 to 65535, not "many"'],
  [["--data", "d", "--clickhouse-port", "65536"], "--clickhouse-port"],
  [["--data", "d", "--max-body-bytes", "-1"], "--max-body-bytes"],
])("explains what is wrong with %j", (args, reason) => {
  expect(() => parseOptions(args, {})).toThrow(reason);
});
