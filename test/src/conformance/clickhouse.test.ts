/** What Centspan relies on of ClickHouse's HTTP interface, through `@clickhouse/client`: reading, parameters, settings. */
import { randomUUID } from "node:crypto";
import { createClient } from "@clickhouse/client";
import { describe, expect, it } from "vitest";
import { useStore } from "./server.ts";

const store = useStore();

describe("reading", () => {
  it("answers a ping, by path and by query", async () => {
    expect(await store.client.ping()).toMatchObject({ success: true });
    expect(await store.client.ping({ select: true })).toMatchObject({ success: true });
  });

  it("gives JSON with column types, and the query id asked for", async () => {
    const queryId = randomUUID();
    const result = await store.client.query({ query: "SELECT 1 AS a, 'x' AS b", format: "JSON", query_id: queryId });
    expect(result.query_id).toBe(queryId);
    expect(result.response_headers).toMatchObject({
      "x-clickhouse-query-id": queryId,
      "x-clickhouse-format": "JSON",
      "x-clickhouse-timezone": expect.any(String),
      "x-clickhouse-server-display-name": expect.any(String),
    });
    const { meta, data, rows } = await result.json<{ a: number; b: string }>();
    expect(meta).toEqual([
      { name: "a", type: "UInt8" },
      { name: "b", type: "String" },
    ]);
    expect(data).toEqual([{ a: 1, b: "x" }]);
    expect(rows).toBe(1);
  });

  it.each(["JSON", "JSONEachRow", "JSONCompact", "CSV", "TabSeparated"] as const)(
    "gives nothing in %s",
    async (format) => {
      const result = await store.client.query({ query: "SELECT number FROM numbers(0)", format });
      const text = await result.text();
      if (format.endsWith("EachRow") || !format.startsWith("JSON")) expect(text).toBe("");
      else expect(JSON.parse(text)).toMatchObject({ data: [], rows: 0 });
    },
  );

  it("streams a million rows in order", async () => {
    const result = await store.client.query({
      query: "SELECT number AS n FROM numbers(1000000)",
      format: "JSONEachRow",
    });
    let expected = 0;
    for await (const batch of result.stream<{ n: string | number }>()) {
      for (const row of batch) {
        if (Number(row.json().n) !== expected) throw new Error(`${row.text} where ${expected} should be`);
        expected += 1;
      }
    }
    expect(expected).toBe(1_000_000);
  });

  it.each([
    ["CSVWithNames", '"a","b"\n1,"x"\n'],
    ["TabSeparatedWithNamesAndTypes", "a\tb\nUInt8\tString\n1\tx\n"],
    ["JSONCompactEachRow", '[1, "x"]\n'],
    ["RowBinary", "\x01\x01x"],
    ["Native", "\x02\x01\x01a\x05UInt8\x01\x01b\x06String\x01x"],
  ])("writes %s as asked by FORMAT and by default_format", async (format, expected) => {
    const byClause = await store.post(`SELECT 1 AS a, 'x' AS b FORMAT ${format}`);
    const byDefault = await store.post("SELECT 1 AS a, 'x' AS b", { default_format: format });
    expect(byClause.headers.get("x-clickhouse-format")).toBe(format);
    expect(await byClause.text()).toBe(expected);
    expect(await byDefault.text()).toBe(expected);
  });

  it("writes Parquet", async () => {
    const bytes = Buffer.from(await (await store.post("SELECT number FROM numbers(10) FORMAT Parquet")).arrayBuffer());
    expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(["PAR1", "PAR1"]);
  });

  it("reads a query in the URL, and defaults to tab separated values", async () => {
    const response = await fetch(`${store.url}/?${new URLSearchParams({ query: "SELECT 1, 'a\tb'" })}`);
    expect(await response.text()).toBe("1\ta\\tb\n");
  });

  it("keeps comments, semicolons and clauses in strings apart", async () => {
    expect(await (await store.post("SELECT 'a; FORMAT JSON' -- FORMAT CSV\n;")).text()).toBe("a; FORMAT JSON\n");
  });

  it("compresses the answer when asked, and waits for the end when asked", async () => {
    const query = "SELECT repeat('a', 1000) FROM numbers(5000)";
    const plain = await (await store.post(query)).text();
    const zipped = await store.post(
      query,
      { enable_http_compression: "1", wait_end_of_query: "1" },
      {
        headers: { "Accept-Encoding": "gzip" },
      },
    );
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    expect(await zipped.text()).toBe(plain);
    expect(plain).toHaveLength(5_005_000);
  });

  it("keeps what a client with compression both ways writes and reads", async () => {
    const zipping = createClient({
      url: store.url,
      database: store.database,
      compression: { request: true, response: true },
    });
    await zipping.command({ query: "CREATE TABLE zipped (s String) ENGINE = MergeTree ORDER BY s" });
    const values = Array.from({ length: 2000 }, (_, n) => ({ s: `row ${n} 가` }));
    await zipping.insert({ table: "zipped", values, format: "JSONEachRow" });
    const result = await zipping.query({
      query: "SELECT s FROM zipped ORDER BY toUInt32(splitByChar(' ', s)[2])",
      format: "JSONEachRow",
    });
    expect(await result.json()).toEqual(values);
    await zipping.close();
  });
});

describe("parameters", () => {
  const cases: [type: string, value: unknown, expected: unknown][] = [
    ["UInt8", 255, 255],
    ["Int64", -9_007_199_254_740_993n, "-9007199254740993"],
    ["UInt64", 18_446_744_073_709_551_615n, "18446744073709551615"],
    ["Float64", 0.1, 0.1],
    ["Bool", true, true],
    ["String", "it's a \\ tab\t, newline\n, quote\" and 가🙂", "it's a \\ tab\t, newline\n, quote\" and 가🙂"],
    ["String", "'; DROP TABLE t; --", "'; DROP TABLE t; --"],
    ["String", "", ""],
    ["Nullable(String)", null, null],
    ["Decimal(38, 12)", "12345678901234567890.123456789012", "12345678901234567890.123456789012"],
    ["Date", "2026-02-28", "2026-02-28"],
    ["DateTime64(9, 'UTC')", "2026-02-28 01:02:03.123456789", "2026-02-28 01:02:03.123456789"],
    ["DateTime('UTC')", new Date("2026-02-28T01:02:03Z"), "2026-02-28 01:02:03"],
    ["UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dba0", "61f0c404-5cb3-11e7-907b-a6006ad3dba0"],
    ["Array(String)", ["a'b", "c\\d", "e,f"], ["a'b", "c\\d", "e,f"]],
    ["Array(Array(UInt32))", [[1], [], [2, 3]], [[1], [], [2, 3]]],
    ["Map(String, UInt32)", { "k'1": 1, k2: 2 }, { "k'1": 1, k2: 2 }],
    ["Array(Nullable(Int32))", [1, null], [1, null]],
  ];
  it.each(cases)("%s: %s", async (type, value, expected) => {
    const settings = { output_format_json_quote_64bit_integers: 1, output_format_json_quote_decimals: 1 } as const;
    const result = await store.rows(`SELECT {p:${type}} AS p`, {
      query_params: { p: value },
      clickhouse_settings: settings,
    });
    expect(result).toEqual([{ p: expected }]);
  });

  it("names a table and a column", async () => {
    const query = "SELECT {column:Identifier} FROM {db:Identifier}.{table:Identifier}";
    expect(await store.rows(query, { query_params: { column: "dummy", db: "system", table: "one" } })).toEqual([
      { dummy: 0 },
    ]);
  });

  it("reports one that is missing, also after a request that had it", async () => {
    await store.rows("SELECT {once:UInt8}", { query_params: { once: 1 } });
    await expect(store.rows("SELECT {once:UInt8}")).rejects.toMatchObject({
      code: "456",
      type: "UNKNOWN_QUERY_PARAMETER",
    });
  });

  it("come in a multipart body, too", async () => {
    const result = await store.rows("SELECT length({long:String}) AS n", {
      query_params: { long: "x".repeat(200_000) },
      use_multipart_params: true,
    });
    expect(result).toEqual([{ n: expect.toSatisfy((n) => Number(n) === 200_000) }]);
  });
});

describe("settings", () => {
  it("hold for their own request only", async () => {
    const query = "SELECT getSetting('max_block_size') AS v";
    const [before] = await store.rows<{ v: unknown }>(query);
    expect(await store.rows(query, { clickhouse_settings: { max_block_size: "77" } })).toEqual([
      { v: expect.toSatisfy((v) => Number(v) === 77) },
    ]);
    expect(await store.rows(query)).toEqual([before]);
  });

  it("made by SET reach no other request", async () => {
    await store.client.command({ query: "SET max_block_size = 78" });
    const [row] = await store.rows<{ v: unknown }>("SELECT getSetting('max_block_size') AS v");
    expect(Number(row?.v)).not.toBe(78);
  });

  it("an unknown one is an error", async () => {
    const response = await store.post("SELECT 1", { no_such_setting: "1" });
    expect(response.status).toBe(404);
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("115");
  });

  it("a session keeps its own: temporary tables and SET", async () => {
    const sessionId = randomUUID();
    const session = createClient({ url: store.url, session_id: sessionId, max_open_connections: 1 });
    await session.command({ query: "CREATE TEMPORARY TABLE mine (a UInt8)" });
    await session.command({ query: "SET max_block_size = 79" });
    await session.insert({
      table: "mine",
      values: [{ a: 5 }],
      format: "JSONEachRow",
      clickhouse_settings: { max_threads: 1 },
    });
    const result = await session.query({
      query: "SELECT toUInt32(getSetting('max_block_size')) AS v, a FROM mine",
      format: "JSONEachRow",
      clickhouse_settings: { max_block_size: "80" },
    });
    expect(await result.json()).toEqual([{ v: 80, a: 5 }]);
    const after = await session.query({
      query: "SELECT toUInt32(getSetting('max_block_size')) AS v",
      format: "JSONEachRow",
    });
    expect(await after.json()).toEqual([{ v: 79 }]);
    await session.close();
    await expect(store.rows("SELECT * FROM mine")).rejects.toMatchObject({ code: "60" });
  });
});
