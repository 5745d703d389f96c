import assert from "node:assert/strict";
import test from "node:test";
import * as jobGraph from "../src/index.js";

const { groupIntoWaves, JobGraph, orderJobs } = jobGraph;

function graphOf(definitions) {
  const graph = new JobGraph();
  for (const [job, needs] of Object.entries(definitions)) graph.define(job, needs);
  return graph;
}

function cycleOf(definitions) {
  try {
    orderJobs(graphOf(definitions));
  } catch (error) {
    assert.equal(error.name, "CycleError");
    assert.ok(error instanceof jobGraph.CycleError);
    return error.cycle;
  }
  return assert.fail("no error");
}

test("jobs run after what they need", () => {
  assert.deepEqual(orderJobs(graphOf({ deploy: ["test"], test: ["build"], build: [] })), ["build", "test", "deploy"]);
});

test("ties are broken by definition order", () => {
  assert.deepEqual(orderJobs(graphOf({ b: [], a: [], c: ["a"], d: ["b"] })), ["b", "a", "c", "d"]);
});

test("a job that nobody defined is named", () => {
  assert.throws(() => orderJobs(graphOf({ a: ["x"] })), { name: "UnknownJobError", job: "x" });
});

test("waves", () => {
  assert.deepEqual(groupIntoWaves(graphOf({ a: [], b: ["a"], c: ["a"], d: ["b", "c"] })), [["a"], ["b", "c"], ["d"]]);
});

test("two jobs that need each other", () => {
  assert.deepEqual(cycleOf({ build: ["test"], test: ["build"] }), ["build", "test", "build"]);
});

test("a job that needs itself", () => {
  assert.deepEqual(cycleOf({ a: [], b: ["a", "b"] }), ["b", "b"]);
});

test("jobs before and behind the circle are not listed", () => {
  const definitions = { publish: ["deploy"], setup: [], build: ["setup", "lint"], test: ["build"], lint: ["test"], deploy: ["test"] };
  assert.deepEqual(cycleOf(definitions), ["build", "lint", "test", "build"]);
});

test("the circle starts with its job that was defined first", () => {
  assert.deepEqual(cycleOf({ last: ["c"], a: ["c"], b: ["a"], c: ["b"] }), ["a", "c", "b", "a"]);
});

test("a dead end among the needs does not confuse the search", () => {
  const definitions = { root: [], side: ["root"], a: ["side", "x"], x: ["y"], y: ["x"], z: ["a"] };
  assert.deepEqual(cycleOf(definitions), ["x", "y", "x"]);
});

test("the message shows the circle", () => {
  assert.throws(() => orderJobs(graphOf({ a: ["b"], b: ["a"] })), { message: /a → b → a/ });
});

test("waves report the circle too", () => {
  assert.throws(() => groupIntoWaves(graphOf({ a: ["a"] })), { name: "CycleError" });
});
