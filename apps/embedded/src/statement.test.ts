import { describe, expect, it } from "vitest";
import { parseStatement } from "./statement.ts";

/** Text as the server gets it: a character per byte. */
const latin1 = (sql: string) => Buffer.from(sql).toString("latin1");
const parse = (sql: string) => parseStatement(latin1(sql));

describe("results", () => {
  const cases = [
    ["SELECT 1", "SELECT 1", undefined, ""],
    ["SELECT 1 FORMAT JSON;", "SELECT 1 ", "JSON", ""],
    ["select 1 format JSON settings max_threads = 1", "select 1 ", "JSON", " settings max_threads = 1"],
    ["SELECT format FROM t", "SELECT format FROM t", undefined, ""],
    ["SELECT format f", "SELECT format f", undefined, ""],
    ["SELECT a, format f", "SELECT a, format f", undefined, ""],
    ["SELECT (SELECT 1 AS x FORMAT y)", "SELECT (SELECT 1 AS x FORMAT y)", undefined, ""],
    ["SELECT 'FORMAT CSV' -- FORMAT CSV\n", "SELECT 'FORMAT CSV'", undefined, ""],
    ["SELECT 'it''s \\' FORMAT CSV'", "SELECT 'it''s \\' FORMAT CSV'", undefined, ""],
    ["(SELECT 1) UNION ALL (SELECT 2) FORMAT TSV", "(SELECT 1) UNION ALL (SELECT 2) ", "TSV", ""],
    ["/* a /* b */ ; */ SHOW TABLES", "/* a /* b */ ; */ SHOW TABLES", undefined, ""],
    ["SELECT $x$ ; FORMAT $x$", "SELECT $x$ ; FORMAT $x$", undefined, ""],
  ] as const;
  it.each(cases)("%s", (sql, select, format, tail) => {
    expect(parse(sql)).toMatchObject({ kind: "output", select, format, tail });
  });

  it("names each placeholder once, also with a name in another alphabet", () => {
    expect(
      parse("SELECT {a:UInt8} + {a:UInt8}, {größe:String}, map('k', {b:Array(String)}), '{c:Int8}'"),
    ).toMatchObject({ parameters: ["a", "größe", "b"] });
  });
});

describe("inserts", () => {
  const cases = [
    ["INSERT INTO t FORMAT CSV\n1,2", "INSERT INTO t ", "", "CSV", "1,2"],
    ["INSERT INTO t VALUES (1),(2)", "INSERT INTO t ", "", "Values", " (1),(2)"],
    ["insert into t (a, b) settings x = 1 format CSV 1,2", "insert into t (a, b) ", "settings x = 1 ", "CSV", "1,2"],
    ["INSERT INTO values VALUES (1)", "INSERT INTO values ", "", "Values", " (1)"],
    ["INSERT INTO format FORMAT CSV\r\n1", "INSERT INTO format ", "", "CSV", "1"],
    ["INSERT INTO d.settings FORMAT CSV\n1", "INSERT INTO d.settings ", "", "CSV", "1"],
    ["INSERT INTO t FORMAT Values (1)", "INSERT INTO t ", "", "Values", "(1)"],
    [
      "INSERT INTO FUNCTION null('values Int8') VALUES (1)",
      "INSERT INTO FUNCTION null('values Int8') ",
      "",
      "Values",
      " (1)",
    ],
  ] as const;
  it.each(cases)("%s", (sql, target, settings, format, data) => {
    const statement = parse(sql);
    expect(statement).toMatchObject({ kind: "insert", target, settings, format });
    if (statement.kind === "insert") expect(sql.slice(statement.dataStart)).toBe(data);
  });

  it("does not look into the data", () => {
    expect(parse("INSERT INTO t FORMAT CSV\n'; DROP TABLE t; INTO OUTFILE 'x'")).toMatchObject({ kind: "insert" });
    expect(parse("INSERT INTO t FORMAT Native\n\x00\xff'\"`")).toMatchObject({ dataStart: 28 });
  });

  it.each(["INSERT INTO t SELECT 1", "WITH 1 AS x INSERT INTO t SELECT x"])("leaves to the engine: %s", (sql) =>
    expect(parse(sql)).toMatchObject({ kind: "command", sql }),
  );
});

describe("commands", () => {
  const cases = [
    ["CREATE TABLE t (a Int8) ORDER BY a", false],
    ["CREATE TEMPORARY TABLE t (a Int8)", true],
    ["ALTER TABLE t ADD COLUMN b Int8", false],
    ["SET max_threads = 1", true],
    ["USE d", true],
    ["SOMETHING NEW", true],
  ] as const;
  it.each(cases)("%s changes its session: %s", (sql, changesSession) => {
    expect(parse(sql)).toMatchObject({ kind: "command", changesSession });
  });
});

describe("refused", () => {
  it.each([
    ["", 62],
    [" ; -- nothing\n", 62],
    ["SELECT 1; SELECT 2", 62],
    ["SELECT 1 /* /* */ */; DROP TABLE t", 62],
    ["SELECT 1 INTO OUTFILE 'x'", 348],
    ["SELECT 1 into /* */ outfile 'x' FORMAT CSV", 348],
    ["INSERT INTO t FROM INFILE 'x' FORMAT CSV", 78],
    ["INSERT INTO t SELECT * FROM input('a Int8') FORMAT CSV 1", 48],
  ])("%s", (sql, code) => {
    expect(() => parse(sql)).toThrow(expect.objectContaining({ code }));
  });
});
