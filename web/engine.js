"use strict";
// The library in a worker. Both are text, in the page itself or in a script that several pages share (argandParts): so it also
// works from files, where nothing can be fetched.

const partOf = (name) => globalThis.argandParts?.[name] ?? document.getElementById(name).textContent;

/** The bytes of a text that gzip and base64 have made. */
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

/** Resolves to ask(request): a promise of the library's answer. ask.write(path, bytes) and ask.read(path) are for the files of a library
    that has any. */
async function startEngine(call = "argand_lab") {
  const source = new Blob([partOf("glue"), WORKER], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source));
  const waiting = new Map();
  let next = 0;
  const ready = new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message || "the worker does not start"));
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
