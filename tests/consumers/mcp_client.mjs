// SPDX-License-Identifier: Apache-2.0
// Asks `wick mcp` with a client of the protocol's authors and prints the answers as JSON.
//
//     mcp_client.mjs PACKAGES old|new WICK FILE QUESTIONS
//
// "old" opens a session (@modelcontextprotocol/sdk), "new" may use the revision without one
// (@modelcontextprotocol/client). QUESTIONS is a JSON array of {name, arguments}.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [packages, age, wick, file, questions] = process.argv.slice(2);
const load = (name) =>
  import(pathToFileURL(createRequire(path.join(packages, "package.json")).resolve(name)));

async function connect() {
  const identity = { name: "wick-test", version: "1" };
  const server = { command: wick, args: ["mcp", file] };
  if (age === "old") {
    const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(identity);
    await client.connect(new StdioClientTransport(server));
    return client;
  }
  const { Client } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  const client = new Client(identity, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StdioClientTransport(server));
  return client;
}

const client = await connect();
const { tools } = await client.listTools();
const answers = [];
for (const question of JSON.parse(questions)) {
  answers.push(await client.callTool(question));
}
const version = client.getNegotiatedProtocolVersion?.() ?? null;
console.log(JSON.stringify({ server: client.getServerVersion(), version, tools, answers }));
await client.close();
