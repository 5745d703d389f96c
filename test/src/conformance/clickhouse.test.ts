/** What Centspan relies on of ClickHouse's HTTP interface, through `@clickhouse/client`: reading, parameters, errors. */
import { randomUUID } from "node:crypto";
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/processes.ts";
import { openDatabase, openServer, type Server } from "./server.ts";

let server: Server;
let db: Awaited<ReturnType<typeof openDatabase>>;
let client: ClickHouseClient;

beforeAll(async () => {
  server = await openServer();
  db = await openDatabase(server.url);
  client = db.client;
});

afterAll(async () => {
  await db?.drop();
  await server?.end();
});

async function rows<Row>(query: string, rest: Omit<Parameters<ClickHouseClient["query"]>[0], "query" | "format"> = {}) {
  const result = await client.query({ query, format: "JSONEachRow", ...rest });
  return result.json<Row>();
}

function post(query: string, urlParams: Record<string, string> = {}, init: RequestInit = {}) {
  const search = new URLSearchParams({ database: db.database, ...urlParams });
  return fetch(`${server.url}/?${search}`, { method: "POST", body: query, ...init });
}

describe("reading", () => {
  it("answers a ping, by path and by query", async () => {
    expect(await client.ping()).toMatchObject({ success: true });
    expect(await client.ping({ select: true })).toMatchObject({ success: true });
  });

  it("gives JSON with column types, and the query id asked for", async () => {
    const queryId = randomUUID();
    const result = await client.query({ query: "SELECT 1 AS a, 'x' AS b", format: "JSON", query_id: queryId });
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
      const result = await client.query({ query: "SELECT number FROM numbers(0)", format });
      const text = await result.text();
      if (format.endsWith("EachRow") || !format.startsWith("JSON")) expect(text).toBe("");
      else expect(JSON.parse(text)).toMatchObject({ data: [], rows: 0 });
    },
  );

  it("streams a million rows in order", async () => {
    const result = await client.query({ query: "SELECT number AS n FROM numbers(1000000)", format: "JSONEachRow" });
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
    const byClause = await post(`SELECT 1 AS a, 'x' AS b FORMAT ${format}`);
    const byDefault = await post("SELECT 1 AS a, 'x' AS b", { default_format: format });
    expect(byClause.headers.get("x-clickhouse-format")).toBe(format);
    expect(await byClause.text()).toBe(expected);
    expect(await byDefault.text()).toBe(expected);
  });

  it("writes Parquet", async () => {
    const bytes = Buffer.from(await (await post("SELECT number FROM numbers(10) FORMAT Parquet")).arrayBuffer());
    expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(["PAR1", "PAR1"]);
  });

  it("reads a query in the URL, and defaults to tab separated values", async () => {
    const response = await fetch(`${server.url}/?${new URLSearchParams({ query: "SELECT 1, 'a\tb'" })}`);
    expect(await response.text()).toBe("1\ta\\tb\n");
  });

  it("keeps comments, semicolons and clauses in strings apart", async () => {
    expect(await (await post("SELECT 'a; FORMAT JSON' -- FORMAT CSV\n;")).text()).toBe("a; FORMAT JSON\n");
  });

  it("compresses the answer when asked, and waits for the end when asked", async () => {
    const query = "SELECT repeat('a', 1000) FROM numbers(5000)";
    const plain = await (await post(query)).text();
    const zipped = await post(
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
      url: server.url,
      database: db.database,
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
    const result = await rows(`SELECT {p:${type}} AS p`, { query_params: { p: value }, clickhouse_settings: settings });
    expect(result).toEqual([{ p: expected }]);
  });

  it("names a table and a column", async () => {
    const query = "SELECT {column:Identifier} FROM {db:Identifier}.{table:Identifier}";
    expect(await rows(query, { query_params: { column: "dummy", db: "system", table: "one" } })).toEqual([
      { dummy: 0 },
    ]);
  });

  it("reports one that is missing, also after a request that had it", async () => {
    await rows("SELECT {once:UInt8}", { query_params: { once: 1 } });
    await expect(rows("SELECT {once:UInt8}")).rejects.toMatchObject({ code: "456", type: "UNKNOWN_QUERY_PARAMETER" });
  });

  it("come in a multipart body, too", async () => {
    const result = await rows("SELECT length({long:String}) AS n", {
      query_params: { long: "x".repeat(200_000) },
      use_multipart_params: true,
    });
    expect(result).toEqual([{ n: expect.toSatisfy((n) => Number(n) === 200_000) }]);
  });
});

describe("settings", () => {
  it("hold for their own request only", async () => {
    const query = "SELECT getSetting('max_block_size') AS v";
    const [before] = await rows<{ v: unknown }>(query);
    expect(await rows(query, { clickhouse_settings: { max_block_size: "77" } })).toEqual([
      { v: expect.toSatisfy((v) => Number(v) === 77) },
    ]);
    expect(await rows(query)).toEqual([before]);
  });

  it("made by SET reach no other request", async () => {
    await client.command({ query: "SET max_block_size = 78" });
    const [row] = await rows<{ v: unknown }>("SELECT getSetting('max_block_size') AS v");
    expect(Number(row?.v)).not.toBe(78);
  });

  it("an unknown one is an error", async () => {
    const response = await post("SELECT 1", { no_such_setting: "1" });
    expect(response.status).toBe(404);
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("115");
  });

  it("a session keeps its own: temporary tables and SET", async () => {
    const sessionId = randomUUID();
    const session = createClient({ url: server.url, session_id: sessionId, max_open_connections: 1 });
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
    await expect(rows("SELECT * FROM mine")).rejects.toMatchObject({ code: "60" });
  });
});

describe("errors", () => {
  it.each([
    ["selec 1", "62", "SYNTAX_ERROR", 400],
    ["SELECT * FROM no_such_table", "60", "UNKNOWN_TABLE", 404],
    ["SELECT no_such_column FROM system.one", "47", "UNKNOWN_IDENTIFIER", 404],
    ["SELECT no_such_function(1)", "46", "UNKNOWN_FUNCTION", 404],
    ["SELECT * FROM no_such_database.t", "81", "UNKNOWN_DATABASE", 404],
    ["SELECT throwIf(1, 'as asked')", "395", "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", 500],
    ["SELECT 1 INTO OUTFILE '/tmp/never'", "348", "INTO_OUTFILE_NOT_ALLOWED", 500],
    ["SELECT 1; SELECT 2", "62", "SYNTAX_ERROR", 400],
    ["", "62", "SYNTAX_ERROR", 400],
  ])("%s", async (query, code, type, status) => {
    const response = await post(query);
    expect(response.status).toBe(status);
    expect(response.headers.get("x-clickhouse-exception-code")).toBe(code);
    expect(await response.text()).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: [^]*\\(${type}\\) \\(version `));
    if (query !== "") await expect(client.command({ query })).rejects.toMatchObject({ code, type });
  });

  it("within a result reaches the reader of its rows", async () => {
    const result = await client.query({
      query: "SELECT throwIf(number = 2000000, 'late') FROM numbers(3000000)",
      format: "JSONEachRow",
    });
    let seen = 0;
    const reading = (async () => {
      for await (const batch of result.stream()) seen += batch.length;
    })();
    await expect(reading).rejects.toMatchObject({ code: "395", message: expect.stringContaining("late") });
    expect(seen).toBeGreaterThan(0);
  });

  it("within a compressed result is no end of it", async () => {
    const response = await post(
      "SELECT throwIf(number = 2000000) FROM numbers(3000000)",
      { enable_http_compression: "1" },
      { headers: { "Accept-Encoding": "gzip" } },
    );
    const text = response.text();
    await expect(text.then((all) => all.includes("__exception__") && Promise.reject(all))).rejects.toBeDefined();
  });

  it("after a wait for the end has its own status", async () => {
    const response = await post("SELECT throwIf(number = 2000000) FROM numbers(3000000)", { wait_end_of_query: "1" });
    expect(response.status).toBe(500);
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("395");
  });

  it("a query over its time limit is stopped", async () => {
    const query = "SELECT count() FROM numbers(1000000000000)";
    await expect(rows(query, { clickhouse_settings: { max_execution_time: 1 } })).rejects.toMatchObject({
      code: "159",
      type: "TIMEOUT_EXCEEDED",
    });
  });
});

describe("read only", () => {
  const settings = { readonly: "1", max_execution_time: 5 } as const;

  beforeAll(() => client.command({ query: "CREATE TABLE guarded (a UInt8) ENGINE = MergeTree ORDER BY a" }));

  it("reads with its limits in force", async () => {
    expect(await rows("SELECT count() AS n FROM guarded", { clickhouse_settings: settings })).toHaveLength(1);
    const [row] = await rows<{ v: unknown }>("SELECT getSetting('max_execution_time') AS v", {
      clickhouse_settings: settings,
    });
    expect(Number(row?.v)).toBe(5);
  });

  it.each([
    "INSERT INTO guarded VALUES (1)",
    "CREATE TABLE more (a UInt8) ENGINE = MergeTree ORDER BY a",
    "DROP TABLE guarded",
    "ALTER TABLE guarded DELETE WHERE 1",
    "SET max_execution_time = 0",
    "SET readonly = 0",
    "SELECT 1 SETTINGS max_execution_time = 0",
    "SELECT * FROM url('http://127.0.0.1:9/', 'CSV', 'a String')",
    "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "INSERT INTO FUNCTION file('/tmp/never', 'CSV', 'a UInt8') VALUES (1)",
  ])("refuses: %s", async (query) => {
    const response = await post(query, { readonly: "1", max_execution_time: "5" });
    expect(await response.text()).toContain("(READONLY)");
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("164");
  });

  it("is what a GET is", async () => {
    const query = new URLSearchParams({ query: "INSERT INTO guarded VALUES (1)", database: db.database });
    const response = await fetch(`${server.url}/?${query}`);
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("164");
    expect(await rows("SELECT count() AS n FROM guarded")).toEqual([{ n: expect.toSatisfy((n) => Number(n) === 0) }]);
  });
});

describe("side by side", () => {
  const endless = () => `SELECT count() FROM numbers(1000000000000) WHERE number != ${Math.trunc(Math.random() * 1e9)}`;

  async function isRunning(query: string): Promise<boolean> {
    const found = await rows("SELECT 1 FROM system.processes WHERE startsWith(query, {q:String})", {
      query_params: { q: query },
    });
    return found.length > 0;
  }

  it("endless queries delay neither inserts nor small queries, and end with their client", async () => {
    await client.command({ query: "CREATE TABLE beside (n UInt32) ENGINE = MergeTree ORDER BY n" });
    const query = endless();
    const aborts = Array.from({ length: 6 }, () => new AbortController());
    const settled: string[] = [];
    const slow = aborts.map(({ signal }) =>
      client.query({ query, abort_signal: signal, format: "JSONEachRow" }).catch(() => settled.push("slow")),
    );
    await until("the endless queries run", async () => ((await isRunning(query)) ? true : undefined));
    for (let n = 0; n < 20; n += 1) {
      await client.insert({ table: "beside", values: [{ n }], format: "JSONEachRow" });
      await rows("SELECT 1");
      settled.push("quick");
    }
    expect(settled).toEqual(Array(20).fill("quick"));
    for (const abort of aborts) abort.abort();
    await Promise.all(slow);
    await until("the endless queries end", async () => ((await isRunning(query)) ? undefined : true));
    expect(await rows("SELECT toUInt32(count()) AS n FROM beside")).toEqual([{ n: 20 }]);
  });

  it("a result that is not read to its end is computed no further", async () => {
    const query = `SELECT number FROM numbers(100000000000) WHERE number != ${Math.trunc(Math.random() * 1e9)}`;
    const result = await client.query({ query, format: "JSONEachRow" });
    for await (const batch of result.stream()) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    result.close();
    await until("the query ends", async () => ((await isRunning(query)) ? undefined : true));
  });

  it("hundreds of requests at once each get their own answer", async () => {
    const answers = await Promise.all(
      Array.from(
        { length: 200 },
        async (_, n) => (await rows<{ n: number }>("SELECT {n:UInt32} AS n", { query_params: { n } }))[0]?.n,
      ),
    );
    expect(answers).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });
});
