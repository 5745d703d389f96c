/**
 * Failures as ClickHouse reports them over HTTP: a number, a name, `Code: N. DB::Exception: … (NAME)` as the body, and
 * the status a ClickHouse server gives for that name. Engine errors pass through with their own text.
 */
export class ClickHouseException extends Error {
  readonly code: number;
  readonly type: string;

  constructor(code: number, type: string, message: string) {
    super(message);
    this.name = "ClickHouseException";
    this.code = code;
    this.type = type;
  }
}

export const syntaxError = (message: string) => new ClickHouseException(62, "SYNTAX_ERROR", message);
export const notImplemented = (message: string) => new ClickHouseException(48, "NOT_IMPLEMENTED", message);
export const badArguments = (message: string) => new ClickHouseException(36, "BAD_ARGUMENTS", message);

const ENGINE_MESSAGE = /^Code: (\d+)\. DB::Exception: ([\s\S]*) \(([A-Z0-9_]+)\)\s*$/;

/** Any thrown value as a ClickHouse exception. What the engine did not say itself has no better name. */
export function toClickHouseException(thrown: unknown): ClickHouseException {
  if (thrown instanceof ClickHouseException) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const match = ENGINE_MESSAGE.exec(message);
  if (match) return new ClickHouseException(Number(match[1]), match[3] ?? "", match[2] ?? "");
  return new ClickHouseException(1002, "UNKNOWN_EXCEPTION", message);
}

export function exceptionText(exception: ClickHouseException, version: string): string {
  return `Code: ${exception.code}. DB::Exception: ${exception.message} (${exception.type}) (version ${version})\n`;
}

const STATUS_BY_TYPE = new Map<string, number>([
  ["REQUIRED_PASSWORD", 401],
  ...withStatus(403, "UNKNOWN_USER WRONG_PASSWORD AUTHENTICATION_FAILED SET_NON_GRANTED_ROLE ACCESS_DENIED"),
  ...withStatus(
    400,
    `BAD_ARGUMENTS CANNOT_COMPILE_REGEXP CANNOT_PARSE_TEXT CANNOT_PARSE_ESCAPE_SEQUENCE CANNOT_PARSE_QUOTED_STRING
     CANNOT_PARSE_DATE CANNOT_PARSE_DATETIME CANNOT_PARSE_NUMBER CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING
     CANNOT_PARSE_IPV4 CANNOT_PARSE_IPV6 CANNOT_PARSE_UUID CANNOT_PARSE_INPUT_ASSERTION_FAILED DUPLICATE_COLUMN
     ILLEGAL_COLUMN THERE_IS_NO_COLUMN UNKNOWN_ELEMENT_IN_AST UNKNOWN_TYPE_OF_AST_NODE TOO_DEEP_AST TOO_BIG_AST
     UNEXPECTED_AST_STRUCTURE SYNTAX_ERROR INCORRECT_DATA TYPE_MISMATCH VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE`,
  ),
  ...withStatus(
    404,
    `UNKNOWN_TABLE UNKNOWN_FUNCTION UNKNOWN_IDENTIFIER UNKNOWN_TYPE UNKNOWN_STORAGE UNKNOWN_DATABASE UNKNOWN_SETTING
     UNKNOWN_DIRECTION_OF_SORTING UNKNOWN_AGGREGATE_FUNCTION UNKNOWN_FORMAT UNKNOWN_DATABASE_ENGINE
     UNKNOWN_TYPE_OF_QUERY UNKNOWN_ROLE`,
  ),
  ["TIMEOUT_EXCEEDED", 408],
  ["HTTP_LENGTH_REQUIRED", 411],
  // A server has no such limit on the body; 413 is what HTTP has for it.
  ...withStatus(413, "QUERY_IS_TOO_LARGE TOO_MANY_BYTES"),
  ["UNSUPPORTED_MEDIA_TYPE", 415],
  ["NOT_IMPLEMENTED", 501],
  // A server answers 500 to too many queries; 503 tells any HTTP client that repeating helps.
  ...withStatus(503, "SOCKET_TIMEOUT CANNOT_OPEN_FILE CANNOT_SCHEDULE_TASK TOO_MANY_SIMULTANEOUS_QUERIES"),
]);

export function httpStatus(exception: ClickHouseException): number {
  return STATUS_BY_TYPE.get(exception.type) ?? 500;
}

function withStatus(status: number, types: string): [string, number][] {
  return types.split(/\s+/).map((type) => [type, status]);
}
