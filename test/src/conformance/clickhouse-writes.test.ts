/** What Centspan relies on of ClickHouse's HTTP interface when writing: formats, types, streams, commands. */
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useStore } from "./server.ts";

const store = useStore();

async function text(query: string) {
  return (await store.client.query({ query, format: "TabSeparated" })).text();
}

function post(query: string, body: BodyInit, headers: Record<string, string> = {}) {
  const search = new URLSearchParams({ database: store.database, query });
  return fetch(`${store.url}/?${search}`, { method: "POST", body, headers });
}

const table = (name: string, columns: string) =>
  store.client.command({ query: `CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY tuple()` });

describe("types make a round trip", () => {
  const cases: [type: string, value: unknown][] = [
    ["UInt64", "18446744073709551615"],
    ["Int128", "-170141183460469231731687303715884105728"],
    ["Decimal(38, 12)", "99999999999999999999999999.999999999999"],
    ["Decimal(18, 2)", "-0.01"],
    ["DateTime64(9, 'UTC')", "2026-11-29 23:59:59.999999999"],
    ["Float64", 5e-324],
    ["String", "\u0000 tab\t newline\n \\ ' \" 가 🙂"],
    ["LowCardinality(String)", "x"],
    ["Nullable(UInt8)", null],
    ["Bool", false],
    ["UUID", "61f0c404-5cb3-11e7-907b-a6006ad3dba0"],
    ["Enum8('a' = 1, 'b' = 2)", "b"],
    ["Array(String)", ["", "a'b", "c,d"]],
    ["Map(String, String)", { "gen_ai.system": "x", 가: "나" }],
    ["Map(String, Array(UInt8))", { a: [1, 2], b: [] }],
    ["Tuple(a UInt8, b String)", { a: 1, b: "x" }],
    [
      "Array(Tuple(name String, n Nullable(UInt32)))",
      [
        { name: "a", n: 1 },
        { name: "b", n: null },
      ],
    ],
  ];
  it.each(cases)("%s: %j", async (type, value) => {
    await store.client.command({ query: "DROP TABLE IF EXISTS trip" });
    await table("trip", `v ${type}`);
    await store.client.insert({ table: "trip", values: [{ v: value }], format: "JSONEachRow" });
    const settings = { output_format_json_quote_64bit_integers: 1, output_format_json_quote_decimals: 1 } as const;
    const result = await store.client.query({
      query: "SELECT v FROM trip",
      format: "JSONEachRow",
      clickhouse_settings: settings,
    });
    expect(await result.json()).toEqual([{ v: value }]);
  });
});

describe("inserts", () => {
  beforeAll(() => table("t", "a UInt32, b String DEFAULT concat('default ', toString(a)), c Map(String, String)"));
  beforeEach(() => store.client.command({ query: "TRUNCATE TABLE t" }));

  it("an array, with the summary of what was written", async () => {
    const values = [{ a: 1, b: "x", c: { k: "v" } }, { a: 2 }];
    const { summary } = await store.client.insert({ table: "t", values, format: "JSONEachRow" });
    expect(summary).toMatchObject({ written_rows: "2" });
    expect(await store.rows("SELECT * FROM t ORDER BY a")).toEqual([
      { a: 1, b: "x", c: { k: "v" } },
      { a: 2, b: "default 2", c: {} },
    ]);
  });

  it("some columns, and all except some", async () => {
    await store.client.insert({ table: "t", columns: ["a"], values: [[1]], format: "JSONCompactEachRow" });
    await store.client.insert({
      table: "t",
      columns: { except: ["b"] },
      values: [[2, { k: "v" }]],
      format: "JSONCompactEachRow",
    });
    expect(await text("SELECT b FROM t ORDER BY a")).toBe("default 1\ndefault 2\n");
  });

  it("a stream of objects and a stream of text", async () => {
    const objects = Readable.from(Array.from({ length: 50_000 }, (_, a) => ({ a, b: "o" })));
    await store.client.insert({ table: "t", values: objects, format: "JSONEachRow" });
    const lines = Readable.from(
      Array.from({ length: 50_000 }, (_, a) => `${a},"t",{}\n`),
      { objectMode: false },
    );
    await store.client.insert({ table: "t", values: lines, format: "CSV" });
    expect(await text("SELECT b, count(), sum(a) FROM t GROUP BY b ORDER BY b")).toBe(
      "o\t50000\t1249975000\nt\t50000\t1249975000\n",
    );
  });

  it.each(["Native", "RowBinary", "Parquet", "CSVWithNames", "TabSeparated", "JSONColumns", "Values"])(
    "what it wrote itself, in %s, plain and gzipped, small and large",
    async (format) => {
      const source = (rowCount: number) =>
        `SELECT number::UInt32 AS a, concat('가 ', a) AS b, map('k', b) AS c FROM numbers(${rowCount})`;
      for (const rowCount of [3, 60_000]) {
        await store.client.command({ query: "TRUNCATE TABLE t" });
        const written = await post(`${source(rowCount)} FORMAT ${format}`, "");
        const bytes = Buffer.from(await written.arrayBuffer());
        const insert = `INSERT INTO t FORMAT ${format}`;
        expect((await post(insert, bytes)).status).toBe(200);
        expect((await post(insert, gzipSync(bytes), { "Content-Encoding": "gzip" })).status).toBe(200);
        const digest = "count(), sum(cityHash64(a, b, mapKeys(c), mapValues(c)))";
        expect(await text(`SELECT ${digest} FROM t`)).toBe(
          await text(`SELECT ${digest} FROM (${source(rowCount)} UNION ALL ${source(rowCount)})`),
        );
      }
    },
  );

  it("a whole statement in the body, data behind it", async () => {
    const sent = [
      "INSERT INTO t (a) FORMAT CSV\n1\n2\n",
      "INSERT INTO t (a, b) VALUES (3, 'it''s; FORMAT CSV'), (4, concat('x', 'y'))",
      'INSERT INTO t (a) SETTINGS input_format_skip_unknown_fields = 1 FORMAT JSONEachRow {"a":5,"zz":1}',
    ];
    for (const query of sent) await store.client.command({ query });
    expect(await text("SELECT a, b FROM t ORDER BY a")).toBe(
      "1\tdefault 1\n2\tdefault 2\n3\tit\\'s; FORMAT CSV\n4\txy\n5\tdefault 5\n",
    );
  });

  it("the rows of a query", async () => {
    await store.client.command({
      query: "INSERT INTO t (a) SELECT number FROM numbers({n:UInt8})",
      query_params: { n: 3 },
    });
    expect(await text("SELECT a FROM t ORDER BY a")).toBe("0\n1\n2\n");
  });

  it("the rows of input(), or an error that says it can't", async () => {
    const response = await post("INSERT INTO t (a) SELECT a * 10 FROM input('a UInt32') FORMAT CSV", "7\n8\n");
    const stored = await text("SELECT a FROM t ORDER BY a");
    expect([response.status, stored]).toEqual(response.status === 501 ? [501, ""] : [200, "70\n80\n"]);
  });

  it("gathered by the server, when asked, are there when answered", async () => {
    const settings = { async_insert: 1, wait_for_async_insert: 1 } as const;
    const insert = (a: number) =>
      store.client.insert({ table: "t", values: [{ a }], format: "JSONEachRow", clickhouse_settings: settings });
    await Promise.all([1, 2, 3].map(insert));
    expect(await text("SELECT sum(a) FROM t")).toBe("6\n");
  });

  it("without any data are an error or nothing, and end", async () => {
    const responses = await Promise.all([post("INSERT INTO t FORMAT CSV", ""), post("INSERT INTO t VALUES", "")]);
    for (const response of responses) expect([200, 500]).toContain(response.status);
    expect(await text("SELECT count() FROM t")).toBe("0\n");
  });

  it("nothing of a body that is broken or breaks off", async () => {
    const broken = [
      post("INSERT INTO t FORMAT JSONEachRow", '{"a":1}\n{"a":"x"}\n'),
      post("INSERT INTO t FORMAT CSV", gzipSync("1,2,{}\n").subarray(0, -6), { "Content-Encoding": "gzip" }),
      post("INSERT INTO no_such_table FORMAT CSV", "1"),
    ];
    for (const response of await Promise.all(broken)) {
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.headers.get("x-clickhouse-exception-code")).toMatch(/^\d+$/);
    }
    const failing = Readable.from(
      (async function* () {
        yield '1,"x",{}\n';
        throw new Error("the producer failed");
      })(),
      { objectMode: false },
    );
    await expect(store.client.insert({ table: "t", values: failing, format: "CSV" })).rejects.toThrow();
    expect(await text("SELECT count() FROM t")).toBe("0\n");
  });
});

describe("commands", () => {
  it("change tables, with the summary header", async () => {
    const { summary } = await store.client.command({
      query: "CREATE TABLE commanded (a UInt8) ENGINE = MergeTree ORDER BY a",
    });
    expect(summary).toMatchObject({ elapsed_ns: expect.stringMatching(/^\d+$/) });
    await store.client.command({ query: "ALTER TABLE commanded ADD COLUMN b String DEFAULT 'new'" });
    await store.client.insert({ table: "commanded", values: [{ a: 1 }], format: "JSONEachRow" });
    await store.client.command({ query: "OPTIMIZE TABLE commanded FINAL" });
    expect(await store.rows("SELECT * FROM commanded")).toEqual([{ a: 1, b: "new" }]);
    expect(await text("EXISTS TABLE commanded")).toBe("1\n");
    await store.client.command({ query: "DROP TABLE commanded SYNC" });
    expect(await text("EXISTS TABLE commanded")).toBe("0\n");
  });

  it("exec gives the raw stream, and takes values", async () => {
    const { stream } = await store.client.exec({ query: "SELECT 1 AS a FORMAT CSVWithNames" });
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('"a"\n1\n');
    await table("executed", "a UInt8");
    const values = Readable.from(["1\n", "2\n"], { objectMode: false });
    const inserted = await store.client.exec({ query: "INSERT INTO executed FORMAT CSV", values });
    expect(await inserted.stream.toArray()).toEqual([]);
    expect(await text("SELECT sum(a) FROM executed")).toBe("3\n");
  });

  it("materialized views and ReplacingMergeTree work as on a server", async () => {
    await store.client.command({
      query: "CREATE TABLE events (k String, v UInt64) ENGINE = ReplacingMergeTree(v) ORDER BY k",
    });
    await store.client.command({
      query: "CREATE TABLE sums (k String, n UInt64) ENGINE = SummingMergeTree ORDER BY k",
    });
    await store.client.command({ query: "CREATE MATERIALIZED VIEW to_sums TO sums AS SELECT k, v AS n FROM events" });
    await store.client.insert({
      table: "events",
      values: [
        { k: "a", v: 1 },
        { k: "a", v: 3 },
        { k: "b", v: 5 },
      ],
      format: "JSONEachRow",
    });
    await store.client.insert({ table: "events", values: [{ k: "a", v: 2 }], format: "JSONEachRow" });
    expect(await text("SELECT k, v FROM events FINAL ORDER BY k")).toBe("a\t3\nb\t5\n");
    expect(await text("SELECT k, sum(n) FROM sums GROUP BY k ORDER BY k")).toBe("a\t6\nb\t5\n");
  });
});
