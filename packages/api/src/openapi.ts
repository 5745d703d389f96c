/** The OpenAPI 3.1 document, made from the route table: what is not in a schema is not in the API. */
import { ERRORS } from "@centspan/base";
import { z } from "zod";
import type { Route } from "./route.ts";
import { healthSchema } from "./use-cases/read-health.ts";

const toJsonSchema = (schema: z.ZodType, io: "input" | "output"): Record<string, unknown> => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
};

export function describeApi(routes: readonly Route[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {
    "/health": {
      get: {
        operationId: "health",
        summary: "Whether the stores answer and how far rating has come",
        security: [],
        responses: { "200": answerOf(healthSchema), "503": answerOf(healthSchema) },
      },
    },
  };
  for (const route of routes) {
    const entry = paths[route.path] ?? {};
    paths[route.path] = entry;
    entry[route.method.toLowerCase()] = describeRoute(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Centspan Trace API",
      version: "1",
      description: "Money and 64-bit integers are strings; times are ISO 8601.",
    },
    servers: [{ url: "/api/v1" }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: {
        Problem: {
          type: "object",
          required: ["type", "title", "status", "code", "detail", "remedy"],
          properties: {
            type: { type: "string" },
            title: { type: "string" },
            status: { type: "integer" },
            code: { enum: Object.keys(ERRORS) },
            detail: { type: "string" },
            remedy: { type: "string" },
            field: { type: "string" },
          },
        },
      },
    },
  };
}

const answerOf = (schema: z.ZodType) => ({
  description: "the answer",
  content: { "application/json": { schema: toJsonSchema(schema, "output") } },
});

const answerIn = (types: readonly string[]) => ({
  description: "the answer",
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: "string", format: "binary" } }])),
});

type Parameter = { name: string; in: "path" | "query"; required: boolean; schema: object };

export function listParameters(route: Route): Parameter[] {
  const query = toJsonSchema(route.query, "input");
  const required = z.array(z.string()).catch([]).parse(query.required);
  const properties = z.record(z.string(), z.looseObject({})).catch({}).parse(query.properties);
  return [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(
      ([, name = ""]): Parameter => ({ name, in: "path", required: true, schema: { type: "string" } }),
    ),
    ...Object.entries({ ...properties, workspace: { type: "string" } }).map(
      ([name, schema]): Parameter => ({ name, in: "query", required: required.includes(name), schema }),
    ),
  ];
}

function describeRoute(route: Route): Record<string, unknown> {
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.needs !== null && { description: `Needs the permission \`${route.needs}\`.` }),
    ...(route.hasToken && { security: [] }),
    parameters: listParameters(route),
    ...(route.method === "POST" || route.method === "PUT"
      ? {
          requestBody: {
            required: true,
            content: { [route.bodyType ?? "application/json"]: { schema: toJsonSchema(route.body, "input") } },
          },
        }
      : {}),
    responses: {
      [route.successStatus ?? 200]: route.answerTypes ? answerIn(route.answerTypes) : answerOf(route.answer),
      default: {
        description: "what went wrong, as RFC 9457 problem details",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}
