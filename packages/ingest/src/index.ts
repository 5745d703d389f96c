export * from "./admission.ts";
export { type BlockBuilder, createBlockBuilder } from "./block-builder.ts";
export * from "./columns.ts";
