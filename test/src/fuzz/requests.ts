/** The requests of the fuzz test, one for each number, each with what it must be answered. The seed decides them all. */
import { gzipSync } from "node:zlib";
import { OTLP } from "../otlp/schema.ts";
import { judgeJson } from "./judge-json.ts";
import { judgeProtobuf, type Signal } from "./judge-protobuf.ts";
import { mutateJson, mutateProtobuf } from "./mutate.ts";
import { createSeed, pick, type Random, type Seed } from "./payloads.ts";
import type { HttpRequest } from "./pipeline.ts";
import { BAD_BODY, type Verdict } from "./verdict.ts";

export type FuzzRequest = { request: HttpRequest; signal: Signal; isJson: boolean; how: string; verdict: Verdict };

const SIGNALS: readonly Signal[] = ["traces", "logs", "metrics"];
const UNSUPPORTED: Verdict = { statuses: [415], rejected: [0, 0] };
const TYPES = { json: "application/json", protobuf: "application/x-protobuf" };

const SEEDS = 400;

/** A maker of requests; what they begin with is made once. */
export function createRequests(random: Random): () => FuzzRequest {
  const seeds = Array.from({ length: SEEDS }, () => {
    const signal = pick(random, SIGNALS);
    return { signal, seed: createSeed(signal, random) };
  });
  return () => createRequest(seeds, random);
}

function createRequest(seeds: readonly { signal: Signal; seed: Seed }[], random: Random): FuzzRequest {
  const { signal: origin, seed } = pick(random, seeds);
  const wasJson = random() < 0.5;
  const mutated = (wasJson ? mutateJson : mutateProtobuf)(seed, random);
  // Now and then at another signal's path, or called by the other encoding's name.
  const signal = random() < 0.03 ? pick(random, SIGNALS) : origin;
  const isJson = random() < 0.03 ? !wasJson : wasJson;
  const asked = { signal, isJson, how: mutated.how };
  const verdict = isJson ? judgeJson(signal, mutated.body) : judgeProtobuf(signal, mutated.body);
  return dress(asked, mutated.body, verdict, random);
}

/** Puts the body behind its headers: mostly plain, sometimes gzipped, broken gzip, or called what nobody takes. */
function dress(
  asked: Omit<FuzzRequest, "request" | "verdict">,
  body: Buffer,
  verdict: Verdict,
  random: Random,
): FuzzRequest {
  const type = asked.isJson ? TYPES.json : TYPES.protobuf;
  const send = (
    sent: Uint8Array,
    headers: Record<string, string>,
    expected = verdict,
    how = asked.how,
  ): FuzzRequest => ({
    ...asked,
    how,
    verdict: expected,
    request: { head: writeHead(OTLP[asked.signal].path, headers), body: sent },
  });
  const chance = random();
  if (chance < 0.05) return send(gzipSync(body, { level: 1 }), { "content-type": type, "content-encoding": "gzip" });
  if (chance < 0.06) {
    const cut = gzipSync(body).subarray(0, -1 - Math.floor(random() * 8));
    return send(cut, { "content-type": type, "content-encoding": "gzip" }, BAD_BODY, "cut gzip");
  }
  if (chance < 0.07) {
    const other = pick(random, ["text/plain", "application/x-protobuf2", "application/jsonp", "", "application/grpc"]);
    return send(body, { "content-type": other }, UNSUPPORTED, `content type ${other}`);
  }
  if (chance < 0.08) {
    const coding = pick(random, ["br", "zstd", "gzip, gzip", "x"]);
    return send(body, { "content-type": type, "content-encoding": coding }, UNSUPPORTED, `content encoding ${coding}`);
  }
  return send(body, { "content-type": chance < 0.1 ? `${type}; charset=utf-8` : type });
}

const writeHead = (path: string, headers: Record<string, string>): string =>
  [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
  ].join("\r\n");
