/** What is said of an attribute: its type, its unit by UCUM where it has one, and what it means. */
type AttributeType = "string" | "int" | "double" | "boolean" | "string[]" | "int[]";
export type AttributeDefinition = { type: AttributeType; unit?: string; doc: string };
