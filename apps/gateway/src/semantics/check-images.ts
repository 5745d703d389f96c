/** Images within what model servers take: how many, of what type, how large, and that they are what they are declared to be. */
import { CentspanError } from "@centspan/base";
import type { ImageReference } from "./list-images.ts";

/** Far beyond them lies no server's limit. */
const MAX_IMAGES = 1_500;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

/** How files of each type begin, as hexadecimal digits; a dot stands for any. */
const TYPES: Record<string, RegExp> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^47494638/,
  "image/webp": /^52494646.{8}57454250/,
};

/** Returns the bytes of those that stand in the request. Throws `invalid_request` with the path of the first that is wrong. */
export function checkImages(images: readonly ImageReference[]): number {
  const tooMany = images[MAX_IMAGES];
  if (tooMany !== undefined) throw refuse(tooMany, `is one more image than the ${MAX_IMAGES} that a request may have`);
  let bytes = 0;
  for (const image of images) bytes += checkImage(image);
  return bytes;
}

function checkImage(image: ImageReference): number {
  const { url, mediaType, data } = image;
  if (url !== null) {
    if (!/^https?:\/\//i.test(url)) throw refuse(image, "must be an http or https address, or a data URL in base64");
    return 0;
  }
  const begins = TYPES[mediaType];
  if (begins === undefined) {
    throw refuse(image, `is of type ${JSON.stringify(mediaType)}; known are ${Object.keys(TYPES).join(", ")}`);
  }
  const bytes = countBytes(data);
  if (bytes > MAX_IMAGE_BYTES) throw refuse(image, `has ${bytes} bytes; the most is ${MAX_IMAGE_BYTES}`);
  if (!begins.test(Buffer.from(data.slice(0, 16), "base64").toString("hex"))) {
    throw refuse(image, `is declared to be ${mediaType}, and is not`);
  }
  return bytes;
}

const countBytes = (base64: string): number => Math.floor((base64.replace(/={1,2}$/, "").length * 3) / 4);

const refuse = ({ path }: ImageReference, what: string): CentspanError =>
  new CentspanError("invalid_request", `${path}: ${what}`, { field: path });
