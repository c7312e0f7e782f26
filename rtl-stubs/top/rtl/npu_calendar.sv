// SPDX-License-Identifier: Apache-2.0

/// One timer for each queue, and which of them is due first; among equals the one that was set
/// first (T-TIM-3, T-TIM-4).
module npu_calendar #(
  /// Timers, a power of two from 8 to 2048
  parameter int unsigned Timers = 64,
  localparam int unsigned IdWidth = $clog2(Timers)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               req_valid_i,
  output logic               req_ready_o,
  // sets it to that time, again if it is set; else takes it out
  input  logic               req_set_i,
  input  logic [IdWidth-1:0] req_id_i,
  input  logic [63:0]        req_time_i,

  input  logic [IdWidth-1:0] look_id_i,
  output logic               pending_o,      // whether that one is set; while ready

  output logic               first_valid_o,  // the first one, while ready
  output logic [IdWidth-1:0] first_id_o,
  output logic [63:0]        first_time_o
);

  localparam int unsigned SequenceBits = 40;  // never wraps: a change takes several clocks

  logic [SequenceBits-1:0]    sequence_q;
  logic [64+SequenceBits-1:0] first;

  npu_tournament #(.Entries(Timers), .KeyBits(64 + SequenceBits)) u_timers (
    .clk_i,
    .rst_ni, .req_valid_i, .req_ready_o, .req_set_i, .req_id_i,
    .req_key_i     ({req_time_i, sequence_q}),
    .look_id_i, .pending_o, .first_valid_o, .first_id_o,
    .first_key_o   (first)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sequence_q <= '0;
    else if (req_valid_i && req_ready_o) sequence_q <= sequence_q + SequenceBits'(1);
  end

  assign first_time_o = first[64+SequenceBits-1:SequenceBits];

  logic unused;
  assign unused = ^first[SequenceBits-1:0];
endmodule
