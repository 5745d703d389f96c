export { type Clipped, CUT_MARGIN, clipText } from "./clip-text.ts";
export { findSecret, redactSecrets } from "./secret-patterns.ts";
