"use strict";
// Trains the ComplexFormer that the page opens with, in Node and with the page's own code: train_once.js MODEL OUTPUT
const fs = require("fs"), path = require("path");
const RECIPE_OF = new Function(fs.readFileSync(path.join(__dirname, "recipe.js"), "utf8") + "; return { ...RECIPE, ...FAMILIES[0][1] };");

require(path.resolve(process.argv[2] + ".js"))({ wasmBinary: fs.readFileSync(process.argv[2] + ".wasm") }).then((module) => {
  const ask = (request) => {
    const reply = JSON.parse(module.ccall("argand_model", "string", ["string"], [JSON.stringify(request)]));
    if (reply.error) throw new Error(reply.error);
    return reply;
  };
  const { steps } = ask({ begin: RECIPE_OF() });
  ask({ step: 0, count: steps });
  ask({ save: 0, folder: "/tmp" });
  fs.writeFileSync(process.argv[3], module.FS.readFile("/tmp/last.safetensors"));
}).catch((error) => {
  console.error(error);
  process.exit(1);
});
