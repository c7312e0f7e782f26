// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Which active slots are free, and which are free again once their queues are swapped out. Rules
/// SCH-3, SCH-6, SCH-19.
module npu_top_slots (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [7:0]  cfg_slots_i,      // 1 to 128
  input  logic [63:0] now_i,

  input  logic        take_i,           // the slot that is offered
  output logic        free_o,           // there is one: the lowest
  output logic [6:0]  slot_o,
  input  logic        leave_i,          // this one is free from that time on
  input  logic [6:0]  leave_slot_i,
  input  logic [63:0] leave_at_i,       // never before an earlier one's
  output logic        settled_o,        // all that are free by now are counted
  output logic        leaving_o,        // others are not free yet
  output logic [63:0] next_o            // the first of these is, then
);
  localparam int unsigned Slots = npu_pkg::MaxSlots;

  logic [Slots-1:0] taken_q;
  logic [70:0]      leaving_mem [0:Slots-1];  // a ring: {time, slot}
  logic [6:0]       first_q;
  logic [7:0]       count_q;

  logic [70:0] first;
  logic        frees, at_once;
  assign first     = leaving_mem[first_q];
  assign leaving_o = count_q != 8'd0;
  assign next_o    = first[70:7];
  assign frees     = leaving_o && next_o <= now_i;
  assign settled_o = !frees;
  assign at_once   = leave_at_i <= now_i;

  always_comb begin
    free_o = 1'b0;
    slot_o = 7'd0;
    for (int i = Slots - 1; i >= 0; i--) begin
      if (!taken_q[i] && 8'(i) < cfg_slots_i) begin
        free_o = 1'b1;
        slot_o = 7'(i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (leave_i && !at_once) leaving_mem[first_q + count_q[6:0]] <= {leave_at_i, leave_slot_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= '0;
      first_q <= '0;
      count_q <= '0;
    end else begin
      if (take_i) taken_q[slot_o] <= 1'b1;
      if (leave_i && at_once) taken_q[leave_slot_i] <= 1'b0;
      if (frees) begin
        taken_q[first[6:0]] <= 1'b0;
        first_q             <= first_q + 7'd1;
      end
      count_q <= count_q + {7'd0, leave_i && !at_once} - {7'd0, frees};
    end
  end

  `NPU_ASSERT(OnlyFreeSlotsAreTaken, take_i |-> free_o)
  `NPU_ASSERT(OnlyTakenSlotsAreLeft, leave_i |-> taken_q[leave_slot_i])
endmodule
