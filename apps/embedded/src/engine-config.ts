/** What the embedded engine is told at start-up, and why it differs from a server's defaults. */

/**
 * - fsync: a laptop has no replica, and PostgreSQL beside it syncs too, so what was acknowledged should also survive a
 *   power cut. Measured: about 4 ms on top of 4 ms for an insert, whatever its size up to some MB; inserts come in
 *   batches. (A kill of the process loses nothing either way, the page cache outlives it.)
 * - statistics: this version works out statistics of every column at every merge, for a planner that none of our
 *   statements needs. Measured on spans with 15 attributes: 0.3 µs a row of 2.6.
 * - merges of fewer parts are left until there are more: a row is merged less often. Measured over 10 million spans:
 *   insert and merges 5.5 µs a row instead of 6.1.
 * - memory: the machine is shared with everything else a developer runs; beyond half of it, queries fail with
 *   MEMORY_LIMIT_EXCEEDED instead of the process being killed.
 */
export const ENGINE_CONFIG = `<clickhouse>
  <max_server_memory_usage_to_ram_ratio>0.5</max_server_memory_usage_to_ram_ratio>
  <merge_tree>
    <fsync_after_insert>1</fsync_after_insert>
    <fsync_part_directory>1</fsync_part_directory>
    <auto_statistics_types></auto_statistics_types>
    <min_parts_to_merge_at_once>8</min_parts_to_merge_at_once>
  </merge_tree>
</clickhouse>
`;

/**
 * The first two are chDB's local-tool conveniences that a server does not have. Inserts arrive as whole bodies, so the
 * engine has nothing to gather and answers as soon as a part is on disk; a request may still ask for `async_insert`.
 */
export const SESSION_DEFAULTS = ["--implicit_select=0", "--allow_introspection_functions=0", "--async_insert=0"];
