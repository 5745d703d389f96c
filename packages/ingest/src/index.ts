export * from "./admission.ts";
export * from "./answers.ts";
export { type BlockBuilder, type Body, createBlockBuilder } from "./block-builder.ts";
export * from "./columns.ts";
export { encodeSpans } from "./encode-spans.ts";
export { transcodeJson } from "./json/transcode-json.ts";
