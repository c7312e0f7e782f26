// SPDX-License-Identifier: Apache-2.0

/// Cuts the next burst off a transfer. Rule T-BST-1: bursts of one size, the last one shorter.
/// No clock.
module npu_dma_split (
  // What is left of the transfer
  input  logic [63:0] src_i,
  input  logic [63:0] dst_i,
  input  logic [63:0] left_i,          // bytes
  /// Bytes of a burst, never 0
  input  logic [31:0] burst_bytes_i,

  output logic [31:0] bytes_o,         // of the burst; 0 when nothing is left
  output logic        last_o,          // nothing is left after it
  // What is left after it
  output logic [63:0] src_o,
  output logic [63:0] dst_o,
  output logic [63:0] left_o
);
  assign last_o  = left_i <= {32'd0, burst_bytes_i};
  assign bytes_o = last_o ? left_i[31:0] : burst_bytes_i;
  assign src_o   = src_i + {32'd0, bytes_o};
  assign dst_o   = dst_i + {32'd0, bytes_o};
  assign left_o  = left_i - {32'd0, bytes_o};
endmodule
