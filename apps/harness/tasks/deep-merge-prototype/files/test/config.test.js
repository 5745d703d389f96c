import assert from "node:assert/strict";
import test, { afterEach } from "node:test";
import { deepMerge, environmentLayer, isAdministrator, loadConfig } from "../src/index.js";

const DEFAULTS = { db: { host: "localhost", port: 5432 }, users: { ann: {} }, tags: ["a", "b"] };

afterEach(() => {
  for (const key of ["admin", "polluted"]) {
    delete Object.prototype[key];
    delete Object[key];
  }
});

test("objects merge key by key", () => {
  assert.deepEqual(deepMerge(DEFAULTS, { db: { port: 1 } }).db, { host: "localhost", port: 1 });
});

test("arrays and scalars replace", () => {
  const merged = deepMerge(DEFAULTS, { tags: ["z"], db: null });
  assert.deepEqual(merged.tags, ["z"]);
  assert.equal(merged.db, null);
});

test("layers are not modified and not shared", () => {
  const target = { a: { b: 1 }, list: [{ x: 1 }] };
  const source = { a: { c: { d: 2 } } };
  const merged = deepMerge(target, source);
  merged.a.c.d = 3;
  merged.list[0].x = 9;
  assert.deepEqual(target, { a: { b: 1 }, list: [{ x: 1 }] });
  assert.deepEqual(source, { a: { c: { d: 2 } } });
});

test("environment variables win", () => {
  const config = loadConfig({ defaults: DEFAULTS, file: '{"db":{"host":"file"}}', environment: { APP__DB__HOST: "env" } });
  assert.deepEqual(config.db, { host: "env", port: 5432 });
});

test("__proto__ in a file changes no prototype", () => {
  const config = loadConfig({ defaults: DEFAULTS, file: '{"__proto__":{"polluted":true},"db":{"port":2}}' });
  assert.equal({}.polluted, undefined);
  assert.equal(config.polluted, undefined);
  assert.equal(config.db.port, 2);
});

test("nested __proto__ changes no prototype", () => {
  const config = loadConfig({ defaults: DEFAULTS, file: '{"users":{"ann":{"__proto__":{"admin":true}}}}' });
  assert.equal({}.admin, undefined);
  assert.equal(isAdministrator(config, "ann"), false);
});

test("__proto__ inside a new section or a list changes nothing either", () => {
  const config = loadConfig({ defaults: DEFAULTS, file: '{"extra":{"__proto__":{"admin":true}},"tags":[{"__proto__":{"admin":true}}]}' });
  assert.equal(config.extra.admin, undefined);
  assert.equal(config.tags[0].admin, undefined);
});

test("constructor.prototype changes no prototype", () => {
  loadConfig({ defaults: DEFAULTS, file: '{"constructor":{"prototype":{"polluted":true}}}' });
  assert.equal({}.polluted, undefined);
});

test("constructor in a nested section leaves the constructor alone", () => {
  const config = loadConfig({ defaults: DEFAULTS, file: '{"db":{"constructor":{"polluted":true}}}' });
  assert.equal(Object.polluted, undefined);
  assert.deepEqual(Object.keys(config.db), ["host", "port"]);
});

test("nobody is an administrator by a name from the prototype", () => {
  const config = loadConfig({ defaults: DEFAULTS, file: '{"users":{"ann":{"admin":true}}}' });
  assert.equal(isAdministrator(config, "ann"), true);
  assert.equal(isAdministrator(config, "toString"), false);
});

test("a file that is not an object is refused", () => {
  assert.throws(() => loadConfig({ defaults: DEFAULTS, file: "[]" }), TypeError);
  assert.deepEqual(Object.keys(environmentLayer({ HOME: "/root" })), []);
});
