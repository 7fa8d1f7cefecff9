"use strict";
// The settings of `argand train lm` with which the page trains its models.

const RECIPE = { n_layers: "2", d_model: "64", n_heads: "4", d_ff: "128", max_seq_len: "64", length: "64", batch: "16", steps: "1200", lr: "1e-2", warmup: "30",
  final_lr: "0.1", weight_decay: "0.05" };
const FAMILIES = [["ComplexFormer", { family: "complexformer" }], ["RoPE", { family: "transformer", position: "rope" }]];
