// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// npu_burst as npu_top_links calls it: rates of links, ways of routes (T-LNK-3), ceilings, and
/// whose a transfer is. Rules T-LNK-1 to T-LNK-3, T-LNK-8, T-BST-1 to T-BST-4.
module npu_top_bursts #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues = 32,
  localparam int unsigned QueueWidth = $clog2(Queues),
  localparam int unsigned Transfers = 128,  // one for each channel of two engines
  localparam int unsigned TransferWidth = $clog2(Transfers)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  npu_top_pkg::cfg_t        cfg_i,  // still after reset

  input  logic [63:0]              now_i,

  // An operation is taken while ready, and has an answer
  input  logic                     call_i,
  input  npu_act_pkg::op_t         op_i,
  input  logic                     rsp_i,
  input  logic [QueueWidth-1:0]    queue_i,
  input  logic [TransferWidth-1:0] channel_i,
  input  logic [2:0]               shift_i,
  input  logic [3:0]               route_i,
  input  logic [63:0]              bytes_i,
  input  logic [63:0]              src_i,
  input  logic [63:0]              dst_i,
  output logic                     ready_o,
  output logic                     rsp_o,

  // When the next burst moves; after a run: the transfer that is complete
  output logic                     valid_o,
  output logic [63:0]              time_o,
  output logic [QueueWidth-1:0]    queue_o,
  output logic                     done_o,

  output logic                     ax_valid_o,
  output logic [TransferWidth-1:0] ax_id_o,
  output logic [63:0]              ax_src_o,
  output logic [63:0]              ax_dst_o,
  output logic [31:0]              ax_bytes_o,
  output logic                     ax_last_o
);

  localparam int unsigned Links = 4;  // the last one has no rate and is on no way
  localparam int unsigned LinkWidth = $clog2(Links);
  localparam int unsigned WeightWidth = 2;
  localparam int unsigned WayWidth = 3 + 4 * LinkWidth + 4 * WeightWidth;

  localparam logic [LinkWidth-1:0] ToDevice = 2'd0;
  localparam logic [LinkWidth-1:0] ToHost   = 2'd1;
  localparam logic [LinkWidth-1:0] Hbm      = 2'd2;
  localparam logic [LinkWidth-1:0] Rated    = 2'd3;  // links that have a rate

  localparam logic [1:0] BurstRate   = 2'd0;
  localparam logic [1:0] BurstStart  = 2'd1;
  localparam logic [1:0] BurstCancel = 2'd2;
  localparam logic [1:0] BurstRun    = 2'd3;

  // T-LNK-3: {links on the way, which, the first one lowest, bytes that each carries for one}
  function automatic logic [WayWidth-1:0] way_of(input logic [3:0] route);
    unique case (route)
      npu_top_pkg::RouteToDevice:   way_of = {3'd2, 4'd0, Hbm, ToDevice, 4'd0, 2'd1, 2'd1};
      npu_top_pkg::RouteToHost:     way_of = {3'd2, 4'd0, Hbm, ToHost, 4'd0, 2'd1, 2'd1};
      npu_top_pkg::RouteWithin:     way_of = {3'd1, 6'd0, Hbm, 6'd0, 2'd2};
      npu_top_pkg::RouteLoop:       way_of = {3'd2, 4'd0, ToHost, ToDevice, 4'd0, 2'd1, 2'd1};
      npu_top_pkg::RouteFillDevice: way_of = {3'd1, 6'd0, Hbm, 6'd0, 2'd1};
      npu_top_pkg::RouteFillHost:   way_of = {3'd1, 6'd0, ToHost, 6'd0, 2'd1};
      default:                      way_of = '0;  // refused
    endcase
  endfunction

  // The operation under way: first the rates of the links, then what is called. All of it changes
  // on the clock of npu_burst alone, which it has while the part has bursts.
  logic                     burst_clk, burst_ready, burst_error, burst_busy;
  logic                     valid_q;
  logic [LinkWidth-1:0]     rates_q;      // links that have been given theirs
  logic [LinkWidth-1:0]     link_q;       // the one that is given its rate
  logic [1:0]               op_q;
  logic [63:0]              now_q;
  logic [TransferWidth-1:0] transfer_q, complete;
  logic [63:0]              rate_q, ceiling_q, bytes_q, src_q, dst_q;
  logic [WayWidth-1:0]      way_q;
  logic [QueueWidth-1:0]    queue_mem [0:Transfers-1];

  npu_clock_gate u_burst_clock (
    .clk_i,
    .enable_i (call_i || valid_q || cfg_i.burst_bytes != '0 && (burst_busy || rates_q != Rated)),
    .clk_o    (burst_clk)
  );

  always_ff @(posedge burst_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      op_q <= BurstRate;
      {valid_q, rates_q, link_q, now_q, transfer_q, rate_q, ceiling_q, bytes_q, src_q, dst_q,
       way_q} <= '0;
    end else if (call_i && ready_o) begin
      valid_q    <= 1'b1;
      op_q       <= op_i == npu_act_pkg::LinkStart ? BurstStart :
                    op_i == npu_act_pkg::LinkRun ? BurstRun : BurstCancel;
      now_q      <= now_i;
      transfer_q <= channel_i;
      ceiling_q  <= 64'd1 << (6'd48 + 6'(shift_i));
      bytes_q    <= bytes_i;
      src_q      <= src_i;
      dst_q      <= dst_i;
      way_q      <= way_of(route_i);
    end else if (valid_q) begin
      if (burst_ready) valid_q <= 1'b0;
    end else if (rates_q != Rated && burst_ready) begin
      valid_q <= 1'b1;
      rate_q  <= rates_q == ToDevice ? cfg_i.to_device_rate :
                 rates_q == ToHost ? cfg_i.to_host_rate : cfg_i.hbm_rate;
      link_q  <= rates_q;
      rates_q <= rates_q + LinkWidth'(1);
    end
  end

  always_ff @(posedge burst_clk) begin
    if (call_i && op_i == npu_act_pkg::LinkStart) queue_mem[channel_i] <= queue_i;
  end

  npu_burst #(.Transfers(Transfers), .Links(Links), .WeightWidth(WeightWidth)) u_burst (
    .clk_i          (burst_clk),
    .rst_ni,
    .cfg_burst_bytes_i (cfg_i.burst_bytes),
    .cfg_outstanding_i (cfg_i.outstanding),
    .req_valid_i    (valid_q),
    .req_ready_o    (burst_ready),
    .req_op_i       (op_q),
    .req_now_i      (now_q),
    .req_transfer_i (transfer_q),
    .req_link_i     (link_q),
    .req_rate_i     (rate_q),
    .req_count_i    (way_q[WayWidth-1 -: 3]),
    .req_links_i    (way_q[WayWidth-4 -: 4*LinkWidth]),
    .req_weights_i  (way_q[4*WeightWidth-1:0]),
    .req_src_i      (src_q),
    .req_dst_i      (dst_q),
    .req_bytes_i    (bytes_q),
    .req_ceiling_i  (ceiling_q),
    .rsp_valid_o    (rsp_o),
    .rsp_ready_i    (rsp_i || op_q == BurstRate),
    .rsp_last_o     (),
    .rsp_error_o    (burst_error),
    .rsp_done_o     (done_o),
    .rsp_transfer_o (complete),
    .ax_valid_o, .ax_id_o, .ax_src_o, .ax_dst_o, .ax_bytes_o, .ax_last_o,
    .next_valid_o   (valid_o),
    .next_time_o    (time_o),
    .busy_o         (burst_busy)
  );

  assign ready_o = !valid_q && !burst_busy && rates_q == Rated;
  assign queue_o = queue_mem[complete];

  `NPU_ASSERT(BurstsAreNeverRefused, rsp_o |-> !burst_error)
endmodule
