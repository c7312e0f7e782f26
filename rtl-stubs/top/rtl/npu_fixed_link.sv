// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Transfers of two engines, each at the ceiling of its channel, a power of two of bytes per cycle,
/// on links that are never
/// full: what LNK-5 and LNK-8 say of such. One transfer for each channel; what is complete comes
/// out in the order of time,
/// route, and bytes still to come (LNK-7).
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
  output logic [QueueWidth-1:0]   first_queue_o,
  output logic [ChannelWidth-1:0] first_channel_o
);

  localparam int unsigned SequenceBits = 40;
  // {time, engine, route, goal, sequence, queue}: what is due first is the smallest
  localparam int unsigned KeyBits = 64 + 1 + 4 + 71 + SequenceBits + QueueWidth;

  typedef enum logic [0:0] {StIdle, StSearch} state_e;
  state_e state_q, state_d;

  logic [Channels-1:0]     moving_q, moving_d;
  logic [KeyBits-1:0]      mem [0:Channels-1];
  logic [SequenceBits-1:0] sequence_q;
  logic [ChannelWidth-1:0] at_q, at_d;
  logic                    found_q, found_d;
  logic [KeyBits-1:0]      best_q, best_d;
  logic [ChannelWidth-1:0] best_channel_q, best_channel_d;

  // What the channel's route has carried by now and this transfer's bytes: where it ends.
  logic [70:0] goal, whole;
  logic [63:0] ends;
  assign goal  = ({7'd0, now_i} << req_shift_i) + {7'd0, req_bytes_i};
  assign whole = (goal + (71'd1 << req_shift_i) - 71'd1) >> req_shift_i;
  assign ends  = whole[63:0];

  logic unused;
  assign unused = ^whole[70:64];

  logic [KeyBits-1:0] row;
  assign row = mem[at_q];

  always_comb begin
    state_d        = state_q;
    moving_d       = moving_q;
    at_d           = at_q;
    found_d        = found_q;
    best_d         = best_q;
    best_channel_d = best_channel_q;
    unique case (state_q)
      StIdle: begin
        if (req_valid_i) begin
          moving_d[req_channel_i] = req_start_i;
          at_d    = '0;
          found_d = 1'b0;
          state_d = StSearch;
        end
      end
      StSearch: begin
        if (moving_q[at_q] && (!found_q || row < best_q)) begin
          found_d        = 1'b1;
          best_d         = row;
          best_channel_d = at_q;
        end
        at_d = at_q + ChannelWidth'(1);
        if (at_q == ChannelWidth'(Channels - 1) || moving_q == '0) state_d = StIdle;
      end
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle && req_valid_i && req_start_i)
      mem[req_channel_i] <=
          {ends, req_channel_i[ChannelWidth-1], req_route_i, goal, sequence_q, req_queue_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= StIdle;
      moving_q       <= '0;
      sequence_q     <= '0;
      at_q           <= '0;
      found_q        <= 1'b0;
      best_q         <= '0;
      best_channel_q <= '0;
    end else begin
      state_q        <= state_d;
      moving_q       <= moving_d;
      at_q           <= at_d;
      found_q        <= found_d;
      best_q         <= best_d;
      best_channel_q <= best_channel_d;
      if (state_q == StIdle && req_valid_i) sequence_q <= sequence_q + SequenceBits'(1);
    end
  end

  assign req_ready_o     = state_q == StIdle;
  assign first_valid_o   = found_q;
  assign first_time_o    = best_q[KeyBits-1 -: 64];
  assign first_queue_o   = best_q[QueueWidth-1:0];
  assign first_channel_o = best_channel_q;

  `NPU_ASSERT(OneTransferForAChannel,
      req_valid_i && req_ready_o && req_start_i |-> !moving_q[req_channel_i])
  `NPU_ASSERT(SomethingMoves,
      req_valid_i && req_ready_o && req_start_i |-> req_bytes_i != 64'd0)
endmodule
