/**
 * A realistic export body that is encoded once and stamped for each batch: ids, instants and the values that differ from
 * span to span are written over in place. The same batch number gives the same bytes, so any export can be sent again.
 * A span's id begins with its batch: `prefixOf(batch)`.
 */
import { encodeExport } from "./schema.ts";
import { createRandom, scramble } from "./scramble.ts";

export const SPANS_PER_BATCH = 500;
export const SPANS_PER_TRACE = 25;
const TRACES_PER_BATCH = SPANS_PER_BATCH / SPANS_PER_TRACE;
const VARYING = ["response", "conversation", "request"] as const;
const HEX_DIGITS = Buffer.from("0123456789abcdef");

const TEMPLATES = 4;

type Template = { bytes: Buffer; places: Int32Array };
/** The body of a batch, in a buffer that the next one of the same writer writes over. */
export type BatchWriter = { write(batch: number): Buffer };

/** `startedAtNs` is when batch 0 began; each later one begins a millisecond after the one before. */
export function createBatchWriter(startedAtNs: bigint): BatchWriter {
  const templates = readTemplates().map(({ bytes, places }) => ({ bytes: Buffer.from(bytes), places }));
  return {
    write(batch) {
      const template = templates[batch % TEMPLATES];
      if (template === undefined) throw new Error(`a batch is a whole number, not ${batch}`);
      stampSpans(template, batch, startedAtNs + BigInt(batch) * 1_000_000n);
      return template.bytes;
    },
  };
}

let encoded: Template[] | undefined;
function readTemplates(): Template[] {
  encoded ??= Array.from({ length: TEMPLATES }, (_, number) => {
    const bytes = Buffer.from(encodeExport("traces", describeBatch(number)));
    const places: number[] = [];
    let from = 0;
    for (let index = 0; index < SPANS_PER_BATCH; index += 1) {
      const found = findPlaces(bytes, index, from);
      places.push(...found);
      from = found[0] ?? 0;
    }
    return { bytes, places: Int32Array.from(places) };
  });
  return encoded;
}

/** Runs for every span that is sent, on the machine that is measured: numbers and bytes only. */
function stampSpans({ bytes, places }: Template, batch: number, startNs: bigint): void {
  const high = Number(startNs >> 32n);
  const low = Number(startNs & 0xffffffffn);
  const prefix = prefixWord(batch);
  let place = 0;
  const next = (): number => places[place++] ?? -1;
  for (let index = 0; index < SPANS_PER_BATCH; index += 1) {
    const trace = batch * TRACES_PER_BATCH + Math.floor(index / SPANS_PER_TRACE);
    const root = index - (index % SPANS_PER_TRACE);
    const traceAt = next();
    for (let word = 0; word < 4; word += 1) writeWord(bytes, traceAt + word * 4, traceWord(trace, word));
    writeSpanId(bytes, next(), prefix, suffixOf(batch, index));
    const parentAt = next();
    if (parentAt >= 0) writeSpanId(bytes, parentAt, prefix, suffixOf(batch, root));
    writeInstant(bytes, next(), high, low + index * 1000);
    writeInstant(bytes, next(), high, low + index * 1000 + 750_000);
    for (let salt = 0; salt < VARYING.length; salt += 1)
      writeHex(bytes, next(), scramble(batch * 512 + index + salt * 0x1f123bb5));
  }
}

/** The first eight of the sixteen hex digits of every span id of a batch. */
export const prefixOf = (batch: number): string => hexOf(prefixWord(batch));
/** The trace ids of a batch. */
export const traceIdsOf = (batch: number): string[] =>
  Array.from({ length: TRACES_PER_BATCH }, (_, index) =>
    [0, 1, 2, 3].map((word) => hexOf(traceWord(batch * TRACES_PER_BATCH + index, word))).join(""),
  );

const hexOf = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");
/** Salted, since an id that is all zero is none: `scramble(0)` is 0. */
const prefixWord = (batch: number): number => scramble(batch ^ 0x5bd1e995);
const traceWord = (trace: number, word: number): number => scramble(trace ^ Math.imul(word, 0x51ed270b));
/** A batch has fewer than 2^12 spans, and a run fewer than 2^20 batches. */
const suffixOf = (batch: number, index: number): number => scramble(batch ^ (index << 20));

function writeWord(bytes: Buffer, offset: number, value: number): void {
  bytes[offset] = value >>> 24;
  bytes[offset + 1] = value >>> 16;
  bytes[offset + 2] = value >>> 8;
  bytes[offset + 3] = value;
}

function writeSpanId(bytes: Buffer, offset: number, prefix: number, suffix: number): void {
  writeWord(bytes, offset, prefix);
  writeWord(bytes, offset + 4, suffix);
}

/** A fixed64; `low` may be over 32 bits. */
function writeInstant(bytes: Buffer, offset: number, high: number, low: number): void {
  const carry = low > 0xffffffff ? 1 : 0;
  for (let at = 0; at < 4; at += 1) {
    bytes[offset + at] = low >>> (at * 8);
    bytes[offset + 4 + at] = (high + carry) >>> (at * 8);
  }
}

function writeHex(bytes: Buffer, offset: number, value: number): void {
  for (let digit = 0; digit < 8; digit += 1) bytes[offset + digit] = HEX_DIGITS[(value >>> (28 - digit * 4)) & 15] ?? 0;
}

/** Stand-ins, each unique in the body, that `findPlaces` finds again. */
const mark = (kind: string, index: number): string =>
  `${kind}-${index.toString(36).padStart(8 - kind.length - 1, "0")}`;
const markInstant = (kind: string, index: number): string =>
  Buffer.from(mark(kind, index)).readBigUInt64LE().toString();

/** Where a span's trace id, own id, parent's id, instants and varying values are; -1 for a parent that it has not. */
function findPlaces(bytes: Buffer, index: number, from: number): number[] {
  const start = bytes.indexOf(`trace-id${mark("tr", index)}`, from);
  const values = VARYING.map((_, number) => mark(`~${number}`, index));
  const marks = [mark("sp", index), mark("pa", index), mark("st", index), mark("en", index), ...values];
  return [start, ...marks.map((text) => bytes.indexOf(text, start))];
}

type Value = string | number;
const toAttributes = (values: Record<string, Value>) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === "string"
        ? { stringValue: value }
        : Number.isInteger(value)
          ? { intValue: value }
          : { doubleValue: value },
  }));

function describeBatch(template: number): Record<string, unknown> {
  const random = createRandom(template + 1);
  const resource = toAttributes({
    "service.name": template % 2 === 0 ? "repair-agent" : "inference-engine",
    "service.version": "2.4.1",
    "deployment.environment.name": "production",
    "host.name": `node-${template}.eu-west.internal`,
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.name": "opentelemetry",
  });
  const spans = Array.from({ length: SPANS_PER_BATCH }, (_, index) => describeSpan(index, random));
  return {
    resourceSpans: [
      { resource: { attributes: resource }, scopeSpans: [{ scope: { name: "agent", version: "1.9.0" }, spans }] },
    ],
  };
}

/** Of a trace's spans one is the agent's, every sixth a model call, the others steps below it. All have 15 attributes. */
function describeSpan(index: number, random: () => number): Record<string, unknown> {
  const place = index % SPANS_PER_TRACE;
  const isRoot = place === 0;
  const isCall = !isRoot && place % 6 === 0;
  const name = isRoot ? "invoke_agent repair" : isCall ? "chat scripted-strong" : "inference.decode";
  const [response, conversation, request] = VARYING.map(
    (word, number) => `${word}_${hexOf(random() * 2 ** 32)}${hexOf(random() * 2 ** 32)}${mark(`~${number}`, index)}`,
  );
  return {
    traceId: Buffer.from(`trace-id${mark("tr", index)}`),
    spanId: Buffer.from(mark("sp", index)),
    ...(isRoot ? {} : { parentSpanId: Buffer.from(mark("pa", index)) }),
    name,
    kind: isCall ? 3 : 1,
    startTimeUnixNano: markInstant("st", index),
    endTimeUnixNano: markInstant("en", index),
    flags: 0x101,
    attributes: toAttributes({
      "code.function.name": "inference.scheduler.continuous_batching.run_decode_step",
      "gen_ai.request.model": random() < 0.7 ? "scripted-strong" : "scripted-cheap",
      "gen_ai.agent.name": "github.com/acme/payments-service/agents/repair",
      "gen_ai.response.id": response ?? "",
      "gen_ai.conversation.id": conversation ?? "",
      "http.request.id": request ?? "",
      "centspan.layer": isRoot ? "harness" : isCall ? "api" : "inference",
      "centspan.task.id": `TICKET-${Math.floor(random() * 400)}`,
      "centspan.team.id": ["payments", "search", "platform"][Math.floor(random() * 3)] ?? "",
      "url.full": "https://gateway.eu-west.internal.example.com/v1/responses",
      "server.port": 4000,
      ...(isCall ? describeCall(random) : describeStep(random)),
    }),
    status: { code: random() < 0.02 ? 2 : 0 },
  };
}

const describeCall = (random: () => number): Record<string, Value> => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.usage.input_tokens": 800 + Math.floor(random() * 20_000),
  "gen_ai.usage.output_tokens": 20 + Math.floor(random() * 900),
  "gen_ai.request.temperature": 0.25,
});

const describeStep = (random: () => number): Record<string, Value> => ({
  "centspan.decode.batch_size": 1 + Math.floor(random() * 64),
  "centspan.decode.tokens": 1,
  "centspan.kv.blocks": Math.floor(random() * 4096),
  "centspan.step.seconds": 0.0125,
});
