// The protocol's own TypeScript SDK as an editor, with the real forge at the other end.
//   node client.mjs FORGE SCRIPT FOLDER [--connect]
// FORGE_ACP_NPM names the folder whose node_modules hold @agentclientprotocol/sdk. It
// prints what it saw and ends with 1 where that is not what the protocol promises.
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { Readable, Writable } from "node:stream";
import fs from "node:fs";
import path from "node:path";
import assert from "node:assert/strict";

const sdk = path.join(process.env.FORGE_ACP_NPM, "node_modules/@agentclientprotocol/sdk");
const main = JSON.parse(fs.readFileSync(path.join(sdk, "package.json"), "utf8")).main;
const acp = await import(pathToFileURL(path.join(sdk, main)));

const [forge, script, folder, connect] = process.argv.slice(2); // to a server that has the script

// Every message goes past the schema that the SDK brings along.
const zod = await import(pathToFileURL(path.join(sdk, "dist/v1/schema/zod.gen.js")));
const schemas = { "session/update": zod.zSessionNotification, "session/request_permission": zod.zRequestPermissionRequest, "elicitation/create": zod.zCreateElicitationRequest };
function checked(lines) {
  for (const l of lines) {
    assert.equal(l.jsonrpc, "2.0");
    if (l.method) schemas[l.method].parse(l.params);
    else if (l.result?.agentCapabilities) zod.zInitializeResponse.parse(l.result);
    else if (l.result?.sessionId) zod.zNewSessionResponse.parse(l.result);
    else if (l.result?.stopReason) zod.zPromptResponse.parse(l.result);
    else if (l.result?.sessions) zod.zListSessionsResponse.parse(l.result);
  }
  return lines.length;
}

function start() {
  const child = spawn(forge, ["acp", connect ?? `--demo=${script}`], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  const [a, b] = Readable.toWeb(child.stdout).tee();
  const lines = [];
  (async () => {
    let rest = "";
    for await (const chunk of b.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      for (let i; (i = rest.indexOf("\n")) >= 0; rest = rest.slice(i + 1)) lines.push(JSON.parse(rest.slice(0, i)));
    }
    assert.equal(rest, "", "something stands behind the last message");
  })().catch((err) => { console.error(err); process.exit(1); });
  return { child, ended, lines, stream: acp.ndJsonStream(Writable.toWeb(child.stdin), a) };
}

const updates = [];
let heard = () => {};
let choose = () => "allow-once";
const asked = [];
const editor = () => acp.client({ name: "check" })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
    asked.push(params);
    const id = choose(params);
    return { outcome: id ? { outcome: "selected", optionId: id } : { outcome: "cancelled" } };
  })
  .onRequest(acp.methods.client.elicitation.create, ({ params }) => {
    asked.push(params);
    return { action: "accept", content: params.requestedSchema.properties.zone ? { zone: "Asia/Tokyo" } : { q1: "1", "q1-words": "or green" } };
  })
  .onNotification(acp.methods.client.session.update, ({ params }) => { updates.push(params); heard(); });

const capabilities = { session: { notices: {}, compaction: {} }, elicitation: { form: {} }, auth: { terminal: true } };
const text = (t) => [{ type: "text", text: t }];
const said = (kind) => updates.filter((u) => u.update.sessionUpdate === kind).map((u) => u.update);
const words = (kind) => said(kind).map((u) => u.content.text).join("");
const agent = acp.methods.agent;
let id;

let f = start();
await editor().connectWith(f.stream, async (ctx) => {
  const init = await ctx.request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: capabilities, clientInfo: { name: "check", version: "1" } });
  assert.equal(init.protocolVersion, acp.PROTOCOL_VERSION);
  assert.equal(init.agentCapabilities.loadSession, true);
  assert.ok(init.authMethods.some((m) => m.type === "terminal" && m.args[0] === "login"));
  await ctx.request(agent.authenticate, { methodId: init.authMethods[0].id });
  const begun = await ctx.request(agent.session.new, { cwd: folder, mcpServers: [] });
  id = begun.sessionId;
  assert.ok(begun.configOptions.some((o) => o.category === "mode") && begun.configOptions.some((o) => o.category === "model"));

  let r = await ctx.request(agent.session.prompt, { sessionId: id, prompt: text("change it") });
  assert.equal(r.stopReason, "end_turn");
  assert.equal(words("agent_thought_chunk").trim(), "First I look.");
  assert.match(words("agent_message_chunk"), /Let me look\.[^]*Done\./);
  const kinds = said("tool_call").map((u) => u.kind);
  assert.deepEqual(kinds, ["read", "think", "edit", "execute"]);
  assert.ok(said("tool_call_update").some((u) => u.status === "completed" && u.content?.some((c) => c.type === "diff" && c.oldText === "one\ntwo\n" && c.newText === "one\n2\n")));
  assert.deepEqual(said("plan").at(-1).entries.map((e) => e.status), ["completed", "in_progress"]);
  assert.ok(said("available_commands_update")[0].availableCommands.some((c) => c.name === "compact"));
  assert.ok(said("usage_update").every((u) => u.used > 0 && u.size > 0));
  assert.deepEqual(asked[0].options.map((o) => o.kind), ["allow_once", "allow_always", "allow_always", "reject_once"]);
  assert.equal(fs.readFileSync(path.join(folder, "a.txt"), "utf8"), "one\n2\n");

  // A question of the model is a form.
  r = await ctx.request(agent.session.prompt, { sessionId: id, prompt: text("which?") });
  assert.equal(r.stopReason, "end_turn");
  assert.equal(asked.at(-1).mode, "form");

  // Cancelled while it asks, and by the cancelling of the request itself.
  choose = () => { ctx.notify(agent.session.cancel, { sessionId: id }); return ""; };
  r = await ctx.request(agent.session.prompt, { sessionId: id, prompt: text("refuse") });
  assert.equal(r.stopReason, "cancelled");
  choose = () => "allow-once";

  await ctx.request(agent.session.setMode, { sessionId: id, modeId: "plan" });
  const set = await ctx.request(agent.session.setConfigOption, { sessionId: id, configId: "mode", value: "ask" });
  assert.equal(set.configOptions.find((o) => o.category === "mode").currentValue, "ask");

  await assert.rejects(ctx.request(agent.session.prompt, { sessionId: "none", prompt: text("x") }), (err) => err.code === -32002);
  const other = await ctx.request(agent.session.new, { cwd: folder, mcpServers: [] });
  assert.notEqual(other.sessionId, id);
  await ctx.request(agent.session.close, { sessionId: other.sessionId });

  // A prompt of a server is a command once the server runs; what it wants is a form.
  const lent = await ctx.request(agent.session.new, { cwd: folder, mcpServers: [{ name: "demo", command: forge, args: ["mcp", "demo"], env: [] }] });
  const listed = () => updates.some((u) => u.sessionId === lent.sessionId && u.update.availableCommands?.some((c) => c.name === "demo:briefing" && c.input.hint === "zone [style]"));
  while (!listed()) await new Promise((soon) => { heard = soon; });
  r = await ctx.request(agent.session.prompt, { sessionId: lent.sessionId, prompt: text("/demo:briefing") });
  assert.equal(r.stopReason, "end_turn");
  assert.deepEqual(asked.find((a) => a.requestedSchema?.properties.zone).requestedSchema.required, ["zone"]);
  assert.ok(said("notice").some((u) => u.title.includes("Asia/Tokyo")));
  await ctx.request(agent.session.close, { sessionId: lent.sessionId });
  await ctx.request(agent.session.delete, { sessionId: lent.sessionId });
  assert.deepEqual(said("current_mode_update").map((u) => u.currentModeId), ["plan", "ask"]);
});
f.child.stdin.end();
assert.equal(await f.ended, 0);
let seen = checked(f.lines);

// Another process tells it again, and goes on.
updates.length = 0;
f = start();
await editor().connectWith(f.stream, async (ctx) => {
  await ctx.request(agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: capabilities });
  const { sessions } = await ctx.request(agent.session.list, { cwd: folder });
  assert.deepEqual(sessions.map((s) => s.sessionId), [id]);
  await ctx.request(agent.session.load, { sessionId: id, cwd: folder, mcpServers: [] });
  assert.match(words("user_message_chunk"), /change it/);
  assert.match(words("agent_message_chunk"), /Done\./);
  assert.ok(said("tool_call").length >= 4);
  const r = await ctx.request(agent.session.prompt, { sessionId: id, prompt: text("and now?") });
  assert.equal(r.stopReason, "end_turn");
  await ctx.request(agent.session.close, { sessionId: id });
  await ctx.request(agent.session.delete, { sessionId: id });
  assert.deepEqual((await ctx.request(agent.session.list, { cwd: folder })).sessions, []);
});
f.child.stdin.end();
assert.equal(await f.ended, 0);
seen += checked(f.lines);
console.log(`ok: ${seen} messages, each in the schema`);
