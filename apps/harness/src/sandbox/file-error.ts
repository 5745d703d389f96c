/** Expected failures of the file system, as a model or a person can understand them. */
import { CentspanError } from "@centspan/base";

/** Also of errors that come out of a script context, which are no instances of our `Error`. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;

const MEANINGS = new Map([
  ["ENOENT", "does not exist"],
  ["EISDIR", "is a folder"],
  ["ENOTDIR", "is not a folder"],
  ["EACCES", "may not be opened"],
  ["EPERM", "may not be changed"],
  ["ENAMETOOLONG", "is too long a name"],
]);

/** Runs file work on `path`, naming the path in what goes wrong; anything unexpected is thrown as it is. */
export async function explainFileErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const meaning = MEANINGS.get(errorCode(error) ?? "");
    if (meaning === undefined) throw error;
    throw new CentspanError("invalid_request", `path: ${JSON.stringify(path)} ${meaning}`, {
      field: "path",
      cause: error,
    });
  }
}
