/** What a command needs of the process. */
export type Surroundings = {
  env: Record<string, string | undefined>;
  version: string;
  tasksDir: string;
  print(text: string): void;
  complain(text: string): void;
  /** Lines of a person, or of a program in their place. */
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  signal: AbortSignal;
};

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
/** 128 + SIGINT, as shells report it. */
export const EXIT_INTERRUPTED = 130;
