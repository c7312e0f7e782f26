// SPDX-License-Identifier: Apache-2.0

/// A clock for blocks that are at rest most of the time: high while it is off, so that an enable
/// that comes from registers of `clk_i` can change without a pulse. No latch.
module npu_clock_gate (
  input  logic clk_i,
  input  logic enable_i,  // from registers: the next rising edge counts
  output logic clk_o
);

  assign clk_o = clk_i | ~enable_i;

endmodule
