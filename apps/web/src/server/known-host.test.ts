import { expect, it } from "vitest";
import { isFromHere, isKnownHost, isOwnOrigin, readHosts } from "./known-host.ts";

const listed = readHosts("costs.example.com, Team.Internal,");

it.each([
  ["127.0.0.1:3000", true],
  ["localhost:3000", true],
  ["LOCALHOST", true],
  ["app.localhost:80", true],
  ["[::1]:3000", true],
  ["192.168.1.20", true],
  ["costs.example.com:8443", true],
  ["team.internal", true],
  ["attacker.example", false],
  ["attacker.example:3000", false],
  ["localhost.attacker.example", false],
  ["127.0.0.1.attacker.example", false],
  ["xcosts.example.com", false],
  ["attacker.example/@localhost", false],
  ["localhost@attacker.example", false],
  ["attacker.example@localhost", false],
  ["localhost:port", false],
  ["", false],
  [null, false],
])("%s: %s", (host, known) => expect(isKnownHost(host, listed)).toBe(known));

it("lists nothing when nothing is set", () => {
  for (const setting of [undefined, "", " , "]) expect(isKnownHost("example.com", readHosts(setting))).toBe(false);
});

it.each([
  ["http://127.0.0.1:3000", "127.0.0.1:3000", true],
  ["https://costs.example.com", "costs.example.com", true],
  ["http://localhost:3000", "LOCALHOST:3000", true],
  ["http://127.0.0.1:3001", "127.0.0.1:3000", false],
  ["http://localhost:3000", "127.0.0.1:3000", false],
  ["https://attacker.example", "costs.example.com", false],
  ["null", "127.0.0.1:3000", false],
  [null, "127.0.0.1:3000", false],
])("a change from %s at %s: %s", (origin, host, own) => expect(isOwnOrigin(origin, host)).toBe(own));

it.each([
  [null, true],
  ["127.0.0.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["127.0.0.1, ::1", true],
  ["203.0.113.7", false],
  ["203.0.113.7, 127.0.0.1", false],
  ["127.0.0.1.attacker.example", false],
])("passed on for %s is from this machine: %s", (forwarded, here) => expect(isFromHere(forwarded)).toBe(here));
