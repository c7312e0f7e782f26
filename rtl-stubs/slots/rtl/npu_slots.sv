// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"
/// The active slots of a device: which one a queue gets and when it begins there, when the next
/// grant may be, and who still leaves one. Rules T-SCH-3, T-SCH-5, T-SCH-6, T-SCH-19, T-SCH-20,
/// T-SCH-22. One operation at a time, one response each.
module npu_slots #(
  /// Queues, 8 to 2048
  parameter int unsigned Queues = npu_pkg::MaxQueues,
  /// Slots, 4 to 128, a power of two; cfg_slots_i says how many there are
  parameter int unsigned Slots = npu_pkg::MaxSlots,
  localparam int unsigned QueueWidth = $clog2(Queues),
  localparam int unsigned SlotWidth = $clog2(Slots),
  localparam int unsigned CountWidth = SlotWidth + 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Configuration, static after reset; times in cycles
  input  logic [CountWidth-1:0] cfg_slots_i,        // 1 to Slots
  input  logic [63:0]           cfg_arbitration_i,  // from grant to grant (T-SCH-3)
  input  logic [63:0]           cfg_start_i,        // record read and slot enable (T-SCH-5)
  input  logic [63:0]           cfg_leave_i,        // drain and slot disable (T-SCH-19)
  input  logic [63:0]           now_i,              // never falls

  // An operation; its operands and now_i hold until the response
  input  logic                  req_valid_i,
  output logic                  req_ready_o,
  // 0 clear, 1 counts, 2 leaving, 3 next, 4 grant, 5 leave
  input  logic [2:0]            req_op_i,
  input  logic [QueueWidth-1:0] req_queue_i,        // all but next
  input  logic [SlotWidth-1:0]  req_slot_i,         // leave: the slot
  input  logic [63:0]           req_asked_i,        // grant: when the queue asked

  output logic                  rsp_valid_o,
  input  logic                  rsp_ready_i,
  output logic                  rsp_last_o,
  // leaving: when the queue is swapped out, 0 when it is; next: when a grant may be, all ones when
  // a slot has been given up; grant: when the queue begins
  output logic [63:0]           rsp_time_o,
  // next: a slot is free now; grant: none was when the queue asked
  output logic                  rsp_flag_o,
  output logic [SlotWidth-1:0]  rsp_slot_o,         // grant
  output logic [11:0]           rsp_swap_ins_o,     // counts
  output logic [19:0]           rsp_waited_o,       // counts

  output logic [CountWidth-1:0] free_count_o,       // at a response: slots that are free
  output logic                  busy_o              // needs the clock
);
  `NPU_RANGE(Queues, 8, 2048)
  `NPU_POWER_OF_TWO(Slots, 4, 128)

  localparam logic [2:0] OpClear = 3'd0;
  localparam logic [2:0] OpCounts = 3'd1;
  localparam logic [2:0] OpLeaving = 3'd2;
  localparam logic [2:0] OpNext = 3'd3;
  localparam logic [2:0] OpGrant = 3'd4;
  localparam logic [2:0] OpLeave = 3'd5;

  localparam int unsigned RowWidth = 64 + 12 + 20;
  localparam int unsigned LeavingWidth = 64 + SlotWidth;

  typedef enum logic [2:0] {
    StWalk,     // after a reset: rows are cleared
    StIdle,
    StCollect,  // slots whose queues are swapped out become free
    StDo,
    StRespond
  } state_e;

  // What is known of a queue
  typedef struct packed {
    logic [63:0] out_until;
    logic [11:0] swap_ins;
    logic [19:0] waited;
  } row_t;
  // A slot that its queue is being swapped out of
  typedef struct packed {
    logic [63:0] free_at;
    logic [SlotWidth-1:0] slot;
  } leaving_t;

  state_e state_q, state_d;
  // Nothing has been asked since the reset: cfg_slots_i says which slots are free
  logic fresh_q, fresh_d;
  logic [QueueWidth-1:0] walk_q, walk_d;
  logic [Slots-1:0] free_q, free_d;
  logic [CountWidth-1:0] free_count_q, free_count_d;
  logic [SlotWidth-1:0] first_q, first_d;  // of the ring of slots that are left
  logic [CountWidth-1:0] left_q, left_d;
  logic [63:0] next_grant_q, next_grant_d;
  logic [63:0] full_until_q, full_until_d;  // when a slot was last given up while all were taken
  logic [63:0] time_q, time_d;
  logic flag_q, flag_d;
  logic [SlotWidth-1:0] slot_q, slot_d;
  row_t row_q, row_d;  // as the response shows it

  // Of plain vectors: Yosys 0.23 does not make memories of structures
  logic [RowWidth-1:0] row_mem[Queues];
  logic [LeavingWidth-1:0] leaving_mem[Slots];
  row_t row_data, row_wdata;
  leaving_t leaving_data;
  logic row_write, leaving_write;

  logic any_free;
  logic [SlotWidth-1:0] lowest_slot;
  logic [63:0] out, later, wait_sum;

  assign req_ready_o = state_q == StIdle;
  assign busy_o = state_q != StIdle;
  assign rsp_valid_o = state_q == StRespond;
  assign rsp_last_o = 1'b1;
  assign rsp_time_o = time_q;
  assign rsp_flag_o = flag_q;
  assign rsp_slot_o = slot_q;
  assign rsp_swap_ins_o = row_q.swap_ins;
  assign rsp_waited_o = row_q.waited;
  assign free_count_o = free_count_q;

  assign any_free = free_count_q != '0;
  assign out = now_i + cfg_leave_i;
  assign later = any_free ? now_i : leaving_data.free_at;
  assign wait_sum = 64'(row_data.waited) + (now_i - req_asked_i);

  always_comb begin
    lowest_slot = '0;
    for (int unsigned i = Slots; i > 0; i--) if (free_q[i-1]) lowest_slot = SlotWidth'(i - 1);
  end

  always_comb begin
    state_d = state_q;
    fresh_d = fresh_q;
    walk_d = walk_q;
    free_d = free_q;
    free_count_d = free_count_q;
    first_d = first_q;
    left_d = left_q;
    next_grant_d = next_grant_q;
    full_until_d = full_until_q;
    time_d = time_q;
    flag_d = flag_q;
    slot_d = slot_q;
    row_d = row_q;
    row_write = 1'b0;
    row_wdata = row_data;
    leaving_write = 1'b0;

    unique case (state_q)
      StWalk: begin
        row_write = 1'b1;
        row_wdata = '0;
        walk_d = walk_q + QueueWidth'(1);
        if (32'(walk_q) == Queues - 1) state_d = StIdle;
      end

      StIdle:
      if (req_valid_i) begin
        state_d = StCollect;
        time_d = '0;
        flag_d = 1'b0;
        slot_d = '0;
        row_d = '0;
        if (fresh_q) begin
          fresh_d = 1'b0;
          free_count_d = cfg_slots_i;
          for (int unsigned i = 0; i < Slots; i++) free_d[i] = i < 32'(cfg_slots_i);
        end
      end

      // T-SCH-6: free in the cycle in which the queue is swapped out. All take as long, so they end
      // in their order.
      StCollect:
      if (left_q != '0 && leaving_data.free_at <= now_i) begin
        free_d[leaving_data.slot] = 1'b1;
        free_count_d = free_count_q + CountWidth'(1);
        first_d = first_q + SlotWidth'(1);
        left_d = left_q - CountWidth'(1);
      end else begin
        state_d = StDo;
      end

      StDo: begin
        state_d = StRespond;
        unique case (req_op_i)
          OpClear: begin
            row_write = 1'b1;
            row_wdata.swap_ins = '0;
            row_wdata.waited = '0;
          end
          OpCounts: row_d = row_data;
          OpLeaving: time_d = row_data.out_until > now_i ? row_data.out_until : '0;  // T-SCH-20
          OpNext: begin  // T-SCH-3, T-SCH-6
            flag_d = any_free;
            time_d = !any_free && left_q == '0 ? '1 : later > next_grant_q ? later : next_grant_q;
          end
          OpGrant: begin
            slot_d = lowest_slot;
            flag_d = req_asked_i < full_until_q;
            free_d[lowest_slot] = 1'b0;
            free_count_d = free_count_q - CountWidth'(1);
            next_grant_d = now_i + cfg_arbitration_i;  // T-SCH-3
            time_d = now_i + cfg_arbitration_i + cfg_start_i;  // T-SCH-5
            row_write = 1'b1;  // T-SCH-22
            row_wdata.swap_ins = row_data.swap_ins + 12'd1;
            row_wdata.waited = wait_sum > 64'hfffff ? '1 : wait_sum[19:0];
          end
          OpLeave: begin
            if (!any_free) full_until_d = out;
            if (cfg_leave_i == '0) begin
              free_d[req_slot_i] = 1'b1;
              free_count_d = free_count_q + CountWidth'(1);
            end else begin  // T-SCH-19
              row_write = 1'b1;
              row_wdata.out_until = out;
              leaving_write = 1'b1;
              left_d = left_q + CountWidth'(1);
            end
          end
          default: ;
        endcase
      end

      StRespond: if (rsp_ready_i) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StWalk;
      fresh_q <= 1'b1;
      {walk_q, free_q, free_count_q, first_q, left_q, next_grant_q, full_until_q} <= '0;
    end else begin
      state_q <= state_d;
      fresh_q <= fresh_d;
      walk_q <= walk_d;
      free_q <= free_d;
      free_count_q <= free_count_d;
      first_q <= first_d;
      left_q <= left_d;
      next_grant_q <= next_grant_d;
      full_until_q <= full_until_d;
    end
  end

  always_ff @(posedge clk_i) begin
    time_q <= time_d;
    flag_q <= flag_d;
    slot_q <= slot_d;
    row_q <= row_d;
  end

  always_ff @(posedge clk_i) begin
    if (row_write) row_mem[state_q == StWalk ? walk_q : req_queue_i] <= row_wdata;
    row_data <= row_mem[req_queue_i];
    if (leaving_write) leaving_mem[first_q + left_q[SlotWidth-1:0]] <= {out, req_slot_i};
    leaving_data <= leaving_mem[first_d];
  end

  `NPU_ASSERT(GrantNeedsFreeSlot, state_q == StDo && req_op_i == OpGrant |-> any_free)
  `NPU_ASSERT(LeaveNeedsTakenSlot, state_q == StDo && req_op_i == OpLeave |-> !free_q[req_slot_i])
  `NPU_ASSERT(SlotsExist, req_valid_i |-> cfg_slots_i != '0 && 32'(cfg_slots_i) <= Slots)
  `NPU_ASSERT(AskedBefore, state_q == StDo && req_op_i == OpGrant |-> req_asked_i <= now_i)
  `NPU_ASSERT(TimeNeverFalls, req_valid_i && $past(rst_ni) |-> now_i >= $past(now_i))
  `NPU_ASSERT(NoMoreThanThereAre, free_count_q + left_q <= CountWidth'(Slots))
  `NPU_ASSERT(ResponseHeld, rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_time_o))
endmodule
