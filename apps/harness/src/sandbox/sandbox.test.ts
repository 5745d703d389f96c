/**
 * What programs can't do in the sandbox that this machine gives. Where it gives none, that is said and nothing is run: no
 * test here sets anything loose that is not confined.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { chooseSandbox, type SandboxChoice } from "./open-sandbox.ts";
import { openUnconfined } from "./unconfined.ts";

const searchPath = process.env.PATH ?? "";

const choose = async (changes: Partial<SandboxChoice> = {}) => {
  const workDir = await createTemporaryFolder();
  return chooseSandbox({ kind: "auto", image: "unused", unsafe: false, searchPath, workDir, ...changes });
};

const confined = await chooseSandbox({
  ...{ kind: "namespaces", image: "unused", unsafe: false, searchPath },
  workDir: process.env.TMPDIR ?? "/tmp",
}).catch(() => null);
if (confined === null) console.warn("no namespaces here: what they confine is not tested");

/** A folder among others, and a way to run shell lines in it. */
async function openFolder() {
  const around = await createTemporaryFolder();
  const folder = join(around, "copy");
  await mkdir(folder);
  await writeFile(join(around, "neighbour"), "untouched\n");
  await writeFile(join(folder, "own"), "mine\n");
  const sandbox = await (confined ?? (async () => openUnconfined(searchPath)))(null);
  const sh = async (command: string, timeLimitMs = 20_000) => {
    const signal = new AbortController().signal;
    const { exitCode, timedOut, output } = await sandbox.run("sh", ["-c", command], {
      ...{ folder, cwd: folder, timeLimitMs, signal },
    });
    return { exitCode, timedOut, text: output.text };
  };
  return { around, folder, sh };
}

const NEIGHBOUR = { neighbour: "untouched\n" };
const readNeighbour = async (around: string) => ({ neighbour: await readFile(join(around, "neighbour"), "utf8") });

describe.skipIf(confined === null)("in namespaces, a program", () => {
  it("works in its folder, as the tests of a package do", async () => {
    const { folder, sh } = await openFolder();
    const server =
      "require('http').createServer().listen(0, '127.0.0.1', function () { this.close(); console.log('up') })";
    expect(await sh(`cat own; echo new > made; node -e "${server}"; mktemp > /dev/null; exit 3`)).toMatchObject({
      ...{ exitCode: 3, text: "mine\nup\n" },
    });
    expect(await readFile(join(folder, "made"), "utf8")).toBe("new\n");
    expect(await sh("kill -TERM $$")).toMatchObject({ exitCode: 143 });
  });

  it("removes its own folder's files at most with rm -rf /", async () => {
    const { around, folder, sh } = await openFolder();
    const { exitCode } = await sh(
      'cd /; rm -rf --one-file-system bin sbin lib etc/* tmp/* root home "$OLDPWD"/*; exit 0',
    );
    expect(exitCode).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    expect(await readNeighbour(around)).toEqual(NEIGHBOUR);
    for (const path of ["/bin/sh", "/etc/passwd", process.execPath]) expect(existsSync(path)).toBe(true);
  });

  it("reaches nothing beside its folder, by a path or through a link, to read or to write", async () => {
    const { around, folder, sh } = await openFolder();
    await symlink(join(around, "neighbour"), join(folder, "link"));
    await symlink(around, join(folder, "up"));
    const tries = ["cat link", "cat up/neighbour", "cat ../neighbour", "echo x > link", "echo x > ../neighbour"];
    for (const line of tries) expect([line, (await sh(line)).exitCode === 0]).toEqual([line, false]);
    expect(await readNeighbour(around)).toEqual(NEIGHBOUR);
    expect((await sh(`ls -d ${process.env.HOME} /root /home /var 2> /dev/null`)).text).toBe("");
    expect((await sh("echo x > /usr/bin/x; echo x > /etc/x; ls /usr/bin/x /etc/x 2> /dev/null")).text).not.toMatch(
      /^\//m,
    );
  });

  it("can't undo what confines it", async () => {
    const { sh } = await openFolder();
    const lines = [
      "mount -o remount,rw /usr",
      "umount /proc",
      "mount -t tmpfs none /tmp",
      "echo 1 > /proc/sys/kernel/panic",
    ];
    for (const line of lines) expect((await sh(`${line} 2> /dev/null`)).exitCode).not.toBe(0);
    const nested = "unshare --user --map-root-user --mount sh -c 'mount -o remount,rw,bind /usr; touch /usr/x'";
    expect((await sh(`${nested} 2> /dev/null`)).exitCode).not.toBe(0);
  });

  it("bombs only itself with forks", async () => {
    const { sh } = await openFolder();
    await sh("bomb() { bomb | bomb & }; bomb; sleep 1", 5_000);
    expect(await sh("echo still here")).toMatchObject({ exitCode: 0, text: "still here\n" });
  });

  it("reaches no port of this machine and no other", async () => {
    let connections = 0;
    const server = createServer(() => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { sh } = await openFolder();
    const code = (host: string) =>
      `require('net').connect(${port}, '${host}').on('error', (e) => { console.log(e.code) })`;
    expect((await sh(`node -e "${code("127.0.0.1")}"`)).text).toBe("ECONNREFUSED\n");
    expect((await sh(`node -e "${code("192.0.2.1")}"`)).text).toBe("ENETUNREACH\n");
    expect(connections).toBe(0);
  });

  it("sees nothing of our environment, and only its own processes", async () => {
    const { folder, sh } = await openFolder();
    const names = (await sh("env")).text.split("\n").map((line) => line.split("=")[0]);
    expect(names.filter((name) => name && !["PWD", "SHLVL", "_"].includes(name)).sort()).toEqual([
      ...["HOME", "LANG", "NO_COLOR", "PATH"],
    ]);
    expect((await sh("echo $HOME; ls /proc | grep -c '^[0-9]'")).text).toMatch(new RegExp(`^${folder}\\n[1-9]\\n$`));
  });

  it("ends with its call, whatever it left in the background", async () => {
    const { folder, sh } = await openFolder();
    await sh("setsid sh -c 'while :; do date > beat; sleep 0.05; done' & sleep 0.3");
    const last = (await stat(join(folder, "beat"))).mtimeMs;
    // Longer than it would take to beat again, if anything still did.
    await sleep(300);
    expect((await stat(join(folder, "beat"))).mtimeMs).toBe(last);
  });
});

describe("which sandbox it is", () => {
  it("is none that was not asked for, and none where none can be had", async () => {
    const bare = { searchPath: await createTemporaryFolder() };
    await expect(choose({ ...bare, kind: "namespaces" })).rejects.toThrow("sandbox: namespaces can't be had");
    await expect(choose({ ...bare, kind: "container" })).rejects.toThrow("neither docker nor podman answers");
    const refusing = await (await choose(bare))(null);
    expect(refusing.describe).toContain("--unsafe");
    const folder = await createTemporaryFolder();
    const options = { folder, cwd: folder, timeLimitMs: 1000, signal: new AbortController().signal };
    await expect(refusing.run("touch", ["x"], options)).rejects.toThrow("programs are not run here");
    expect(await readdir(folder)).toEqual([]);
    expect(await (await choose({ ...bare, unsafe: true }))(null)).toMatchObject({ kind: "none" });
  });

  it("is a container where only an engine of containers answers, without network, rights or our files", async () => {
    const bin = await createTemporaryFolder();
    const folder = await createTemporaryFolder();
    // A stand-in for the engine's client, which is a program of others: says what it was asked.
    await writeFile(join(bin, "podman"), '#!/bin/sh\n[ "$1" = info ] || printf "%s\\n" "$@"\n', { mode: 0o755 });
    const open = await choose({ searchPath: `${bin}:/bin`, kind: "container", image: "node:20" });
    const sandbox = await open(null);
    expect(sandbox.describe).toBe("a podman container of node:20, no network");
    const options = { folder, cwd: folder, timeLimitMs: 5000, signal: new AbortController().signal };
    const asked = (await sandbox.run("node", ["--test"], options)).output.text.split("\n");
    expect(asked).toEqual(
      expect.arrayContaining(["--network=none", "--read-only", "--cap-drop=ALL", "--pids-limit=512"]),
    );
    expect(asked.filter((line) => line.startsWith("--volume"))).toEqual([`--volume=${folder}:${folder}`]);
    expect(asked.slice(-4, -1)).toEqual(["node:20", "node", "--test"]);
  });
});
