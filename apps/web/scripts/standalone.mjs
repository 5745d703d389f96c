// `output: "standalone"` leaves static files out: put them where server.js looks.
import { cpSync, existsSync } from "node:fs";

const target = ".next/standalone/apps/web";
cpSync(".next/static", `${target}/.next/static`, { recursive: true });
if (existsSync("public")) cpSync("public", `${target}/public`, { recursive: true });
// The stack starts the server through this wrapper.
cpSync("scripts/start.mjs", `${target}/start.mjs`);
