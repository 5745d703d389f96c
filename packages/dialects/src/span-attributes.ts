/** The names of all attributes of spans that any dialect reads: what else a span says matters to no call. */
import { attributeOf } from "./reader.ts";
import { dialects } from "./registry.gen.ts";

export const spanAttributeNames: readonly string[] = [
  ...new Set(
    dialects
      .flatMap(({ spans = [] }) => spans)
      .flatMap(({ fields, firstToken = [], recognise: { places = [], marks = [] }, modelSpan, agentSpan }) => [
        ...[...Object.values(fields).flat(), ...firstToken.map(({ place }) => place), ...places].map(attributeOf),
        ...[...marks, ...(modelSpan ? [modelSpan] : []), ...(agentSpan ? [agentSpan] : [])].map(
          (mark) => mark.attribute,
        ),
      ]),
  ),
];
