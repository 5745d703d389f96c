/** The images of a request, with the path of each, however its protocol writes one. */
export type ImageReference = {
  path: string;
  /** What it is called; null where it stands in the request. */
  url: string | null;
  /** As the request declares it. */
  mediaType: string;
  /** In base64; "" where it stands elsewhere. */
  data: string;
};

/** `items` have passed the protocol; `path` is where they stand. */
export function listImages(items: unknown, path: string): ImageReference[] {
  const images: ImageReference[] = [];
  const visit = (list: unknown, at: string, depth: number): void => {
    if (!Array.isArray(list)) return;
    for (const [index, block] of list.entries()) {
      const here = `${at}[${index}]`;
      const image = readImage(block, here);
      if (image !== null) images.push(image);
      else if (depth < DEEPEST) {
        for (const member of ["content", "output"]) visit(Object(block)[member], `${here}.${member}`, depth + 1);
      }
    }
  };
  visit(items, path, 0);
  return images;
}

/** Items, their blocks, and the blocks of a tool's result among them. */
const DEEPEST = 2;

function readImage(block: unknown, path: string): ImageReference | null {
  const { type, image_url: address, source } = Object(block);
  if (type === "input_image" && typeof address === "string") return readUrl(address, `${path}.image_url`);
  if (type === "image_url") {
    const isText = typeof address === "string";
    const url = isText ? address : Object(address).url;
    if (typeof url === "string") return readUrl(url, `${path}.image_url${isText ? "" : ".url"}`);
  }
  if (type !== "image") return null;
  const { type: kind, media_type: mediaType, data, url } = Object(source);
  const toText = (value: unknown): string => (typeof value === "string" ? value : "");
  if (kind === "base64") return { path: `${path}.source`, url: null, mediaType: toText(mediaType), data: toText(data) };
  return kind === "url" ? readUrl(toText(url), `${path}.source.url`) : null;
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;

function readUrl(url: string, path: string): ImageReference {
  const [head, mediaType = ""] = DATA_URL.exec(url.slice(0, 256)) ?? [];
  if (head === undefined) return { path, url, mediaType: "", data: "" };
  return { path, url: null, mediaType: mediaType.toLowerCase(), data: url.slice(head.length) };
}
