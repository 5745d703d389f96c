/**
 * Linux namespaces by util-linux's `unshare`: a program sees the system's folders read-only, its own folder, an empty
 * /tmp, its own processes and no network but loopback. As root it runs as `nobody`; otherwise user namespaces give the
 * rights to set this up, which it loses before the program starts.
 * A harness that is killed takes its programs with it.
 * Invariant: what the script mounts can't be undone from inside, since no capability is left to do it with.
 */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SOCKET_NAME, writeForwarder } from "./egress-forwarder.ts";
import { runProcess } from "./run-process.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

const NOBODY = 65534;

/** What one program may use. More processes than these are a fork bomb. */
const LIMITS = ["--nproc=512", "--nofile=4096", "--core=0", `--fsize=${2 * 1024 ** 3}`, `--data=${4 * 1024 ** 3}`];

/** Where the Node that runs us was installed, which may be in somebody's home. */
const NODE_FOLDER = dirname(dirname(process.execPath));

/** Seen read-only; whatever of it does not exist is left out. */
const SYSTEM_FOLDERS = "/usr /bin /sbin /lib /lib32 /lib64 /etc /opt /nix";

/**
 * `sh` as process 1 of the new namespaces: builds a root from binds, moves into it, drops what it may do, starts the
 * program and reaps what that leaves. Arguments: mount point, folder, its owner's id or "", working folder, folder of the
 * egress socket or "", folder of Node, program and its arguments.
 */
const ENTER = `set -eu
PATH="$PATH:/usr/sbin:/sbin"
root=$1 folder=$2 owner=$3 cwd=$4 egress=$5 node=$6; shift 6
mount -t tmpfs -o size=1m,mode=755,nosuid,nodev none "$root"
for each in ${SYSTEM_FOLDERS} "$node"; do
  if [ -e "$root$each" ]; then continue
  elif [ -L "$each" ]; then ln -s "$(readlink "$each")" "$root$each"
  elif [ -d "$each" ]; then
    mkdir -p "$root$each"
    mount --rbind "$each" "$root$each"
    mount -o remount,bind,ro,nosuid,nodev "$root$each"
  fi
done
mkdir "$root/proc" "$root/tmp" "$root/dev" "$root/dev/shm" "$root/run" "$root/before"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o size=512m,mode=1777,nosuid,nodev none "$root/tmp"
mount -t tmpfs -o size=64m,mode=1777,nosuid,nodev none "$root/dev/shm"
for each in null zero full random urandom; do : > "$root/dev/$each"; mount --bind "/dev/$each" "$root/dev/$each"; done
ln -s /proc/self/fd "$root/dev/fd"
mkdir -p "$root$folder"
mount --bind "$folder" "$root$folder"
mount -o remount,bind,rw,nosuid,nodev "$root$folder"
if [ -n "$egress" ]; then mount --bind "$egress" "$root/run"; fi
cd "$root"
pivot_root . before
umount -l /before
rmdir /before
mount -o remount,bind,ro,nosuid,nodev /
ip link set lo up 2> /dev/null || ifconfig lo up 2> /dev/null || :
cd "$cwd"
drop="--bounding-set=-all --inh-caps=-all --no-new-privs"
if [ -n "$owner" ]; then
  chown -hR "$owner:$owner" "$folder"
  drop="$drop --reuid=$owner --regid=$owner --clear-groups"
fi
unset OLDPWD
set +e
setpriv $drop prlimit ${LIMITS.join(" ")} "$@"
exit $?`;

const NAMESPACES = ["--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];

export async function openNamespaces({ searchPath, workDir, egress }: SandboxOptions): Promise<Sandbox> {
  const isRoot = process.getuid?.() === 0;
  // Each program mounts its own root over it, where nobody else sees it.
  const mountPoint = join(workDir, ".root");
  await mkdir(mountPoint, { recursive: true });
  const environment = egress === null ? {} : egress.standIns;
  const forward = egress === null ? [] : writeForwarder(join("/run", SOCKET_NAME));
  return {
    kind: "namespaces",
    describe: `namespaces, ${isRoot ? "as nobody" : "without rights"}, ${egress === null ? "no network" : "out through the gateway only"}`,
    run(file, args, { folder, ...options }) {
      const owner = isRoot ? String(NOBODY) : "";
      const enter = [
        "sh",
        "-c",
        ENTER,
        "sh",
        mountPoint,
        folder,
        owner,
        options.cwd,
        egress?.folder ?? "",
        NODE_FOLDER,
      ];
      const names = isRoot ? NAMESPACES : ["--user", "--map-root-user", ...NAMESPACES];
      return runProcess("setpriv", ["--pdeathsig=KILL", "unshare", ...names, ...enter, ...forward, file, ...args], {
        ...options,
        searchPath,
        environment,
      });
    },
  };
}
