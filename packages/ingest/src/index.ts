export * from "./admission.ts";
export * from "./columns.ts";
