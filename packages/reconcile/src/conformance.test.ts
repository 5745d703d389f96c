/** Every format reads its own file and no other's, to the last digit, and refuses it broken, naming row and field. */
import { formatDecimal } from "@centspan/base";
import { describe, expect, it } from "vitest";
import { readInvoice } from "./index.ts";
import { readLineItem } from "./line-item.ts";
import { openFile } from "./open-file.ts";
import { readUsd } from "./read-values.ts";
import { invoiceFormats } from "./registry.gen.ts";
import { SAMPLES, type Sample } from "./testing/samples.ts";

const sampleOf = (id: string): Sample => {
  const sample = SAMPLES[id];
  if (sample === undefined) throw new Error(`${id} has no sample in testing/samples.ts`);
  return sample;
};

describe.each(invoiceFormats)("$id", ({ id }) => {
  const { text, lines } = sampleOf(id);

  it("is recognised by nobody else, and read exactly", () => {
    const file = openFile("october", text);
    expect(invoiceFormats.filter((format) => format.recognises(file)).map((format) => format.id)).toEqual([id]);
    const read = readInvoice("october", text);
    expect(read.format.id).toBe(id);
    expect(read.lines.map(({ meter, quantity, cost }) => [meter, quantity, cost && formatDecimal(cost.usd)])).toEqual(
      lines,
    );
    for (const { day, kind } of read.lines) expect([day, kind]).toEqual(["2026-10-01", "usage"]);
  });

  it("with a field or column more, or a wrong number, is refused by name", () => {
    const wider = text.startsWith("{")
      ? text.replace('"results":[{', '"results":[{"surprise":1,')
      : text.replace(/\r?\n/g, ",surprise\n").replace(/^([^\n]*)$/m, "$1");
    expect(() => readInvoice("october", wider)).toThrow(/october: .*surprise/);
    const isJson = text.startsWith("{");
    const broken = isJson
      ? text.replace(/"(value|output_tokens|amount)":"?[\d.]+"?/, '"$1":"ten"')
      : text.replace(/(,1e-07,|,0\.05,0\.05|,10,0,0|^0\.25)/m, (found) => found.replace(/[\d.e-]+/, "ten"));
    expect(broken).not.toBe(text);
    expect(() => readInvoice("october", broken)).toThrow(/^october: \S.*: \w+: .*(ten|is not a number)/);
  });
});

it.each<[why: string, name: string, change: (text: string) => string, message: RegExp]>([
  [
    "a negative count",
    "openai-usage",
    (t) => t.replace("1000", "-1"),
    /data.0.results.0: input_tokens: -1 is not a count/,
  ],
  [
    "a fractional count",
    "anthropic-usage",
    (t) => t.replace("1500", "1500.5"),
    /uncached_input_tokens: 1500.5 is not a count/,
  ],
  ["an absurd count", "openai-usage", (t) => t.replace(":500", ":1e16"), /output_tokens: 1e16 is not a count/],
  ["more cached than there was", "openai-usage", (t) => t.replace(":800", ":8000"), /results.0: input_cached_tokens/],
  [
    "another currency",
    "openai-costs",
    (t) => t.replace("usd", "eur"),
    /data.0.results.0: amount.currency: eur is not USD/,
  ],
  ["an unknown currency", "focus", (t) => t.replace("USD", "XXQ"), /row 2: BillingCurrency: "XXQ" is not USD/],
  ["a token type that is new", "anthropic-costs", (t) => t.replace("ephemeral_1h", "ephemeral_9h"), /token_type/],
  ["one page of several", "openai-costs", (t) => t.replace('"has_more":false', '"has_more":true'), /has_more: is true/],
  ["a bucket of a week", "openai-costs", (t) => t.replace("1790899200", "1791417600"), /end_time: is not within/],
  [
    "a column that is gone",
    "anthropic-costs-csv",
    (t) => t.replace(",api_key,", ",key,"),
    /header: api_key: is missing/,
  ],
  [
    "a column twice",
    "anthropic-costs-csv",
    (t) => t.replace("list_price_usd", "cost_usd"),
    /header: cost_usd: is there twice/,
  ],
  [
    "a row that is short",
    "anthropic-usage-csv",
    (t) => t.replace(",3,", ""),
    /row 2: usage_output_tokens: has 8 fields/,
  ],
  ["a day that the calendar lacks", "anthropic-usage-csv", (t) => t.replace("10-01", "02-30"), /row 2: usage_date_utc/],
  ["an amount with a comma", "focus", (t) => t.replace("0.25", '"0,25"'), /row 2: BilledCost: "0,25" is not an amount/],
  ["a format of nobody's", "focus", (t) => t.replace("BilledCost", "Cost"), /is none of the known formats/],
  ["broken JSON", "openai-costs", (t) => t.slice(0, -2), /october: can't be read/],
  [
    "a wrong value below empty lines and line ends of another system",
    "anthropic-usage-csv",
    (t) => t.replace(",3,", ",x,").replace("\n", "\r\n\r\n\r\n"),
    /row 4: usage_output_tokens: "x" is not a count/,
  ],
  [
    "an amount with thousands apart",
    "focus",
    (t) => t.replace("0.25", '"1,234.56"'),
    /row 2: BilledCost: "1,234.56" is/,
  ],
  ["columns apart by semicolons", "anthropic-usage-csv", (t) => t.replaceAll(",", ";"), /is none of the known formats/],
  ["text of another encoding", "focus", (t) => t.replace("OpenAI", "Open\uFFFDAI"), /october: file: is not UTF-8/],
  ["a header alone", "focus", (t) => t.split("\n")[0] ?? "", /october: has no lines/],
  ["nothing at all", "focus", () => "", /october: can't be read: is empty/],
])("%s is refused, with file, row and field", (_why, id, change, message) => {
  const { text } = sampleOf(id);
  expect(change(text)).not.toBe(text);
  expect(() => readInvoice("october", change(text))).toThrow(message);
});

it.each([
  ["Credit", "", "", "credit"],
  ["Usage", "", "", "credit"],
  ["Usage", "Correction", "", "correction"],
  ["Adjustment", "", "", "adjustment"],
  ["Tax", "", "", "adjustment"],
  ["Purchase", "", "", "commitment"],
  ["Usage", "", "Unused", "commitment"],
])("%s %s %s below zero in FOCUS data is %s", (category, chargeClass, status, kind) => {
  const [header, row] = sampleOf("focus").text.split("\n");
  const changed = row?.replace("0.25", "-0.25").replace(",Usage,", `,${category},`);
  const text = `${header},ChargeClass,CommitmentDiscountStatus\n${changed},${chargeClass},${status}`;
  expect(readInvoice("october", text).lines[0]?.kind).toBe(kind);
});

it("takes what a commitment covers for usage at its price, less what the commitment pays", () => {
  const [header, row] = sampleOf("focus").text.split("\n");
  const text = `${header},CommitmentDiscountStatus,ContractedCost\n${row?.replace("0.25", "0.0")},Used,0.25`;
  const { lines } = readInvoice("october", text);
  expect(lines.map(({ kind, quantity, cost }) => [kind, quantity, cost && formatDecimal(cost.usd)])).toEqual([
    ["usage", 250_000, "0.25"],
    ["commitment", null, "-0.25"],
  ]);
});

it.each([
  ["2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z", "2026-10-01"],
  // Seoul, Honolulu, and Auckland in summer, on the day on which that begins, and in winter.
  ["2026-09-30T15:00:00Z", "2026-10-01T15:00:00Z", "2026-10-01"],
  ["2026-10-01T10:00:00Z", "2026-10-02T10:00:00Z", "2026-10-01"],
  ["2026-10-31T11:00:00Z", "2026-11-01T11:00:00Z", "2026-11-01"],
  ["2026-09-26T12:00:00Z", "2026-09-27T11:00:00Z", "2026-09-27"],
  ["2026-07-31T12:00:00Z", "2026-08-01T12:00:00Z", "2026-08-01"],
  ["2026-10-01T20:00:00Z", "2026-10-01T21:00:00Z", "2026-10-01"],
])("takes FOCUS data from %s to %s for the day %s", (from, to, day) => {
  const text = sampleOf("focus").text.replace("2026-09-30T15:00:00Z", from).replace("2026-10-01T15:00:00Z", to);
  expect(readInvoice("october", text).lines[0]?.day).toBe(day);
});

it("reads names that FOCUS data has a quote before, as they are", () => {
  const text = sampleOf("focus").text.replace(/gpt-4.1$/, "'@cf/meta/llama-4");
  expect(readInvoice("october", text).lines[0]?.model).toBe("@cf/meta/llama-4");
});

it.each([
  ["0.8958740000000000", 16],
  ["1.5e-3", 4],
  ["1E-07", 7],
  ["12e3", 0],
  ["-3.10", 2],
])("%s is written with %i decimals", (text, decimals) => expect(readUsd(text)?.decimals).toBe(decimals));

it.each([
  ["gpt-4.1-2025-04-14, cached input", "gpt-4.1-2025-04-14", "cache_read"],
  ["web search tool calls", null, "web_search"],
  ["gpt-5, web search tool calls", "gpt-5", "web_search"],
  ["Credit grant", "Credit grant", null],
  [null, null, null],
])("the line item %s is of model %s and meter %s", (item, model, meter) => {
  expect(readLineItem(item)).toEqual({ model, meter });
});

it("reads OpenAI's amounts as numbers and as text", () => {
  const { text } = sampleOf("openai-costs");
  const asText = text.replace(/"value":([\d.]+)/, '"value":"$1"');
  expect(asText).not.toBe(text);
  expect(readInvoice("october", asText).lines).toEqual(readInvoice("october", text).lines);
});
