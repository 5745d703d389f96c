import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLibrary } from "../../library/read-library.ts";
import { createMechanisms, type Mechanism } from "../../mechanisms.ts";
import { createTemporaryFolder } from "../../testing/temporary-folder.ts";
import { createRunContext } from "../../testing/tool-context.ts";
import { createToolServer, toolOf } from "../../testing/tool-server.ts";
import { TOOLS } from "../registry.ts";
import { openToolContext, type Tool } from "../tool.ts";
import { createCatalogue } from "./catalogue.ts";
import { openToolbox } from "./toolbox.ts";

const ISSUES = [
  toolOf("tracker__create_issue", "Opens a new ticket in a project.", {
    assignee: { type: "string", description: "Who is to work on it." },
  }),
  toolOf("tracker__closeIssue", "Closes a ticket."),
  toolOf("tracker__list_labels", "Lists the labels of a project."),
  toolOf("mail__send", "Sends a message to an address."),
];

async function open(without: Mechanism[] = [], tools: readonly Tool[] = ISSUES) {
  const mechanisms = createMechanisms(without);
  const toolbox = await openToolbox({ core: TOOLS, servers: [createToolServer(tools)], documents: [], mechanisms });
  const names = async () => (await toolbox.describe()).map((json) => String(JSON.parse(json).name));
  return { toolbox, names };
}

describe("the catalogue", () => {
  const entries = ISSUES.map(({ name, description }) => ({ kind: "tool" as const, name, description, words: "" }));

  it("finds by other forms of the words, in one order however entries were ordered", () => {
    for (const list of [entries, entries.toReversed()]) {
      const find = (query: string) =>
        createCatalogue(list)
          .search(query, "tool", 8)
          .map(({ name }) => name);
      expect(find("closing tickets")[0]).toBe("tracker__closeIssue");
      expect(find("send messages")).toEqual(["mail__send"]);
      expect(find("label")).toEqual(["tracker__list_labels"]);
      expect(find("projects")).toEqual(["tracker__create_issue", "tracker__list_labels"]);
      expect(find("something else entirely")).toEqual([]);
      expect(find("what is it")).toEqual([]);
    }
  });
});

describe("the toolbox", () => {
  it("has core tools and discovery in the prompt, the same bytes each time, and the rest within reach", async () => {
    const { toolbox, names } = await open();
    expect(await names()).toEqual([...TOOLS.map(({ name }) => name), "call_tool", "tool_search"].sort());
    expect(await toolbox.describe()).toEqual(await toolbox.describe());
    expect(toolbox.find("mail__send")).toBeDefined();
    const call = { callId: "1", name: "call_tool", argumentsJson: '{"name":"mail__send","arguments":{"to":"a"}}' };
    expect(toolbox.resolve(call)).toEqual({ callId: "1", name: "mail__send", argumentsJson: '{"to":"a"}' });
    const broken = { ...call, argumentsJson: '{"name":' };
    expect(toolbox.resolve(broken)).toBe(broken);
  });

  it("shows all tools where they are not deferred, in one order or in the server's", async () => {
    const all = [...TOOLS, ...ISSUES].map(({ name }) => name).sort();
    const { toolbox, names } = await open(["deferredTools"]);
    expect(await names()).toEqual(all);
    expect(await toolbox.describe()).toEqual(await toolbox.describe());
    const unstable = await open(["deferredTools", "stableTools"]);
    const orders = [await unstable.names(), await unstable.names()];
    expect(orders[0]).not.toEqual(orders[1]);
    expect(orders.map((order) => order.toSorted())).toEqual([all, all]);
  });

  it("has no discovery where there is nothing to discover, and no two tools of one name", async () => {
    const { names } = await open([], []);
    expect(await names()).toEqual(TOOLS.map(({ name }) => name));
    await expect(open([], [...ISSUES, toolOf("read_file", "")])).rejects.toThrow('two named "read_file"');
  });

  it("says what was found with its parameters, or that nothing was", async () => {
    const { toolbox } = await open();
    const context = await createRunContext("");
    const search = async (args: object) =>
      toolbox.find("tool_search")?.run(JSON.stringify(args), openToolContext(context, "1"));
    const found = await search({ query: "assign a ticket", limit: 1 });
    expect(JSON.parse(found?.output.text ?? "")).toMatchObject({
      name: "tracker__create_issue",
      parameters: { properties: { assignee: { type: "string" } } },
    });
    expect(found?.search).toEqual({ candidates: 4, hits: 1 });
    expect((await search({ query: "weather" }))?.output.text).toBe("(nothing found; try other words)");
  });
});

describe("the library", () => {
  async function openLibrary(files: Record<string, string>) {
    const folder = await createTemporaryFolder();
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return readLibrary(folder);
  }
  const skill = "---\nname: release\ndescription: 'How to cut a release'\n---\nTag, build, publish.\n";

  it("is found like tools, each kind by itself, its texts read on by range", async () => {
    const { documents, servers } = await openLibrary({
      "skills/release/SKILL.md": skill,
      "memory/deploys.md": `# Release days\nNever release on Fridays.\n${"x".repeat(5_000)}the end`,
      "plugins/shop/plugin.json": JSON.stringify({
        name: "shop",
        description: "Orders and their release to the store",
        mcpServers: { shop: { url: "http://127.0.0.1:9/mcp" } },
      }),
      "plugins/shop/skills/refund/SKILL.md": "Refund an order.\n",
    });
    expect(documents.map(({ kind, name }) => `${kind}:${name}`)).toEqual([
      "skill:release",
      "memory:deploys",
      "plugin:shop",
      "skill:refund",
    ]);
    expect(Object.keys(servers)).toEqual(["shop"]);
    const toolbox = await openToolbox({ core: TOOLS, servers: [], documents, mechanisms: createMechanisms() });
    const context = await createRunContext("");
    const call = async (name: string, args: object, id: string) =>
      (await toolbox.find(name)?.run(JSON.stringify(args), openToolContext(context, id)))?.output.text ?? "";
    const found = await call("tool_search", { query: "release" }, "1");
    expect(found).toMatch(
      /^<skill name="release">\nHow to cut a release\n\nTag, build, publish\.\n\n<\/skill>\n<plugin/,
    );
    expect(found).toContain("Never release on Fridays.");
    const mark = /read_more (\{[^}]+\})/.exec(found)?.[1] ?? "{}";
    expect(await call("read_more", JSON.parse(mark), "2")).toMatch(/x{3000}the end$/);
  });

  it("is empty where there is no folder, and names the file that is wrong", async () => {
    expect(await openLibrary({})).toEqual({ documents: [], servers: {} });
    await expect(openLibrary({ "plugins/a/plugin.json": "{" })).rejects.toThrow("plugin.json: is not JSON");
    await expect(openLibrary({ "plugins/a/plugin.json": '{"name":"a"}' })).rejects.toThrow("description");
    await expect(openLibrary({ "skills/a/other.md": "" })).rejects.toThrow("SKILL.md: can't be read");
  });
});
