import path from "node:path/posix";

const TYPES = new Map([
  [".css", "text/css; charset=utf-8"],
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".json", "application/json"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
  [".txt", "text/plain; charset=utf-8"],
]);

/** The media type by extension; unknown ones are offered as a download. */
export function mediaTypeOf(file) {
  return TYPES.get(path.extname(file).toLowerCase()) ?? "application/octet-stream";
}
