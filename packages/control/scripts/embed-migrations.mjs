// Writes migrations/*.sql into src/migrations.gen.ts, so that a bundled app carries them and looks for no folder.
import { readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../migrations/", import.meta.url);
const { entries } = JSON.parse(readFileSync(new URL("meta/_journal.json", folder), "utf8"));
const migrations = entries.map(({ tag, when }) => ({
  tag,
  when,
  sql: readFileSync(new URL(`${tag}.sql`, folder), "utf8"),
}));
writeFileSync(
  new URL("../src/migrations.gen.ts", import.meta.url),
  `// Generated from migrations/ by \`npm run generate\`; don't edit.
export const MIGRATIONS: readonly { tag: string; when: number; sql: string }[] = ${JSON.stringify(migrations, null, 2)};
`,
);
