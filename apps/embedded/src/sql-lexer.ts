/**
 * Tokens of ClickHouse SQL, as far as deciding what a statement is needs them. Works on text with one character per
 * byte (latin1), so positions are byte positions even beside binary insert data; it is lazy, so data is never scanned.
 * Comments nest, as they do in the engine. Must not interpret anything.
 */
export type Token = {
  kind: "word" | "string" | "quoted" | "number" | "symbol";
  text: string;
  start: number;
  end: number;
  /** Open brackets of any kind around the token. */
  depth: number;
};

const BLANK = /[\s\0\u00a0]+/y;
const LINE_COMMENT = /(?:--|\/\/|#!|# )[^\n]*/y;
const WORD = /[A-Za-z_\x80-\xff][\w$\x80-\xff]*/y;
const NUMBER = /\d[\w.]*/y;
const HEREDOC = /\$\w*\$/y;

export function* tokenize(sql: string): Generator<Token> {
  let position = 0;
  let depth = 0;
  while (true) {
    position = skipBlanks(sql, position);
    if (position >= sql.length) return;
    const start = position;
    const [kind, end] = tokenAt(sql, start);
    const text = sql.slice(start, end);
    if (kind === "symbol" && ")]}".includes(text)) depth -= 1;
    yield { kind, text, start, end, depth };
    if (kind === "symbol" && "([{".includes(text)) depth += 1;
    position = end;
  }
}

function tokenAt(sql: string, start: number): [Token["kind"], number] {
  const first = sql.charAt(start);
  if (first === "'") return ["string", closingQuote(sql, start)];
  if (first === '"' || first === "`") return ["quoted", closingQuote(sql, start)];
  const heredoc = matchAt(HEREDOC, sql, start);
  if (heredoc > start) {
    const tag = sql.slice(start, heredoc);
    const close = sql.indexOf(tag, heredoc);
    if (close >= 0) return ["string", close + tag.length];
  }
  const word = matchAt(WORD, sql, start);
  if (word > start) return ["word", word];
  const number = matchAt(NUMBER, sql, start);
  if (number > start) return ["number", number];
  return ["symbol", start + 1];
}

function skipBlanks(sql: string, from: number): number {
  let position = from;
  while (position < sql.length) {
    const start = position;
    position = matchAt(BLANK, sql, position);
    position = matchAt(LINE_COMMENT, sql, position);
    if (sql.startsWith("/*", position)) position = closingComment(sql, position);
    if (position === start) return position;
  }
  return position;
}

function closingComment(sql: string, start: number): number {
  let open = 0;
  for (let position = start; position < sql.length; position += 1) {
    if (sql.startsWith("/*", position)) {
      open += 1;
      position += 1;
    } else if (sql.startsWith("*/", position)) {
      open -= 1;
      position += 1;
      if (open === 0) return position + 1;
    }
  }
  return sql.length;
}

function closingQuote(sql: string, start: number): number {
  const quote = sql.charAt(start);
  for (let position = start + 1; position < sql.length; position += 1) {
    const character = sql.charAt(position);
    if (character === "\\") position += 1;
    else if (character === quote) {
      if (sql.charAt(position + 1) !== quote) return position + 1;
      position += 1;
    }
  }
  return sql.length;
}

function matchAt(pattern: RegExp, sql: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(sql) ? pattern.lastIndex : position;
}
