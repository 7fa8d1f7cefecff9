"use strict";
// The library in a worker. Both come with the page, as text: so the page also works as a file, where nothing can be fetched.

async function unpacked() {
  const packed = Uint8Array.from(atob(document.getElementById("engine").textContent.trim()), (c) => c.charCodeAt(0));
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
  const source = new Blob([document.getElementById("glue").textContent, WORKER], { type: "text/javascript" });
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
