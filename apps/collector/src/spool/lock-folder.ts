/**
 * One owner for a folder. The lock is a listening Unix socket in it, which the kernel takes away with its process however
 * that dies, and which other containers that share the folder see too.
 * Invariant: two never both own it: each first listens, then looks for others, so whoever looks later sees the other.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type FileHandle, readdir, stat, unlink } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { CentspanError } from "@centspan/base";

/** What connecting to the socket of a process that is gone says. */
const DEAD = new Set(["ECONNREFUSED", "ENOENT"]);
const LOCK_NAME = /^lock-[0-9a-f]+\.sock$/;

export type FolderLock = { release(): Promise<void> };

/** `handle` is the folder, open: a socket's path may have only about a hundred bytes, and Linux can name it by that. */
export async function lockFolder(folder: string, handle: FileHandle): Promise<FolderLock> {
  const base = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : folder;
  const own = `lock-${randomBytes(6).toString("hex")}.sock`;
  const server = createServer((socket) => socket.destroy()).listen(join(base, own));
  await once(server, "listening");
  server.unref();
  const release = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    await closed;
    await unlink(join(folder, own)).catch(() => undefined);
  };
  const others = (await readdir(folder)).filter((name) => LOCK_NAME.test(name) && name !== own);
  for (const name of others) {
    if (await isOwned(join(base, name))) {
      await release();
      throw new CentspanError("conflict", `${folder} is in use by another collector: each needs a folder of its own`);
    }
    await unlink(join(folder, name)).catch(() => undefined);
  }
  // Someone who looked between our binding and our listening took ours for a dead one.
  await stat(join(folder, own)).catch(async () => {
    await release();
    throw new CentspanError("conflict", `${folder} is being taken by another collector`);
  });
  return { release };
}

function isOwned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(!DEAD.has(error.code ?? "")));
  });
}
