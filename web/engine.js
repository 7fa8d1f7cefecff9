"use strict";
// Runs the library in a worker. The code of both is embedded as text in the page, or in a script that several pages share
// (argandParts), so that this also works for pages opened as files, which cannot fetch anything.

const partOf = (name) => globalThis.argandParts?.[name] ?? document.getElementById(name).textContent;

/** Decodes base64 and decompresses gzip; returns the bytes. */
async function inflated(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const WORKER = `
let module = null;
onmessage = async ({ data: { wasm, id, call, request, path, bytes } }) => {
  if (wasm) {
    module = await argandModule({ wasmBinary: new Uint8Array(wasm) });
    return postMessage({ ready: true });
  }
  if (bytes) module.FS.writeFile(path, bytes);
  postMessage({ id, reply: request ? module.ccall(call, "string", ["string"], [request]) : bytes ? null : module.FS.readFile(path) });
};`;

/** Resolves to a function ask(request), which returns a promise of the library's answer. ask.write(path, bytes) and ask.read(path) access
    the in-memory file system, if the library was built with one. */
async function startEngine(call = "argand_lab") {
  const source = new Blob([partOf("glue"), WORKER], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source));
  const waiting = new Map();
  let next = 0;
  const ready = new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message || "cannot start the worker"));
    worker.onmessage = ({ data }) => {
      if (data.ready) return resolve();
      waiting.get(data.id)(data.reply);
      waiting.delete(data.id);
    };
  });
  const wasm = await inflated(partOf("engine"));
  worker.postMessage({ wasm }, [wasm]);
  await ready;
  const send = (message) => new Promise((resolve) => {
    waiting.set(next, resolve);
    worker.postMessage({ id: next++, ...message });
  });
  const ask = async (request) => JSON.parse(await send({ call, request: JSON.stringify(request) }));
  return Object.assign(ask, { write: (path, bytes) => send({ path, bytes }), read: (path) => send({ path }) });
}
