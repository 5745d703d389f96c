/** Waits for something that another process does: asks again until it is so, and gives up with what was waited for. */
export async function pollUntil(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
