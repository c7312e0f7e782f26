// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// npu_dma with one operation channel: a burst response is an operation too, and the bursts that
/// an operation lets begin come as responses in front of its last one. So the model drives it in
/// lock step, where the links are the model's.
module npu_dma_ops #(
  /// Channels: 2 to 4096, a power of two
  parameter int unsigned Channels = 4096,
  localparam int unsigned ChannelWidth = $clog2(Channels)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,

  // From the profile; still after reset
  input  logic [31:0]             cfg_burst_bytes_i,
  input  logic [16:0]             cfg_outstanding_i,

  // An operation; its operands hold until it is taken
  input  logic                    req_valid_i,
  output logic                    req_ready_o,
  input  logic [1:0]              req_op_i,        // 0 start, 1 cancel, 2 resume, 3 passed
  input  logic [ChannelWidth-1:0] req_channel_i,
  input  logic [63:0]             req_now_i,       // in 2^-20 cycles; never falls
  input  logic [63:0]             req_src_i,       // start
  input  logic [63:0]             req_dst_i,       // start
  input  logic [63:0]             req_bytes_i,     // start
  input  logic [63:0]             req_ceiling_i,   // start

  output logic                    rsp_valid_o,
  input  logic                    rsp_ready_i,
  output logic                    rsp_last_o,      // no burst: the operation is done
  output logic [31:0]             rsp_bytes_o,     // of the burst that begins; in the last one 0
  output logic [63:0]             rsp_src_o,       // of the burst
  output logic [63:0]             rsp_dst_o,
  output logic                    rsp_final_o,     // it is the last burst of its transfer
  output logic                    rsp_error_o,     // last response: nothing was done
  output logic                    rsp_done_o,      // last response, passed: transfer is complete
  output logic                    rsp_hold_o,      // last response: "resume" it at the time below
  output logic [63:0]             rsp_hold_at_o,

  output logic                    busy_o           // needs the clock
);
  `NPU_POWER_OF_TWO(Channels, 2, 4096)

  localparam logic [1:0] OpPassed = 2'd3;

  logic passed, dma_ready, b_ready;
  logic ax_valid, ax_last, dma_rsp_valid, done, hold, error;
  logic [31:0] ax_bytes;
  logic [63:0] ax_src, ax_dst, hold_at;
  logic [ChannelWidth-1:0] ax_id, rsp_channel;

  assign passed = req_op_i == OpPassed;

  npu_dma #(.Channels(Channels)) u_dma (
    .clk_i, .rst_ni, .cfg_burst_bytes_i, .cfg_outstanding_i,
    .now_i        (req_now_i),
    .req_valid_i  (req_valid_i && !passed),
    .req_ready_o  (dma_ready),
    .req_op_i, .req_channel_i, .req_src_i, .req_dst_i, .req_bytes_i, .req_ceiling_i,
    .ax_valid_o   (ax_valid),
    .ax_ready_i   (rsp_ready_i),
    .ax_id_o      (ax_id),
    .ax_src_o     (ax_src),
    .ax_dst_o     (ax_dst),
    .ax_bytes_o   (ax_bytes),
    .ax_last_o    (ax_last),
    .b_valid_i    (req_valid_i && passed),
    .b_ready_o    (b_ready),
    .b_id_i       (req_channel_i),
    .rsp_valid_o  (dma_rsp_valid),
    .rsp_ready_i,
    .rsp_channel_o(rsp_channel),
    .rsp_error_o  (error),
    .rsp_done_o   (done),
    .rsp_hold_o   (hold),
    .rsp_hold_at_o(hold_at),
    .busy_o
  );

  assign req_ready_o   = passed ? b_ready : dma_ready;
  assign rsp_valid_o   = ax_valid || dma_rsp_valid;
  assign rsp_last_o    = dma_rsp_valid;
  assign rsp_bytes_o   = ax_valid ? ax_bytes : '0;
  assign rsp_src_o     = ax_valid ? ax_src : '0;
  assign rsp_dst_o     = ax_valid ? ax_dst : '0;
  assign rsp_final_o   = ax_valid && ax_last;
  assign rsp_error_o   = dma_rsp_valid && error;
  assign rsp_done_o    = dma_rsp_valid && done;
  assign rsp_hold_o    = dma_rsp_valid && hold;
  assign rsp_hold_at_o = dma_rsp_valid && hold ? hold_at : '0;

  `NPU_ASSERT(OneAtATime, !(ax_valid && dma_rsp_valid))
  // One operation at a time: everything answers for the channel that it named.
  logic [ChannelWidth-1:0] channel_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) channel_q <= '0;
    else if (req_valid_i && req_ready_o) channel_q <= req_channel_i;
  end
  `NPU_ASSERT(BurstOfChannel, ax_valid |-> ax_id == channel_q)
  `NPU_ASSERT(ResponseOfChannel, dma_rsp_valid |-> rsp_channel == channel_q)
endmodule
