import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BLOCK_COLUMNS, createBlockBuilder, transcodeJson } from "@centspan/ingest";
import { openGate } from "@centspan/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWarehouse, type Warehouse } from "./index.ts";
import { useWarehouse } from "./testing/create-warehouse.ts";
import { selectBlock } from "./testing/native-block.ts";
import { spanId, traceId } from "./testing/records.ts";

const test = useWarehouse();
let traces = 0;

/** `spans` spans of one trace, whose name is `name`, without their hashes: as earlier versions left them in spools. */
const makeBlock = (trace: string, spans: number, name = "chat", workspace = "w") => {
  const known: Record<string, string> = {
    workspace: `'${workspace}'`,
    trace_id: `'${trace}'`,
    span_id: "leftPad(hex(number + 1), 16, '0')",
    name: `'${name}'`,
    status: "'ok'",
    started_at: "toDateTime64('2026-11-29 12:00:00', 9, 'UTC') + number",
    attributes: "map('a', toString(number))",
  };
  const sent = BLOCK_COLUMNS.spans.filter((column) => column.name !== "content_hash");
  const columns = sent.map(({ name: column, type }) => {
    const value = known[column];
    const typed = value === undefined ? `defaultValueOfTypeName('${type.replaceAll("'", "\\'")}')` : value;
    return `CAST(${typed}, '${type.replaceAll("'", "\\'")}') AS ${column}`;
  });
  return selectBlock(test.url, `SELECT ${columns.join(", ")} FROM numbers(${spans}) SETTINGS max_block_size = 1000`);
};
const describeSpan = (trace: string) => ({
  resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: trace, spanId: "ff".repeat(8), name: "own" }] }] }],
});
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

it("brings the hashes that the server would compute", async () => {
  const text = fc.string({ maxLength: 150, unit: "grapheme" });
  const attributes = fc.array(fc.record({ key: text, value: fc.record({ stringValue: text }) }), { maxLength: 5 });
  const id = (digits: number) => fc.integer({ min: 1 }).map((n) => n.toString(16).padStart(digits, "0"));
  const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const instant = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
  const span = fc.record(
    {
      traceId: fc.constant(traceId(++traces)),
      spanId: id(16),
      parentSpanId: id(16),
      traceState: text,
      flags: count,
      name: text,
      kind: fc.integer({ min: 0, max: 5 }),
      startTimeUnixNano: instant,
      endTimeUnixNano: instant,
      status: fc.record({ code: fc.integer({ min: 0, max: 2 }), message: text }),
      attributes,
      events: fc.array(fc.record({ timeUnixNano: instant, name: text, attributes }), { maxLength: 3 }),
      links: fc.array(fc.record({ traceId: id(32), spanId: id(16), attributes }), { maxLength: 3 }),
      droppedAttributesCount: count,
      droppedEventsCount: count,
      droppedLinksCount: count,
    },
    { requiredKeys: ["traceId", "spanId"] },
  );
  const scopeSpans = fc.record({ scope: fc.record({ name: text, version: text }), spans: fc.array(span) });
  const resourceSpans = fc.record({ resource: fc.record({ attributes }), scopeSpans: fc.array(scopeSpans) });
  const builder = createBlockBuilder("spans");
  for (const one of fc.sample(resourceSpans, 200)) {
    const { body } = transcodeJson("traces", Buffer.from(JSON.stringify({ resourceSpans: [one] })));
    builder.add("hashed", body);
  }
  const { rows } = builder;
  expect(rows).toBeGreaterThan(100);
  await test.warehouse.insertBlock("spans", builder.take(), "hashes");
  expect(await countHashes("hashed")).toEqual({ rows, same: rows });
});

/** Rows of a workspace, and those whose hash is what the server would compute. */
async function countHashes(workspace: string) {
  const [column] = await test.connection.query<{ expression: string }>(
    `SELECT default_expression AS expression FROM system.columns
     WHERE database = currentDatabase() AND table = 'spans' AND name = 'content_hash'`,
  );
  const [found] = await test.connection.query<{ rows: string; same: string }>(
    `SELECT count() AS rows, countIf(content_hash = ${column?.expression}) AS same
     FROM spans WHERE workspace = {workspace:String}`,
    { workspace },
  );
  return { rows: Number(found?.rows), same: Number(found?.same) };
}

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

  it("may be of frames with their hashes and of frames without", async () => {
    const trace = nextTrace();
    const builder = createBlockBuilder("spans");
    builder.add(trace, transcodeJson("traces", Buffer.from(JSON.stringify(describeSpan(trace)))).body);
    const [old, own] = [await makeBlock(trace, 2, "chat", trace), builder.take()];
    const joined = {
      rows: old.rows + own.rows,
      bytes: old.bytes + own.bytes,
      async *read() {
        yield* old.read();
        yield* own.read();
        yield* old.read();
      },
    };
    await warehouse.insertBlock("spans", joined, "block-10");
    expect(await countHashes(trace)).toEqual({ rows: 5, same: 5 });
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
