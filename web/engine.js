"use strict";
// The library in a worker. Both are text, in the page itself or in a script that several pages share (argandParts): so it also
// works from files, where nothing can be fetched.

const partOf = (name) => globalThis.argandParts?.[name] ?? document.getElementById(name).textContent;

async function unpacked() {
  const packed = Uint8Array.from(atob(partOf("engine").trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const WORKER = `
let lab = null;
onmessage = async ({ data }) => {
  if (data.wasm) {
    const module = await argandModule({ wasmBinary: new Uint8Array(data.wasm) });
    lab = (request) => module.ccall("argand_lab", "string", ["string"], [request]);
    postMessage({ ready: true });
  } else {
    postMessage({ id: data.id, reply: lab(data.request) });
  }
};`;

/** Resolves to ask(request): a promise of the library's answer. */
async function startEngine() {
  const source = new Blob([partOf("glue"), WORKER], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source));
  const waiting = new Map();
  let next = 0;
  const ready = new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message || "the worker does not start"));
    worker.onmessage = ({ data }) => {
      if (data.ready) return resolve();
      waiting.get(data.id)(JSON.parse(data.reply));
      waiting.delete(data.id);
    };
  });
  const wasm = await unpacked();
  worker.postMessage({ wasm }, [wasm]);
  await ready;
  return (request) => new Promise((resolve) => {
    waiting.set(next, resolve);
    worker.postMessage({ id: next++, request: JSON.stringify(request) });
  });
}
