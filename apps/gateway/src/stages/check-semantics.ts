/** What is well said and still can't be done: images that no server takes, and features that the model is known not to have. */
import { CentspanError } from "@centspan/base";
import type { SpanAttributes } from "@centspan/telemetry";
import type { InferenceProtocol, InferenceRequest } from "../protocols/protocol.ts";
import { checkImages } from "../semantics/check-images.ts";
import { type ImageReference, listImages } from "../semantics/list-images.ts";
import { findFeatures } from "../semantics/model-features.ts";

/** Returns what the stage's span says of it. Throws `invalid_request` with the path of what the model does not take. */
export function checkSemantics(protocol: InferenceProtocol, request: InferenceRequest, json: unknown): SpanAttributes {
  const items = protocol.layout?.items;
  const images = items === undefined ? [] : listImages(Object(json)[items], items);
  const imageBytes = checkImages(images);
  return {
    "centspan.validate.images": images.length === 0 ? undefined : images.length,
    "centspan.validate.image_bytes": images.length === 0 ? undefined : imageBytes,
    "centspan.validate.features": checkFeatures(protocol, request, images),
  };
}

function checkFeatures(
  protocol: InferenceProtocol,
  { model, effort, conversation }: InferenceRequest,
  [image]: readonly ImageReference[],
): string | undefined {
  const features = findFeatures(model);
  if (features === null) return undefined;
  const refuse = (field: string, what: string): CentspanError =>
    new CentspanError("invalid_request", `${field}: ${JSON.stringify(model)} takes ${what}`, { field });
  if (features.images === false && image !== undefined) throw refuse(image.path, "no images");
  if (features.tools === false && conversation.tools.length > 0) throw refuse("tools", "no tools");
  if (features.efforts !== undefined && effort !== "" && !features.efforts.includes(effort)) {
    const known = features.efforts.join(", ");
    throw refuse(protocol.effortField ?? "effort", known === "" ? "no reasoning effort" : `the efforts ${known}`);
  }
  return features.pattern;
}
