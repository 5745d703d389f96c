import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { resolveInside } from "./resolve-path.ts";

/** A package with every kind of link, beside a folder that must never be reached. */
async function createMaze(): Promise<{ root: string; outside: string }> {
  const folder = await createTemporaryFolder();
  const root = join(folder, "package");
  const outside = join(folder, "package-secrets");
  await mkdir(join(root, "src/deep"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, "key"), "secret");
  await writeFile(join(root, "src/a.js"), "");
  await symlink(outside, join(root, "out"));
  await symlink("../../package-secrets/key", join(root, "src/key"));
  await symlink("../../../package-secrets/new", join(root, "src/deep/dangling"));
  await symlink("src", join(root, "in"));
  await symlink("loop", join(root, "loop"));
  return { root, outside };
}

it("finds what is inside, through links that stay inside, existing or not", async () => {
  const { root } = await createMaze();
  expect(await resolveInside(root, ".")).toBe(root);
  expect(await resolveInside(root, "src/../src/a.js")).toBe(join(root, "src/a.js"));
  expect(await resolveInside(root, "in/a.js")).toBe(join(root, "src/a.js"));
  expect(await resolveInside(root, "in/new/file.js")).toBe(join(root, "src/new/file.js"));
});

it.each([
  ["..", "leaves the package"],
  ["src/../../package-secrets/key", "leaves the package"],
  ["/etc/passwd", "must be relative"],
  ["out/key", "through a link"],
  ["out/not/yet/there", "through a link"],
  ["src/key", "through a link"],
  ["src/deep/dangling", "can't be followed"],
  ["loop/x", "can't be followed"],
  ["src/a.js/x", "can't be followed"],
  ["src\0/a.js", "NUL"],
])("refuses %j, which %s", async (path, why) => {
  const { root } = await createMaze();
  await expect(resolveInside(root, path)).rejects.toThrow(why);
  await expect(resolveInside(root, path)).rejects.toMatchObject({ code: "invalid_request", field: "path" });
});

it("refuses the package's own absolute path too, which a model has no way to know", async () => {
  const { root } = await createMaze();
  await expect(resolveInside(root, join(root, "src"))).rejects.toThrow("must be relative");
});

it("never answers with a place outside, whatever the path", async () => {
  const { root } = await createMaze();
  const part = fc.constantFrom("..", ".", "", "src", "deep", "in", "out", "key", "dangling", "loop", "new", "a.js");
  const path = fc.array(part, { maxLength: 6 }).map((parts) => parts.join("/"));
  await fc.assert(
    fc.asyncProperty(path, async (tried) => {
      const found = await resolveInside(root, tried).catch(() => root);
      const real = await realpath(found).catch(() => found);
      expect(real === root || real.startsWith(`${root}/`)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
