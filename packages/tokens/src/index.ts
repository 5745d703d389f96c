export * from "./abbreviate-text.ts";
export * from "./delta-tokenizer.ts";
export * from "./prefix-blocks.ts";
export * from "./split-by-token.ts";
export * from "./tokenizer.ts";
