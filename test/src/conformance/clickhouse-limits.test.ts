import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../stack/processes.ts";
import { useStore } from "./server.ts";

const store = useStore();

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
    const response = await store.post(query);
    expect(response.status).toBe(status);
    expect(response.headers.get("x-clickhouse-exception-code")).toBe(code);
    expect(await response.text()).toMatch(new RegExp(`^Code: ${code}\\. DB::Exception: [^]*\\(${type}\\) \\(version `));
    if (query !== "") await expect(store.client.command({ query })).rejects.toMatchObject({ code, type });
  });

  it("within a result reaches the reader of its rows", async () => {
    const result = await store.client.query({
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
    const response = await store.post(
      "SELECT throwIf(number = 2000000) FROM numbers(3000000)",
      { enable_http_compression: "1" },
      { headers: { "Accept-Encoding": "gzip" } },
    );
    const text = response.text();
    await expect(text.then((all) => all.includes("__exception__") && Promise.reject(all))).rejects.toBeDefined();
  });

  it("after a wait for the end has its own status", async () => {
    const response = await store.post("SELECT throwIf(number = 2000000) FROM numbers(3000000)", {
      wait_end_of_query: "1",
    });
    expect(response.status).toBe(500);
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("395");
  });

  it("a query over its time limit is stopped", async () => {
    const query = "SELECT count() FROM numbers(1000000000000)";
    await expect(store.rows(query, { clickhouse_settings: { max_execution_time: 1 } })).rejects.toMatchObject({
      code: "159",
      type: "TIMEOUT_EXCEEDED",
    });
  });
});

describe("read only", () => {
  const settings = { readonly: "1", max_execution_time: 5 } as const;

  beforeAll(() => store.client.command({ query: "CREATE TABLE guarded (a UInt8) ENGINE = MergeTree ORDER BY a" }));

  it("reads with its limits in force", async () => {
    expect(await store.rows("SELECT count() AS n FROM guarded", { clickhouse_settings: settings })).toHaveLength(1);
    const [row] = await store.rows<{ v: unknown }>("SELECT getSetting('max_execution_time') AS v", {
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
    const response = await store.post(query, { readonly: "1", max_execution_time: "5" });
    expect(await response.text()).toContain("(READONLY)");
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("164");
  });

  it("is what a GET is", async () => {
    const query = new URLSearchParams({ query: "INSERT INTO guarded VALUES (1)", database: store.database });
    const response = await fetch(`${store.url}/?${query}`);
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("164");
    expect(await store.rows("SELECT count() AS n FROM guarded")).toEqual([
      { n: expect.toSatisfy((n) => Number(n) === 0) },
    ]);
  });
});

describe("side by side", () => {
  const endless = () => `SELECT count() FROM numbers(1000000000000) WHERE number != ${Math.trunc(Math.random() * 1e9)}`;

  async function isRunning(query: string): Promise<boolean> {
    const found = await store.rows("SELECT 1 FROM system.processes WHERE startsWith(query, {q:String})", {
      query_params: { q: query },
    });
    return found.length > 0;
  }

  it("endless queries delay neither inserts nor small queries, and end with their client", async () => {
    await store.client.command({ query: "CREATE TABLE beside (n UInt32) ENGINE = MergeTree ORDER BY n" });
    const query = endless();
    const aborts = Array.from({ length: 6 }, () => new AbortController());
    const settled: string[] = [];
    const slow = aborts.map(({ signal }) =>
      store.client.query({ query, abort_signal: signal, format: "JSONEachRow" }).catch(() => settled.push("slow")),
    );
    await until("the endless queries run", async () => ((await isRunning(query)) ? true : undefined));
    for (let n = 0; n < 20; n += 1) {
      await store.client.insert({ table: "beside", values: [{ n }], format: "JSONEachRow" });
      await store.rows("SELECT 1");
      settled.push("quick");
    }
    expect(settled).toEqual(Array(20).fill("quick"));
    for (const abort of aborts) abort.abort();
    await Promise.all(slow);
    await until("the endless queries end", async () => ((await isRunning(query)) ? undefined : true));
    expect(await store.rows("SELECT toUInt32(count()) AS n FROM beside")).toEqual([{ n: 20 }]);
  });

  it("a result that is not read to its end is computed no further", async () => {
    const query = `SELECT number FROM numbers(100000000000) WHERE number != ${Math.trunc(Math.random() * 1e9)}`;
    const result = await store.client.query({ query, format: "JSONEachRow" });
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
        async (_, n) => (await store.rows<{ n: number }>("SELECT {n:UInt32} AS n", { query_params: { n } }))[0]?.n,
      ),
    );
    expect(answers).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });
});
