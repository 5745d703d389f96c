/** Progress in a terminal: one line that is rewritten, or plain lines where the output is not a terminal. */
export type Progress = {
  step(text: string): void;
  update(text: string): void;
  done(text: string): void;
};

export function createProgress(out: NodeJS.WriteStream): Progress {
  const startedAt = performance.now();
  const stamp = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s`;
  const rewrite = (text: string): void => {
    out.write(`\r\u001b[2K${text}`);
  };
  return {
    step: (text) => (out.isTTY ? rewrite(`  …       ${text}`) : undefined),
    update: (text) => (out.isTTY ? rewrite(`  …       ${text}`) : out.write(`  ${stamp()}  ${text}\n`)),
    done: (text) => {
      if (out.isTTY) rewrite(`  ${stamp()}  ${text}\n`);
      else out.write(`  ${stamp()}  ${text}\n`);
    },
  };
}
