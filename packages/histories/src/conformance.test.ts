/** What every format must do, over the registry: a new file is tested without editing this one. */
import type { HistoryMemory } from "@centspan/model";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHistoryImport, historyFormats } from "./index.ts";

const createMemory = (): HistoryMemory => {
  const entries = new Map<string, string>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => void entries.set(key, value),
    has: (key) => entries.has(key),
  };
};

const PATHS = ["a/b.jsonl", "rollout-2026-11-20T10-00-00-x.jsonl", "a/rollout-x.jsonl.zst", "a/agent-1.jsonl"];

describe.each(historyFormats)("$id", (format) => {
  const path = PATHS.find((candidate) => format.describeFile(candidate) !== null) ?? "";
  const open = (saved: unknown = null, memory = createMemory()) =>
    format.openReader({ path, companion: null, saved, memory, keepsContent: false });

  it("names itself, its agent and its places, which are below a home or a variable", () => {
    expect(format.id).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(historyFormats.filter(({ id }) => id === format.id).length).toBe(1);
    expect([format.describe, format.agent].every((text) => text.length > 2)).toBe(true);
    expect(format.places.length).toBeGreaterThan(0);
    for (const { folder } of format.places) expect(folder).toMatch(/^[^/\\].*[^/\\]$/);
    expect(format.places.some(({ variable }) => variable === undefined)).toBe(true);
  });

  it("knows its files by their names, and no others", () => {
    expect(path).not.toBe("");
    for (const other of ["notes.md", "a/b.json", "jsonl", ""]) expect(format.describeFile(other)).toBeNull();
    expect(format.describeFile(path)).toMatchObject({ identity: expect.any(String), order: expect.any(String) });
  });

  it("says nothing of an empty file, and remembers what JSON can hold", () => {
    const reader = open();
    expect(reader.close()).toEqual([]);
    const saved: unknown = JSON.parse(JSON.stringify(reader.save()));
    expect(open(saved).save()).toEqual(reader.save());
  });

  it("takes whatever a line is: it names what is wrong, and never throws", () => {
    const names = fc.constantFrom("type", "payload", "message", "usage", "timestamp", "content", "info", "id", "uuid");
    const kinds = fc.constantFrom(
      "assistant",
      "user",
      "system",
      "progress",
      "event_msg",
      "response_item",
      "token_count",
    );
    const value = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { depthSize: "small", maxDepth: 5 },
        kinds,
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(names, tie("json"), { maxKeys: 5 }),
      ),
    })).json;
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            value.map((json) => JSON.stringify(json)),
            fc.string(),
          ),
          { maxLength: 12 },
        ),
        (lines) => {
          const reader = open();
          for (const [index, line] of lines.entries()) {
            const said = reader.readLine(line, index + 1);
            if ("problem" in said) expect(said.line).toBe(index + 1);
          }
          const saved: unknown = JSON.parse(JSON.stringify(reader.save()));
          expect(JSON.stringify(open(saved).close().length)).toBe(JSON.stringify(reader.close().length));
        },
      ),
    );
  });

  it("reads bytes cut anywhere as one, and counts what it cannot read", () => {
    const text = '{"broken\n[1]\n\n{"type":"x"}\n{"typ';
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const histories = createHistoryImport({ ledger: null });
        const file = histories.openFile({ format, path, companion: null, progress: null });
        const bytes = Buffer.from(text);
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (const [index, edge] of edges.entries()) file.take(bytes.subarray(edges[index - 1] ?? 0, edge));
        file.end(false);
        expect(histories.receipt()).toMatchObject({ lines: 4, bytes: bytes.length, unfinishedLines: 1 });
        expect(file.save().bytes).toBe(text.lastIndexOf("\n") + 1);
      }),
    );
  });
});
