/** JSON with addresses: whatever is wrong, in syntax or in shape, is reported by line and column. */
import { CentspanError } from "@centspan/base";
import { findNodeAtLocation, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import type { z } from "zod";

/** Parses `text` with `schema`. `name` is the file as the person knows it. Throws CentspanError("invalid_file"). */
export function readJson<T extends z.ZodType>(name: string, text: string, schema: T): z.output<T> {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const first = errors[0];
  if (first !== undefined || tree === undefined) {
    const what = first === undefined ? "is empty" : `is not valid JSON: ${printParseErrorCode(first.error)}`;
    throw fileError(name, text, first?.offset ?? 0, what);
  }
  const result = schema.safeParse(JSON.parse(text));
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = (issue?.path ?? []).filter((part) => typeof part !== "symbol");
  throw fileError(name, text, offsetOf(tree, path), `${formatPath(path)} ${issue?.message ?? "is not valid"}`);
}

/** An error at an offset of a file, for rules that the schema can't say. */
export function fileError(name: string, text: string, offset: number, what: string): CentspanError {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return new CentspanError("invalid_file", `${name}:${line}:${column}: ${what}`, { field: `line ${line}` });
}

/** Where element `index` of a top-level array starts. */
export function offsetOfElement(text: string, index: number): number {
  const tree = parseTree(text);
  return tree === undefined ? 0 : offsetOf(tree, [index]);
}

type Tree = NonNullable<ReturnType<typeof parseTree>>;

/** The deepest node on the path that exists: a missing field is reported at the object that lacks it. */
function offsetOf(tree: Tree, path: (string | number)[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node.offset;
  }
  return tree.offset;
}

const formatPath = (path: readonly (string | number)[]): string =>
  path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "") || "the document";
