/**
 * A container per program, by Docker or Podman: the image's system, the folder and nothing else of this machine, no network
 * but its own loopback. For tasks that need another system than this one's, and where namespaces can't be had.
 */
import { randomBytes } from "node:crypto";
import { SOCKET_NAME, writeForwarder } from "./egress-forwarder.ts";
import { runProcess } from "./run-process.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

export const CONTAINER_ENGINES = ["docker", "podman"] as const;
export type ContainerEngine = (typeof CONTAINER_ENGINES)[number];

/** Has `node`, like the machine that the harness runs on. */
export const DEFAULT_IMAGE = "node:20-slim";

const CONFINED = [
  "--network=none",
  "--read-only",
  "--tmpfs=/tmp:size=512m",
  "--cap-drop=ALL",
  "--security-opt=no-new-privileges",
  "--pids-limit=512",
  "--memory=4g",
];

const STOP_LIMIT_MS = 30_000;

export function openContainers(setup: SandboxOptions & { engine: ContainerEngine; image: string }): Sandbox {
  const { engine, image, egress, searchPath } = setup;
  const variables = { LANG: "C.UTF-8", NO_COLOR: "1", ...egress?.standIns };
  const forward = egress === null ? [] : writeForwarder(`/run/centspan/${SOCKET_NAME}`);
  return {
    kind: "container",
    describe: `a ${engine} container of ${image}, ${egress === null ? "no network" : "out through the gateway only"}`,
    async run(file, args, { folder, cwd, ...options }) {
      const name = `centspan-${randomBytes(8).toString("hex")}`;
      const seen = [
        `--volume=${folder}:${folder}`,
        ...(egress === null ? [] : [`--volume=${egress.folder}:/run/centspan:ro`]),
        `--workdir=${cwd}`,
        // What it writes belongs to whoever runs the harness.
        `--user=${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
        ...Object.entries({ ...variables, HOME: cwd }).map(([variable, value]) => `--env=${variable}=${value}`),
      ];
      const command = [
        "run",
        "--rm",
        "--init",
        `--name=${name}`,
        ...CONFINED,
        ...seen,
        image,
        ...forward,
        file,
        ...args,
      ];
      const around = { cwd: folder, searchPath };
      try {
        return await runProcess(engine, command, { ...options, ...around });
      } finally {
        // The client may have been killed; the container has not been by that.
        const limits = { timeLimitMs: STOP_LIMIT_MS, signal: new AbortController().signal };
        await runProcess(engine, ["rm", "--force", name], { ...around, ...limits });
      }
    },
  };
}
