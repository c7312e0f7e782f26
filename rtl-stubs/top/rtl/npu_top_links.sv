// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// The links of npu_top: of fixed rates (npu_fixed_link), or burst by burst (npu_burst). Which is
/// said by the part, if there are both; the other one has no clock. Rules T-LNK-1 to T-LNK-3,
/// T-LNK-8, T-BST-1 to T-BST-4.
module npu_top_links #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues = 32,
  /// 1: links can be shared burst by burst; 0: there is no npu_burst
  parameter int unsigned Bursts = 0,
  localparam int unsigned QueueWidth = $clog2(Queues),
  localparam int unsigned Transfers = 128,  // one for each channel of two engines
  localparam int unsigned TransferWidth = $clog2(Transfers)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  npu_top_pkg::cfg_t        cfg_i,  // still after reset

  input  logic [63:0]              now_i,

  // An operation is taken while ready; with bursts it has an answer
  input  logic                     call_i,
  input  npu_act_pkg::op_t         op_i,               // LinkStart, LinkEnd, LinkRun
  input  logic                     rsp_i,              // takes the answer
  // The transfer of LinkStart and LinkEnd
  input  logic [QueueWidth-1:0]    queue_i,
  input  logic [TransferWidth-1:0] channel_i,          // {of PCIe DMA, channel}
  input  logic [2:0]               shift_i,            // its ceiling: 2 to this bytes per cycle
  input  logic [3:0]               route_i,            // as the memory says
  input  logic [63:0]              bytes_i,            // never 0
  input  logic [63:0]              src_i,
  input  logic [63:0]              dst_i,

  output logic                     bursts_o,
  output logic                     ready_o,
  output logic                     rsp_o,

  // While ready: what happens next. With bursts it has to be run, and more may be due then.
  output logic                     valid_o,
  output logic [63:0]              time_o,
  // The transfer that is complete: without bursts the one that will be, with them after a run
  output logic [QueueWidth-1:0]    queue_o,
  output logic                     done_o,

  // A burst begins, as in npu_burst
  output logic                     ax_valid_o,
  output logic [TransferWidth-1:0] ax_id_o,
  output logic [63:0]              ax_src_o,
  output logic [63:0]              ax_dst_o,
  output logic [31:0]              ax_bytes_o,
  output logic                     ax_last_o
);

  logic wants_bursts;
  assign wants_bursts = cfg_i.burst_bytes != '0;
  assign bursts_o     = Bursts != 0 && wants_bursts;

  // ---- of fixed rates ----

  logic                  fixed_clk, fixed_call, fixed_ready, fixed_valid;
  logic [63:0]           fixed_time;
  logic [QueueWidth-1:0] fixed_queue;

  assign fixed_call = call_i && !bursts_o;

  npu_clock_gate u_fixed_clock (
    .clk_i,
    .enable_i (fixed_call || !fixed_ready),
    .clk_o    (fixed_clk)
  );

  npu_fixed_link #(.Queues(Queues)) u_fixed (
    .clk_i           (fixed_clk),
    .rst_ni, .now_i,
    .req_valid_i     (fixed_call),
    .req_ready_o     (fixed_ready),
    .req_start_i     (op_i == npu_act_pkg::LinkStart),
    .req_channel_i   (channel_i),
    .req_queue_i     (queue_i),
    .req_bytes_i     (bytes_i),
    .req_route_i     (route_i),
    .req_shift_i     (shift_i),
    .first_valid_o   (fixed_valid),
    .first_time_o    (fixed_time),
    .first_queue_o   (fixed_queue)
  );

  // ---- burst by burst ----

  logic                  burst_call, burst_ready, burst_valid;
  logic [63:0]           burst_time;
  logic [QueueWidth-1:0] burst_queue;

  assign burst_call = call_i && bursts_o;

  if (Bursts != 0) begin : gen_bursts
    npu_top_bursts #(.Queues(Queues)) u_bursts (
      .clk_i, .rst_ni, .cfg_i, .now_i,
      .call_i  (burst_call),
      .op_i, .rsp_i, .queue_i, .channel_i, .shift_i, .route_i, .bytes_i, .src_i, .dst_i,
      .ready_o (burst_ready),
      .rsp_o,
      .valid_o (burst_valid),
      .time_o  (burst_time),
      .queue_o (burst_queue),
      .done_o, .ax_valid_o, .ax_id_o, .ax_src_o, .ax_dst_o, .ax_bytes_o, .ax_last_o
    );
  end else begin : gen_no_bursts
    logic unused;
    assign unused = ^{rsp_i, src_i, dst_i, burst_call};
    assign {burst_ready, rsp_o, burst_valid, burst_time, burst_queue, done_o} = '0;
    assign {ax_valid_o, ax_id_o, ax_src_o, ax_dst_o, ax_bytes_o, ax_last_o} = '0;
  end

  // ---- the one that is used ----

  assign ready_o = bursts_o ? burst_ready : fixed_ready;
  assign valid_o = bursts_o ? burst_valid : fixed_valid;
  assign time_o  = bursts_o ? burst_time : fixed_time;
  assign queue_o = bursts_o ? burst_queue : fixed_queue;

  `NPU_ASSERT(NoBurstsWithoutTheBlock, !wants_bursts || Bursts != 0)
  `NPU_ASSERT(RunIsOfBursts, call_i && op_i == npu_act_pkg::LinkRun |-> bursts_o)
endmodule
