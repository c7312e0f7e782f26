// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Active slots of npu_top: from the request of a queue to its first SQE, and out again.
/// Rules T-SCH-2 to T-SCH-6, T-SCH-19, T-SCH-20. Slots themselves are in npu_slots, turns in
/// npu_arbiter.
module npu_top_slotting #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues = 32,
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Still after reset
  input  npu_top_pkg::cfg_t     cfg_i,
  input  npu_top_pkg::times_t   times_i,

  // The act, and its outcome (npu_act_pkg)
  input  npu_act_pkg::act_t     act_i,
  input  npu_act_pkg::op_t      op_i,
  output npu_act_pkg::outcome_t act_o,
  output logic                  ready_o,          // memories are clear

  // The queue that is looked at
  input  logic [63:0]           now_i,
  input  logic [QueueWidth-1:0] at_i,
  input  logic [2:0]            level_i,
  input  logic [5:0]            group_i,
  output logic                  has_slot_o,
  output npu_top_pkg::note_t    note_o,

  output logic [63:0]           time_o,           // what npu_slots has said, for the timer
  output logic [QueueWidth-1:0] winner_o,
  output logic                  grant_pending_o,  // a grant is due, then
  output logic [63:0]           grant_time_o
);

  // ---- queues that ask ----

  logic                  arbiter_clk, arbiter_ready, arbiter_valid, arbiter_busy, none_asks;
  logic [QueueWidth-1:0] arbiter_winner, winner_q;

  npu_clock_gate u_arbiter_clock (
    .clk_i,
    .enable_i (act_i == npu_act_pkg::CallAsking || arbiter_busy),
    .clk_o    (arbiter_clk)
  );

  npu_arbiter #(.Queues(Queues)) u_asking (
    .clk_i              (arbiter_clk),
    .rst_ni,
    .cfg_strict_level_i (cfg_i.strict_level),
    .cfg_weight_first_i (cfg_i.weight_first),
    .cfg_reload_spent_i (cfg_i.reload_spent),
    .req_valid_i        (act_i == npu_act_pkg::CallAsking),
    .req_ready_o        (arbiter_ready),
    .req_op_i           (op_i[1:0]),
    .req_queue_i        (at_i),
    .req_priority_i     (level_i),
    .req_group_i        (group_i),
    .req_weight_i       ('0),
    .req_seeded_i       (1'b0),
    .req_draw0_i        ('0),
    .req_draw1_i        ('0),
    .rsp_valid_o        (arbiter_valid),
    .rsp_ready_i        (act_i == npu_act_pkg::AskingRsp),
    .rsp_last_o         (),
    .rsp_queue_o        (arbiter_winner),
    .rsp_draws_o        (),
    .empty_o            (none_asks),
    .busy_o             (arbiter_busy)
  );

  // ---- what is kept of each queue ----

  typedef struct packed {
    logic [npu_top_pkg::ResumeWidth-1:0] resume;  // what it goes on with in its slot
    logic                                has_slot;
    logic [6:0]                          slot;
  } row_t;
  localparam int unsigned RowBits = npu_top_pkg::ResumeWidth + 1 + 7;

  logic [RowBits-1:0] row_mem [0:Queues-1];
  logic [63:0]        asked_mem [0:Queues-1];     // when it asked (T-SCH-22)
  row_t               row, row_d;
  logic               row_we;
  logic [63:0]        asked;

  assign row   = row_mem[at_i];
  assign asked = asked_mem[at_i];
  always_ff @(posedge clk_i) begin
    if (row_we) row_mem[at_i] <= row_d;
    if (act_i == npu_act_pkg::Ask) asked_mem[at_i] <= now_i;
  end

  // ---- slots ----

  logic        slots_clk, slots_ready, slots_valid, slots_busy, slots_flag;
  logic [63:0] slots_time, time_q;
  logic [6:0]  slots_slot, slot_q;
  logic        flag_q;

  npu_clock_gate u_slots_clock (
    .clk_i,
    .enable_i (act_i == npu_act_pkg::CallSlots || slots_busy),
    .clk_o    (slots_clk)
  );

  npu_slots #(.Queues(Queues)) u_slots (
    .clk_i             (slots_clk),
    .rst_ni,
    .cfg_slots_i       (cfg_i.slots),
    .cfg_arbitration_i (times_i.arbitration),
    .cfg_start_i       (times_i.record + times_i.slot_enable),
    .cfg_leave_i       (times_i.drain + times_i.slot_disable),
    .now_i,
    .req_valid_i       (act_i == npu_act_pkg::CallSlots),
    .req_ready_o       (slots_ready),
    .req_op_i          (op_i[2:0]),
    .req_queue_i       (at_i),
    .req_slot_i        (row.slot),
    .req_asked_i       (asked),
    .rsp_valid_o       (slots_valid),
    .rsp_ready_i       (act_i == npu_act_pkg::SlotsRsp),
    .rsp_last_o        (),
    .rsp_time_o        (slots_time),
    .rsp_flag_o        (slots_flag),
    .rsp_slot_o        (slots_slot),
    .rsp_swap_ins_o    (),
    .rsp_waited_o      (),
    .free_count_o      (),
    .busy_o            (slots_busy)
  );

  // ---- acts ----

  logic        grant_pending_q, grant_pending_d;
  logic [63:0] grant_time_q;

  `include "npu_act_call.svh"

  always_comb begin
    act_o           = '0;
    note_o          = '0;
    row_d           = row;
    row_we          = 1'b0;
    grant_pending_d = grant_pending_q;

    unique case (act_i)
      npu_act_pkg::Reset, npu_act_pkg::Opened: begin
        row_d  = '0;
        row_we = 1'b1;
      end

      npu_act_pkg::Ask: begin  // T-SCH-2, T-SCH-20
        row_d.resume = op_i[npu_top_pkg::ResumeWidth-1:0];
        row_we       = 1'b1;
        call(npu_act_pkg::CallSlots, npu_act_pkg::SlotsLeaving, npu_act_pkg::Asked);
      end
      npu_act_pkg::AskAgain:
        call(npu_act_pkg::Ask, npu_act_pkg::OpWidth'(row.resume), npu_act_pkg::Return);
      npu_act_pkg::Asked: begin
        if (time_q != 64'd0) begin  // swapped out then
          act_o.state = npu_top_pkg::QSwapOut;
          act_o.step  = npu_top_pkg::StepSwapOut;
          call(npu_act_pkg::CallTimer, npu_act_pkg::TimerSlots, npu_act_pkg::Return);
        end else begin
          act_o.state = npu_top_pkg::QWaitSlot;
          call(npu_act_pkg::CallAsking, npu_act_pkg::ArbAdd, npu_act_pkg::Arm);
        end
      end

      npu_act_pkg::Arm: begin  // T-SCH-3
        if (!none_asks && !grant_pending_q)
          call(npu_act_pkg::CallSlots, npu_act_pkg::SlotsNext, npu_act_pkg::Armed);
      end
      npu_act_pkg::Armed: grant_pending_d = time_q != '1;

      npu_act_pkg::Leave: begin  // T-SCH-6, T-SCH-19
        if (row.has_slot) begin
          note_o = {1'b1, npu_top_pkg::NoteLeave, 32'(row.slot)};
          row_d.has_slot = 1'b0;
          row_we         = 1'b1;
          call(npu_act_pkg::CallSlots, npu_act_pkg::SlotsLeave, npu_act_pkg::Arm);
        end
      end

      npu_act_pkg::Grant: begin
        grant_pending_d = 1'b0;
        call(npu_act_pkg::CallSlots, npu_act_pkg::SlotsNext, npu_act_pkg::Granting);
      end
      npu_act_pkg::Granting: begin  // T-SCH-4
        act_o.next = npu_act_pkg::Arm;
        if (!none_asks && flag_q)
          call(npu_act_pkg::CallAsking, npu_act_pkg::ArbTake, npu_act_pkg::Won);
      end
      npu_act_pkg::Won: begin
        act_o.turn = npu_act_pkg::TurnAsking;
        act_o.next = npu_act_pkg::GrantTo;
      end
      npu_act_pkg::GrantTo:
        call(npu_act_pkg::CallSlots, npu_act_pkg::SlotsGrant, npu_act_pkg::Enter);
      npu_act_pkg::Enter: begin  // T-SCH-5
        note_o         = {1'b1, npu_top_pkg::NoteGrant, 32'(slot_q)};
        row_d.has_slot = 1'b1;
        row_d.slot     = slot_q;
        row_we         = 1'b1;
        act_o.state    = npu_top_pkg::QSwapIn;
        act_o.step     = npu_top_pkg::StepSwapDone;
        call(npu_act_pkg::CallTimer, npu_act_pkg::TimerSlots, npu_act_pkg::Arm);
      end
      npu_act_pkg::SwapDone: begin
        act_o.state = npu_top_pkg::QWork;
        unique case (row.resume)
          npu_top_pkg::ResumeBegin:    act_o.next = npu_act_pkg::GoOn;
          npu_top_pkg::ResumeDispatch: act_o.next = npu_act_pkg::Admit;
          default:                     act_o.next = npu_act_pkg::Done;
        endcase
      end

      npu_act_pkg::CallAsking:
        act_o.next = arbiter_ready ? npu_act_pkg::AskingRsp : npu_act_pkg::CallAsking;
      npu_act_pkg::AskingRsp: if (!arbiter_valid) act_o.next = npu_act_pkg::AskingRsp;
      npu_act_pkg::CallSlots:
        act_o.next = slots_ready ? npu_act_pkg::SlotsRsp : npu_act_pkg::CallSlots;
      npu_act_pkg::SlotsRsp: if (!slots_valid) act_o.next = npu_act_pkg::SlotsRsp;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {grant_pending_q, grant_time_q, winner_q, time_q, flag_q, slot_q} <= '0;
    end else begin
      grant_pending_q <= grant_pending_d;
      if (act_i == npu_act_pkg::Armed) grant_time_q <= time_q;
      if (act_i == npu_act_pkg::AskingRsp && arbiter_valid) winner_q <= arbiter_winner;
      if (act_i == npu_act_pkg::SlotsRsp && slots_valid) begin
        time_q <= slots_time;
        flag_q <= slots_flag;
        slot_q <= slots_slot;
      end
    end
  end

  logic unused;
  assign unused = ^op_i;

  assign ready_o         = slots_ready && arbiter_ready;
  assign has_slot_o      = row.has_slot;
  assign time_o          = time_q;
  assign winner_o        = winner_q;
  assign grant_pending_o = grant_pending_q;
  assign grant_time_o    = grant_time_q;

  `NPU_ASSERT(RowHasItsWidth, $bits(row_t) == RowBits)
endmodule
