/**
 * What a request's SQL is, and where the clauses go that move its rows: a result leaves through `INTO OUTFILE`, insert
 * data enters through `FROM INFILE`, both the engine's own and both refused when a client writes them, because they
 * would reach any file of this machine even in a read-only session. One statement a request, as on a server.
 * Rules only: no engine, no files.
 */
import { ClickHouseException, notImplemented, syntaxError } from "./exceptions.ts";
import { type Token, tokenize } from "./sql-lexer.ts";

/** SQL parts are latin1 (a character per byte); `toSql` makes text of them. */
export type Statement =
  | { kind: "output"; select: string; format: string | undefined; tail: string; parameters: string[] }
  | { kind: "insert"; target: string; settings: string; format: string; dataStart: number; parameters: string[] }
  | { kind: "command"; sql: string; format: string | undefined; changesSession: boolean; parameters: string[] };

const OUTPUT_KEYWORDS = new Set(["SELECT", "WITH", "FROM", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS"]);

/** Commands that leave a session as it was. Any other may change it, so it gets a session of its own. */
const NEUTRAL_KEYWORDS = new Set(
  "INSERT ALTER DROP TRUNCATE RENAME EXCHANGE OPTIMIZE SYSTEM KILL ATTACH DETACH DELETE UPDATE CHECK UNDROP".split(" "),
);

/** `sql` is the whole statement with any insert data behind it. */
export function parseStatement(sql: string): Statement {
  const tokens: Token[] = [];
  for (const token of tokenize(sql)) {
    if (isSymbol(token, ";") && tokens.length === 0) continue;
    tokens.push(token);
    const insert = startsInsert(tokens) ? insertWithData(sql, tokens) : undefined;
    if (insert) return insert;
  }
  if (tokens.length === 0) throw syntaxError("Empty query");
  return wholeStatement(sql, withoutEnd(tokens));
}

/** Latin1 parts back to the UTF-8 text they came from. */
export function toSql(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}

function wholeStatement(sql: string, tokens: Token[]): Statement {
  refuseFileClauses(tokens);
  const end = tokens.at(-1)?.end ?? 0;
  const first = tokens.find((token) => !isSymbol(token, "("));
  const keyword = upper(first);
  const parameters = placeholders(tokens);
  const format = formatClause(tokens);
  const formatName = format === undefined ? undefined : tokens[format + 1]?.text;
  if (OUTPUT_KEYWORDS.has(keyword) && !insertsAfterWith(tokens)) {
    const cut = format === undefined ? end : (tokens[format]?.start ?? end);
    const tail = format === undefined ? "" : sql.slice(tokens[format + 1]?.end, end);
    return { kind: "output", select: sql.slice(0, cut), format: formatName, tail, parameters };
  }
  if (keyword === "INSERT" && tokens.some((token, at) => upper(token) === "INPUT" && isSymbol(tokens[at + 1], "("))) {
    // chDB would read its rows from standard input and insert none of those sent.
    throw notImplemented("The table function input() is not supported; insert the rows as they are");
  }
  const isPlainCreate = keyword === "CREATE" && upper(tokens[1]) !== "TEMPORARY";
  const changesSession = !NEUTRAL_KEYWORDS.has(keyword) && !isPlainCreate;
  return { kind: "command", sql: sql.slice(0, end), format: formatName, changesSession, parameters };
}

/** Set when the last token read is the `VALUES` or the format name that data follows. */
function insertWithData(sql: string, tokens: Token[]): Statement | undefined {
  const last = tokens.at(-1);
  const before = tokens.at(-2);
  if (!last || last.depth > 0 || tokens.length < 3) return undefined;
  const isValues = upper(last) === "VALUES" && upper(before) !== "FORMAT" && !isTableName(tokens, tokens.length - 1);
  const isFormat =
    upper(before) === "FORMAT" &&
    last.kind === "word" &&
    !isTableName(tokens, tokens.length - 2) &&
    before?.depth === 0;
  if (!isValues && !isFormat) return undefined;
  // With a SELECT, no data follows, except for input(), which is refused with the whole statement.
  if (tokens.some((token) => token.depth === 0 && upper(token) === "SELECT")) return undefined;
  refuseFileClauses(tokens);
  const settingsAt = tokens.findIndex(
    (token, index) => token.depth === 0 && upper(token) === "SETTINGS" && !isTableName(tokens, index),
  );
  const clauseStart = isValues ? last.start : (before?.start ?? last.start);
  const targetEnd = tokens[settingsAt]?.start ?? clauseStart;
  return {
    kind: "insert",
    target: sql.slice(0, targetEnd),
    settings: sql.slice(targetEnd, clauseStart),
    format: isValues ? "Values" : last.text,
    dataStart: isValues ? last.end : skipLineEnd(sql, last.end),
    parameters: placeholders(tokens),
  };
}

function startsInsert(tokens: Token[]): boolean {
  return upper(tokens[0]) === "INSERT";
}

/** Whether a token stands where INSERT INTO [TABLE] has its table, so that tables may be called `values` or `format`. */
function isTableName(tokens: Token[], index: number): boolean {
  const before = tokens[index - 1];
  return ["INTO", "TABLE"].includes(upper(before)) || isSymbol(before, ".");
}

function insertsAfterWith(tokens: Token[]): boolean {
  if (upper(tokens[0]) !== "WITH") return false;
  const verb = tokens.find((token) => token.depth === 0 && ["SELECT", "INSERT"].includes(upper(token)));
  return upper(verb) === "INSERT";
}

/** Index of the FORMAT that ends the statement, with at most SETTINGS behind it. */
function formatClause(tokens: Token[]): number | undefined {
  for (let index = tokens.length - 2; index > 0; index -= 1) {
    const name = tokens[index + 1];
    const after = tokens[index + 2];
    const isClause = tokens[index]?.depth === 0 && upper(tokens[index]) === "FORMAT" && name?.kind === "word";
    if (!isClause || (after && upper(after) !== "SETTINGS")) continue;
    // `SELECT format f` names a column.
    const before = tokens[index - 1];
    if (upper(before) === "SELECT" || isSymbol(before, ",")) continue;
    return index;
  }
  return undefined;
}

function placeholders(tokens: Token[]): string[] {
  const names = tokens.flatMap((token, index) => {
    const name = tokens[index + 1];
    const isPlaceholder = isSymbol(token, "{") && name?.kind === "word" && isSymbol(tokens[index + 2], ":");
    return isPlaceholder ? [toSql(name.text)] : [];
  });
  return [...new Set(names)];
}

function withoutEnd(tokens: Token[]): Token[] {
  const end = tokens.findIndex((token) => isSymbol(token, ";"));
  if (end < 0) return tokens;
  if (tokens.slice(end).some((token) => !isSymbol(token, ";"))) throw syntaxError("Multi-statements are not allowed");
  return tokens.slice(0, end);
}

function refuseFileClauses(tokens: Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const next = upper(tokens[index + 1]);
    if (upper(token) === "INTO" && next === "OUTFILE") {
      throw new ClickHouseException(348, "INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed");
    }
    if (upper(token) === "FROM" && next === "INFILE") {
      throw new ClickHouseException(78, "UNKNOWN_TYPE_OF_QUERY", "Query has infile and was send directly to server");
    }
  }
}

function skipLineEnd(sql: string, from: number): number {
  const match = /[ \t\r]*\n?/y;
  match.lastIndex = from;
  match.test(sql);
  return match.lastIndex;
}

function upper(token: Token | undefined): string {
  return token?.kind === "word" ? token.text.toUpperCase() : "";
}

function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === "symbol" && token.text === text;
}
