// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Transfers of two engines, each at the ceiling of its channel, a power of two of bytes per cycle,
/// on links that are never full: what T-LNK-5 and T-LNK-8 say of such. One transfer for each
/// channel; what is complete comes out in the order of time, route, and bytes still to come
/// (T-LNK-7).
module npu_fixed_link #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues     = 64,
  /// Channels of both engines together, a power of two
  parameter int unsigned Channels   = 128,
  localparam int unsigned QueueWidth   = $clog2(Queues),
  localparam int unsigned ChannelWidth = $clog2(Channels)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [63:0]             now_i,

  input  logic                    req_valid_i,
  output logic                    req_ready_o,
  input  logic                    req_start_i,    // else the channel's transfer ends here
  input  logic [ChannelWidth-1:0] req_channel_i,
  input  logic [QueueWidth-1:0]   req_queue_i,
  input  logic [63:0]             req_bytes_i,    // never 0
  input  logic [3:0]              req_route_i,
  input  logic [2:0]              req_shift_i,    // bytes per cycle: 2 to this

  output logic                    first_valid_o,  // the next that is complete, while ready
  output logic [63:0]             first_time_o,
  output logic [QueueWidth-1:0]   first_queue_o
);

  // {time, engine, route, goal}: what is due first is the smallest
  localparam int unsigned KeyBits = 64 + 1 + 4 + 71;

  logic [QueueWidth-1:0]   queue_mem [0:Channels-1];
  logic [KeyBits-1:0]      key, first_key;
  logic [ChannelWidth-1:0] first_channel;
  logic                    starts;

  // What the channel's route has carried by now and this transfer's bytes: where it ends.
  logic [70:0] goal, whole;
  logic [63:0] ends;
  assign goal  = ({7'd0, now_i} << req_shift_i) + {7'd0, req_bytes_i};
  assign whole = (goal + (71'd1 << req_shift_i) - 71'd1) >> req_shift_i;
  assign ends  = whole[63:0];
  assign key   = {ends, req_channel_i[ChannelWidth-1], req_route_i, goal};

  npu_tournament #(.Entries(Channels), .KeyBits(KeyBits)) u_transfers (
    .clk_i,
    .rst_ni, .req_valid_i, .req_ready_o,
    .req_set_i     (req_start_i),
    .req_id_i      (req_channel_i),
    .req_key_i     (key),
    .look_id_i     ('0),
    .pending_o     (),
    .first_valid_o,
    .first_id_o    (first_channel),
    .first_key_o   (first_key)
  );

  assign starts = req_valid_i && req_ready_o && req_start_i;
  always_ff @(posedge clk_i) begin
    if (starts) queue_mem[req_channel_i] <= req_queue_i;
  end

  assign first_time_o  = first_key[KeyBits-1 -: 64];
  assign first_queue_o = queue_mem[first_channel];

  logic unused;
  assign unused = ^{whole[70:64], first_key[KeyBits-65:0]};

  `NPU_ASSERT(SomethingMoves, starts |-> req_bytes_i != 64'd0)
endmodule
