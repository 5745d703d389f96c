/**
 * The chDB engine of one data directory: its lanes, sessions and work files. It runs statements; it knows nothing of
 * HTTP. Everything blocking happens on libuv threads, one for each statement that runs.
 */
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { ChdbResult, Session } from "chdb";
import { ENGINE_CONFIG, SESSION_DEFAULTS } from "./engine-config.ts";
import { HttpSessions } from "./http-sessions.ts";
import { Lane } from "./lane.ts";
import { lowerMerges } from "./lower-merges.ts";
import type { Profile, QueryRequest } from "./request.ts";
import { admitWriter, createPipes, openResultPipe } from "./result-pipe.ts";
import { runStatement, SessionPool, setParameters } from "./session-pool.ts";
import { quoteString } from "./sql-text.ts";
import { type Statement, toSql } from "./statement.ts";

const QUERY_PLACES = 32;
const INSERT_PLACES = 12;
const COMMAND_PLACES = 8;
const QUEUE_LIMIT = 256;
const KILL_RETRY_MS = 50;

export type Run = Pick<QueryRequest, "params" | "profile" | "session" | "defaultFormat">;
type Output = Extract<Statement, { kind: "output" }>;
type Insert = Extract<Statement, { kind: "insert" }>;
type Command = Extract<Statement, { kind: "command" }>;

export class Engine {
  readonly version: string;
  readonly timezone: string;
  readonly #runDir: string;
  readonly #pool: SessionPool;
  readonly #named: HttpSessions;
  readonly #queries: Lane<string>;
  readonly #inserts = new Lane([...Array(INSERT_PLACES).keys()], QUEUE_LIMIT);
  readonly #commands = new Lane([...Array(COMMAND_PLACES).keys()], QUEUE_LIMIT);
  readonly #control: Session;

  readonly #drainPending: () => Promise<void>;

  private constructor(
    runDir: string,
    open: () => Session,
    drain: () => Promise<void>,
    pipes: string[],
    about: string[],
  ) {
    this.#runDir = runDir;
    this.#pool = new SessionPool(open);
    this.#named = new HttpSessions(open);
    this.#control = open();
    this.#drainPending = drain;
    this.#queries = new Lane(pipes, QUEUE_LIMIT);
    [this.version = "", this.timezone = ""] = about;
  }

  static async start(dataDir: string): Promise<Engine> {
    // The engine takes its time zone from the environment; figures must not depend on the machine's.
    process.env.TZ = "UTC";
    const runDir = join(dataDir, "run");
    rmSync(runDir, { recursive: true, force: true });
    mkdirSync(join(dataDir, "clickhouse"), { recursive: true, mode: 0o700 });
    mkdirSync(runDir, { recursive: true, mode: 0o700 });
    const configFile = join(runDir, "engine.xml");
    writeFileSync(configFile, ENGINE_CONFIG);
    const pipes = await createPipes(runDir, QUERY_PLACES);
    // The engine would take insert data from standard input when a statement brings none, and wait for it for ever.
    closeSync(0);
    openSync("/dev/null", "r");
    // The library is large and loads only when it is needed: not to refuse a port or an option.
    const { drainPending, Session } = await import("chdb");
    const connectionArgs = [`--config-file=${configFile}`, ...SESSION_DEFAULTS];
    const open = () => new Session(join(dataDir, "clickhouse"), { connectionArgs });
    const first = open();
    const about = await first.queryAsync("SELECT version(), timezone()", { format: "TSV" });
    const engine = new Engine(runDir, open, drainPending, pipes, about.text().trim().split("\t"));
    // With the first table that merges the engine starts the threads that do it.
    await first.queryAsync("CREATE TEMPORARY TABLE merging (nothing UInt8) ENGINE = MergeTree ORDER BY nothing");
    lowerMerges();
    first.close();
    return engine;
  }

  /** A name for a work file that no other request has. */
  workFile(): string {
    return join(this.#runDir, `body-${randomUUID()}`);
  }

  /**
   * Runs a statement whose rows `consume` reads as they come. `finished` tells how the statement ended; when `consume`
   * returns or throws before that, or the signal fires, the statement is killed. Returns after it is really over.
   */
  output(
    run: Run,
    statement: Output,
    signal: AbortSignal,
    consume: (rows: Readable, finished: Promise<ChdbResult>) => Promise<void>,
  ): Promise<void> {
    return this.#queries.use(signal, (path) =>
      this.#withSession(run, false, async (session) => {
        await setParameters(session, run.params, statement.parameters);
        const pipe = openResultPipe(path);
        const mark = randomUUID();
        const format = toSql(statement.format ?? run.defaultFormat);
        const sql = `${toSql(statement.select)}\nINTO OUTFILE ${quoteString(path)} APPEND FORMAT ${format} ${toSql(statement.tail)}\n/* ${mark} */`;
        let isOver = false;
        const finished = runStatement(session, sql).finally(() => {
          isOver = true;
          pipe.endAfterWriters();
        });
        finished.catch(() => undefined);
        const stop = () => pipe.stream.destroy();
        signal.addEventListener("abort", stop, { once: true });
        try {
          await consume(pipe.stream, finished);
        } finally {
          signal.removeEventListener("abort", stop);
          stop();
          while (!isOver) {
            admitWriter(path);
            await this.#kill(mark, finished);
          }
        }
      }),
    );
  }

  /** Inserts the rows in `file`. The result's `rowsRead` counts them. */
  insert(run: Run, statement: Insert, file: string, signal: AbortSignal): Promise<ChdbResult> {
    return this.#inserts.use(signal, () =>
      this.#withSession(run, false, async (session) => {
        await setParameters(session, run.params, statement.parameters);
        const target = toSql(statement.target);
        const settings = toSql(statement.settings);
        const format = toSql(statement.format);
        return runStatement(session, `${target} FROM INFILE ${quoteString(file)} ${settings} FORMAT ${format}`);
      }),
    );
  }

  command(run: Run, statement: Command, signal: AbortSignal): Promise<ChdbResult> {
    return this.#commands.use(signal, () =>
      this.#withSession(run, statement.changesSession, async (session) => {
        await setParameters(session, run.params, statement.parameters);
        return runStatement(session, toSql(statement.sql), run.defaultFormat);
      }),
    );
  }

  /** Ends what still runs, whoever asked for it, then lets go of the files. */
  async close(): Promise<void> {
    const lanes = [this.#queries, this.#inserts, this.#commands];
    while (!lanes.every((lane) => lane.isIdle)) {
      await this.#control.queryAsync("KILL QUERY WHERE 1");
      await delay(KILL_RETRY_MS);
    }
    this.#named.close();
    this.#pool.close();
    this.#control.close();
    await this.#drainPending();
  }

  #withSession<Result>(run: Run, once: boolean, work: (session: Session) => Promise<Result>): Promise<Result> {
    const profile: Profile = run.profile;
    return run.session ? this.#named.use(run.session, profile, work) : this.#pool.use(profile, once, work);
  }

  /** Repeated until the statement is over: it may not have been in the engine's list yet. */
  async #kill(mark: string, finished: Promise<unknown>): Promise<void> {
    await this.#control.queryAsync(`KILL QUERY WHERE endsWith(query, ${quoteString(`/* ${mark} */`)})`);
    const retry = new AbortController();
    await Promise.race([finished.catch(() => undefined), delay(KILL_RETRY_MS, undefined, retry)]).finally(() =>
      retry.abort(),
    );
  }
}
