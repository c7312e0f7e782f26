// SPDX-License-Identifier: Apache-2.0

/// A memory with one write port and one read port. What is read comes after the clock edge; a word
/// that is written at the same edge is read as it was before. Words are undefined until written.
module npu_ram #(
  /// Bits of a word
  parameter int unsigned Width = 32,
  /// Words, a power of two
  parameter int unsigned Depth = 64,
  /// Bits of an address; follows from Depth
  localparam int unsigned AddrWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                 clk_i,
  input  logic                 we_i,
  input  logic [AddrWidth-1:0] waddr_i,
  input  logic [Width-1:0]     wdata_i,
  input  logic [AddrWidth-1:0] raddr_i,
  output logic [Width-1:0]     rdata_o
);

  logic [Width-1:0] mem [Depth];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    rdata_o <= mem[raddr_i];
  end

endmodule
