import assert from "node:assert/strict";
import test from "node:test";
import { compareVersions, parseVersion, pickRelease } from "../src/index.js";

/** Asserts that every version comes strictly before all that follow it. */
function assertAscending(versions) {
  for (let i = 0; i < versions.length; i += 1) {
    for (let j = 0; j < versions.length; j += 1) {
      assert.equal(Math.sign(compareVersions(versions[i], versions[j])), Math.sign(i - j), `${versions[i]} and ${versions[j]}`);
    }
  }
}

test("numbers compare as numbers", () => {
  assertAscending(["0.9.0", "0.10.0", "1.0.0", "1.0.2", "1.0.11", "1.2.0", "10.0.0"]);
});

test("a pre-release comes before its release", () => {
  assertAscending(["2.9.9", "3.0.0-beta", "3.0.0", "3.0.1-alpha"]);
});

test("numeric identifiers compare as numbers", () => {
  assertAscending(["1.0.0-rc.1", "1.0.0-rc.2", "1.0.0-rc.9", "1.0.0-rc.10", "1.0.0-rc.100"]);
});

test("numeric identifiers come before alphanumeric ones", () => {
  assertAscending(["1.0.0-1", "1.0.0-99", "1.0.0-1a", "1.0.0-alpha"]);
});

test("fewer identifiers come first", () => {
  assertAscending(["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.1.0", "1.0.0-alpha.beta"]);
});

test("the chain of the specification", () => {
  assertAscending([
    "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta",
    "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
  ]);
});

test("hyphens inside identifiers are part of them", () => {
  assert.deepEqual(parseVersion("1.0.0-x-y-z.4").prerelease, ["x-y-z", "4"]);
});

test("build metadata is ignored", () => {
  assert.equal(compareVersions("1.0.0+build-77", "1.0.0+a.b"), 0);
  assert.equal(compareVersions("1.0.0-rc.1+5", "1.0.0-rc.1"), 0);
  assert.deepEqual(parseVersion("2.4.0+build-77").prerelease, []);
});

test("what is not a version is refused", () => {
  for (const text of ["1.0", "1.0.0.0", "a.b.c", ""]) assert.throws(() => parseVersion(text), RangeError, text);
});

test("stable never gets a pre-release", () => {
  const versions = ["2.4.0+build-77", "3.0.0-beta", "3.0.0-rc.9", "3.0.0-rc.10"];
  assert.equal(pickRelease(versions, { channel: "stable", running: "2.3.0" }), "2.4.0+build-77");
  assert.equal(pickRelease(versions, { channel: "candidate", running: "2.3.0" }), "3.0.0-rc.10");
  assert.equal(pickRelease(versions, { channel: "edge", running: "3.0.0" }), null);
});
