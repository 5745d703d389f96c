export { outcomeSources } from "./registry.gen.ts";
