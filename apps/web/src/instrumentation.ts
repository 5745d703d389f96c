/** Runs once as the server starts: settings that contradict each other end it, with what to do, before anybody is let in. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { readSignInMode } = await import("#server/sign-in-mode");
  try {
    readSignInMode(process.env);
  } catch (thrown) {
    process.stderr.write(`web: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exit(1);
  }
}
