/**
 * `GET /v1/models`: what all upstreams serve, as far as the key may ask for it, in the shape of the upstream that answers
 * first in order; `GET /v1/models/{id}`: one of them. Nothing is remembered: an upstream that is away is left out.
 */
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { asCentspanError, CentspanError } from "@centspan/base";
import { matchesModel } from "@centspan/model";
import { z } from "zod";
import type { PassOptions } from "./pass-on.ts";
import { authenticate } from "./stages/admit.ts";
import { selectRequestHeaders } from "./upstream/upstream.ts";
import type { Group } from "./upstream/upstreams.ts";

const listSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
type ModelList = z.infer<typeof listSchema>;

export async function listModels(request: IncomingMessage, options: PassOptions): Promise<ModelList> {
  const { rules } = await authenticate(request.headers, options.admit.credentials);
  const asked = await Promise.allSettled(options.upstreams.groups.map((group) => askGroup(group, request)));
  const lists = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const [first] = lists;
  if (first === undefined)
    throw asCentspanError(asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []))[0]);
  const mayAsk = (id: string): boolean => rules.models?.some((pattern) => matchesModel(pattern, id)) ?? true;
  const models = new Map(lists.flatMap(({ data }) => data).map((model) => [model.id, model]));
  const data = [...models.values()].filter(({ id }) => mayAsk(id));
  return {
    ...first,
    data,
    ...("has_more" in first && { first_id: data[0]?.id, last_id: data.at(-1)?.id, has_more: false }),
  };
}

export async function findModel(request: IncomingMessage, id: string, options: PassOptions): Promise<unknown> {
  const { data } = await listModels(request, options);
  const model = data.find((one) => one.id === id);
  if (model === undefined)
    throw new CentspanError("not_found", `model: no upstream serves ${JSON.stringify(id)}`, { field: "model" });
  return model;
}

/** The first of the replicas that answers. */
async function askGroup({ replicas, serves }: Group, { headers }: IncomingMessage): Promise<ModelList> {
  let failure: unknown;
  for (const { upstream } of replicas) {
    // Whole, where it would come by the page.
    const path = upstream.provider === "anthropic" ? "/v1/models?limit=1000" : "/v1/models";
    try {
      const selected = { ...selectRequestHeaders(headers, upstream), "accept-encoding": "identity" };
      const sent = upstream.send({ method: "GET", path, headers: selected, body: null });
      const answer = await sent.answer;
      const body = await json(answer.body).catch(() => null);
      const list = listSchema.safeParse(body);
      if (list.success) return { ...list.data, data: list.data.data.filter(({ id }) => serves(id)) };
      failure = new CentspanError(
        "upstream_failed",
        `${upstream.provider}: answered ${answer.statusCode} without a list of models`,
      );
    } catch (thrown) {
      failure = thrown;
    }
  }
  throw failure;
}
