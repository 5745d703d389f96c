// Runs Next's standalone server as a service of the stack: says when it answers, and stops with its supervisor.
// Copied beside server.js by standalone.mjs.
process.once("disconnect", () => process.exit(0));

const url = `http://${process.env.HOSTNAME ?? "127.0.0.1"}:${process.env.PORT ?? 3000}`;
await import("./server.js");

// Next has no hook for "listening": its document, which needs no store, answers once it is.
for (;;) {
  const answered = await fetch(`${url}/api/v1/openapi.json`).then(
    (response) => response.ok,
    () => false,
  );
  if (answered) break;
  await new Promise((resolve) => setTimeout(resolve, 50));
}
process.stdout.write(`${JSON.stringify({ ready: true, service: "web", url })}\n`);
