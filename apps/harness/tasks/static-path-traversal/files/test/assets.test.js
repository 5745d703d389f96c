import assert from "node:assert/strict";
import test from "node:test";
import { createHandler, resolveAsset } from "../src/index.js";

const ROOT = "/srv/assets";

test("ordinary files", () => {
  assert.deepEqual(resolveAsset(ROOT, "/css/site.css"), { status: 200, path: "/srv/assets/css/site.css" });
  assert.deepEqual(resolveAsset(ROOT, "/a%20b.txt"), { status: 200, path: "/srv/assets/a b.txt" });
});

test("plain dot segments do not leave the root", () => {
  assert.equal(resolveAsset(ROOT, "/../../etc/passwd").status, 403);
});

test("encoded dot segments do not leave the root", () => {
  for (const urlPath of ["/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/%2E%2E%2F%2E%2E%2Fetc%2Fpasswd"]) {
    assert.equal(resolveAsset(ROOT, urlPath).status, 403, urlPath);
  }
});

test("removing dot segments must not create new ones", () => {
  for (const urlPath of ["/....//....//etc/passwd", "/.%2e%2e/%2e%2e%2f/etc/passwd", "/..././..././etc/passwd"]) {
    const resolved = resolveAsset(ROOT, urlPath);
    assert.ok(resolved.status !== 200 || resolved.path.startsWith("/srv/assets/"), `${urlPath} → ${resolved.path}`);
  }
});

test("a sibling folder with the same start of its name is outside", () => {
  assert.equal(resolveAsset(ROOT, "/..%2fassets-private/key.pem").status, 403);
  assert.equal(resolveAsset(ROOT, "/%2e%2e/assets-private/key.pem").status, 403);
});

test("dot segments that stay below the root are fine", () => {
  assert.deepEqual(resolveAsset(ROOT, "/css/../js/app.js"), { status: 200, path: "/srv/assets/js/app.js" });
});

test("two dots inside a name are a name", () => {
  assert.deepEqual(resolveAsset(ROOT, "/release..notes.txt"), { status: 200, path: "/srv/assets/release..notes.txt" });
  assert.deepEqual(resolveAsset(ROOT, "/..well"), { status: 200, path: "/srv/assets/..well" });
});

test("the root itself is not a file", () => {
  assert.equal(resolveAsset(ROOT, "/").status, 403);
  assert.equal(resolveAsset(ROOT, "/css/..").status, 403);
});

test("paths that can't be decoded are a bad request", () => {
  assert.equal(resolveAsset(ROOT, "/%E0%A4%A").status, 400);
  assert.equal(resolveAsset(ROOT, "/a%00.txt").status, 400);
});

test("a root with a slash at its end works the same", () => {
  assert.deepEqual(resolveAsset("/srv/assets/", "/x.js"), { status: 200, path: "/srv/assets/x.js" });
  assert.equal(resolveAsset("/srv/assets/", "/..%2fassets-private/x").status, 403);
});

test("the handler answers with the file and its type", async () => {
  const files = new Map([["/srv/assets/a.json", Buffer.from("{}")]]);
  const handle = createHandler({ root: ROOT, readFile: async (file) => files.get(file) ?? null });
  const found = await handle({ method: "GET", url: "/assets/a.json?v=1" });
  assert.equal(found.status, 200);
  assert.equal(found.headers["content-type"], "application/json");
  assert.equal((await handle({ method: "GET", url: "/assets/b.json" })).status, 404);
  assert.equal((await handle({ method: "GET", url: "/assets/..%2fx" })).status, 403);
  assert.equal((await handle({ method: "POST", url: "/assets/a.json" })).status, 405);
});
