// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// How long a burst takes at a rate: bytes divided by the rate, in 2^-20 cycles, rounded down. One
/// binary digit a clock. Rule T-BST-3, T-BST-4.
module npu_dma_pace #(
  /// Bits of the bytes
  parameter int unsigned BytesWidth = 32,
  /// Binary digits after the point of a rate, in bytes per cycle
  parameter int unsigned Fraction = 48,
  /// Binary digits after the point of a time, in cycles
  parameter int unsigned Parts = 20
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,         // ignored while it divides
  input  logic [BytesWidth-1:0] bytes_i,
  input  logic [63:0] rate_i,          // 0 counts as 1
  output logic        done_o,          // high for one clock
  output logic [63:0] time_o           // the low 64 digits
);
  localparam int unsigned Digits = BytesWidth + Fraction + Parts;
  localparam int unsigned StepWidth = $clog2(Digits);

  logic                 busy_q, done_q;
  logic [StepWidth-1:0] step_q;
  logic [BytesWidth-1:0] bytes_q;  // digits to come, the first on top; zeros follow
  logic [63:0]          rate_q, rest_q, time_q;
  logic [64:0]          doubled;
  logic                 fits;

  assign doubled = {rest_q, bytes_q[BytesWidth-1]};
  assign fits    = doubled >= {1'b0, rate_q};
  assign done_o  = done_q;
  assign time_o  = time_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {busy_q, done_q, step_q, bytes_q, rate_q, rest_q, time_q} <= '0;
    end else begin
      done_q <= 1'b0;
      if (busy_q) begin
        rest_q  <= fits ? 64'(doubled - {1'b0, rate_q}) : doubled[63:0];
        time_q  <= {time_q[62:0], fits};
        bytes_q <= bytes_q << 1;
        step_q  <= step_q + StepWidth'(1);
        if (step_q == StepWidth'(Digits - 1)) begin
          busy_q <= 1'b0;
          done_q <= 1'b1;
        end
      end else if (start_i) begin
        busy_q  <= 1'b1;
        step_q  <= '0;
        bytes_q <= bytes_i;
        rate_q  <= rate_i == '0 ? 64'd1 : rate_i;
        rest_q  <= '0;
        time_q  <= '0;
      end
    end
  end

  `NPU_ASSERT(RestIsSmaller, busy_q |-> rest_q < rate_q)
endmodule
