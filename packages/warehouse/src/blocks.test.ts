import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BLOCK_COLUMNS } from "@centspan/ingest";
import { openGate } from "@centspan/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWarehouse, type Warehouse } from "./index.ts";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { selectBlock } from "./testing/native-block.ts";
import { spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
let traces = 0;

/** `spans` spans of one trace, whose name is `name`. */
const makeBlock = (trace: string, spans: number, name = "chat") => {
  const known: Record<string, string> = {
    workspace: "'w'",
    trace_id: `'${trace}'`,
    span_id: "leftPad(hex(number + 1), 16, '0')",
    name: `'${name}'`,
    status: "'ok'",
    started_at: "toDateTime64('2026-11-29 12:00:00', 9, 'UTC') + number",
    attributes: "map('a', toString(number))",
  };
  const columns = BLOCK_COLUMNS.spans.map(({ name: column, type }) => {
    const value = known[column];
    const typed = value === undefined ? `defaultValueOfTypeName('${type.replaceAll("'", "\\'")}')` : value;
    return `CAST(${typed}, '${type.replaceAll("'", "\\'")}') AS ${column}`;
  });
  return selectBlock(test.url, `SELECT ${columns.join(", ")} FROM numbers(${spans}) SETTINGS max_block_size = 1000`);
};
const countRows = async (trace: string) => {
  const [row] = await test.connection.query<{ rows: string; parts: string }>(
    "SELECT count() AS rows, uniqExact(_part) AS parts FROM spans WHERE trace_id = {trace:String}",
    { trace },
  );
  return { rows: Number(row?.rows), parts: Number(row?.parts) };
};

it("that can't be written where the store would read it waits for better times", async () => {
  const warehouse = openWarehouse({ url: test.url, blockFolder: mkdtempSync(join(tmpdir(), "centspan-blocks-")) });
  const block = await makeBlock(traceId(++traces), 1);
  const broken = {
    ...block,
    read: async function* () {
      yield new Uint8Array(1);
      throw new Error("no space left on device");
    },
  };
  await expect(warehouse.insertBlock("spans", broken, "block-8")).rejects.toMatchObject({ code: "store_unavailable" });
  await warehouse.close();
});

it("waits for its folder, and goes in once that can be made", async () => {
  const inTheWay = join(mkdtempSync(join(tmpdir(), "centspan-blocks-")), "file");
  writeFileSync(inTheWay, "");
  const warehouse = openWarehouse({ url: test.url, blockFolder: join(inTheWay, "folder") });
  const trace = traceId(++traces);
  const block = await makeBlock(trace, 1);
  await expect(warehouse.insertBlock("spans", block, "block-9")).rejects.toMatchObject({ code: "store_unavailable" });
  rmSync(inTheWay);
  await warehouse.insertBlock("spans", block, "block-9");
  expect((await countRows(trace)).rows).toBe(1);
  await warehouse.close();
});

describe.each(["as a body", "by path"])("a block that goes %s", (way) => {
  let warehouse: Warehouse;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "centspan-blocks-"));
    warehouse = openBehind(test.url);
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(folder, { recursive: true });
  });
  const openBehind = (url: string) => openWarehouse({ url, ...(way === "by path" && { blockFolder: folder }) });
  const nextTrace = () => traceId(++traces);

  it("becomes one part, with what the server computes beside it", async () => {
    const trace = nextTrace();
    await warehouse.insertBlock("spans", await makeBlock(trace, 5000), "block-1");
    expect(await countRows(trace)).toEqual({ rows: 5000, parts: 1 });
    const [computed] = await test.connection.query(
      `SELECT uniqExact(content_hash) AS contents, uniqExact(received_at) AS receipts,
         abs(dateDiff('second', min(received_at), now64(9))) < 60 AS now FROM spans WHERE trace_id = {trace:String}`,
      { trace },
    );
    expect(computed).toEqual({ contents: "5000", receipts: "1", now: 1 });
    expect((await test.warehouse.readTrace("w", trace)).spans).toHaveLength(5000);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("changes nothing when it comes again, under its token or inside another block; other content is flagged", async () => {
    const trace = nextTrace();
    const block = await makeBlock(trace, 3);
    for (const token of ["block-2", "block-2", "block-3"]) await warehouse.insertBlock("spans", block, token);
    const before = await test.warehouse.readTrace("w", trace);
    expect(before.spans).toHaveLength(3);
    expect(before.conflictingSpanIds).toEqual([]);
    await warehouse.insertBlock("spans", await makeBlock(trace, 2, "changed"), "block-4");
    const after = await test.warehouse.readTrace("w", trace);
    expect(after).toEqual({ spans: before.spans, conflictingSpanIds: [spanId(1), spanId(2)] });
  });

  it("may be tried again by whoever could not be told what became of it", async () => {
    const trace = nextTrace();
    const gate = await openGate(test.url);
    const behind = openBehind(gate.url);
    const block = await makeBlock(trace, 10);
    await gate.shut();
    await expect(behind.insertBlock("spans", block, "block-5")).rejects.toMatchObject({ code: "store_unavailable" });
    await gate.open();
    await behind.insertBlock("spans", block, "block-5");
    await behind.close();
    await gate.shut();
    expect((await test.warehouse.readTrace("w", trace)).spans).toHaveLength(10);
  });

  it("that is none, or of another table, is refused for good", async () => {
    const trace = nextTrace();
    const block = await makeBlock(trace, 1);
    const broken = {
      ...block,
      read: async function* () {
        yield new Uint8Array([1, 200, 3]);
      },
    };
    for (const attempt of [
      () => warehouse.insertBlock("spans", broken, "block-6"),
      () => warehouse.insertBlock("logs", block, "block-7"),
    ]) {
      const failure = await attempt().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(failure).toBeInstanceOf(Error);
      expect(failure).not.toMatchObject({ code: "store_unavailable" });
    }
    await expect(warehouse.insertBlock("spans", block, "a'b")).rejects.toThrow(/plain name/);
    expect((await test.warehouse.readTrace("w", trace)).spans).toEqual([]);
  });
});
