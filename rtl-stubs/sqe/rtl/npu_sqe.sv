// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// The state machine of one SQE, for all queues: what comes next, and when. Rules T-SQE-1 to
/// T-SQE-13, T-COND-11, T-CQ-3, T-DMA-2, T-EVT-6, T-EVT-8, T-NTF-5. One operation at a time; one
/// answer to each.
module npu_sqe #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues     = 2048,
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Scheduler cycles (T-TIM-1); holds still while an operation is under way
  input  logic [63:0]           now_i,

  // The part: static.
  input  logic [16:0]           cfg_events_i,
  input  logic [16:0]           cfg_notifies_i,
  input  logic [16:0]           cfg_counts_i,
  input  logic [15:0]           cfg_list_most_i,
  input  logic [15:0]           cfg_aic_room_i,
  input  logic [15:0]           cfg_aiv_room_i,
  input  logic [15:0]           cfg_mixed_room_i,
  input  logic [15:0]           cfg_contexts_i,
  // Times in cycles. Those of memory, tables and engines may vary from one request to the next
  // (T-TIM-10).
  input  logic [63:0]           cfg_decode_i,
  input  logic [63:0]           cfg_event_i,
  input  logic [63:0]           cfg_event_miss_i,
  input  logic [63:0]           cfg_notify_i,
  input  logic [63:0]           cfg_store_i,
  input  logic [63:0]           cfg_retire_i,
  input  logic [63:0]           cfg_cq_write_i,
  input  logic [63:0]           cfg_sdma_setup_i,
  input  logic [63:0]           cfg_pcie_setup_i,
  input  logic [63:0]           cfg_credit_unit_i,
  input  logic [63:0]           cfg_timeout_unit_i,

  input  logic                                req_valid_i,
  output logic                                req_ready_o,
  input  logic [npu_sqe_pkg::OpWidth-1:0]     req_op_i,
  input  logic [QueueWidth-1:0]               req_queue_i,
  input  logic [511:0]                        req_sqe_i,    // the SQE at the head of the buffer
  input  logic [63:0]                         req_value_i,  // see npu_sqe_pkg
  input  logic                                req_flag_i,

  output logic                                rsp_valid_o,
  input  logic                                rsp_ready_i,
  output logic                                rsp_last_o,   // always: one response each
  output logic [npu_sqe_pkg::NextWidth-1:0]   rsp_next_o,
  output npu_sqe_pkg::hold_e                  rsp_hold_o,
  /// Whether, and when, the queue's timer is due
  output logic                                rsp_timed_o,
  output logic [63:0]                         rsp_due_o,
  output npu_sqe_pkg::decoded_t               rsp_decoded_o,
  output logic [5:0]                          rsp_type_o,
  output logic [7:0]                          rsp_error_o,
  output logic [15:0]                         rsp_status_o,
  output logic                                busy_o
);
  `NPU_POWER_OF_TWO(Queues, 8, 2048)

  /// What is kept of a queue.
  localparam logic [3:0] PhNone    = 4'd0;
  localparam logic [3:0] PhDecode  = 4'd1;  // held when it is over
  localparam logic [3:0] PhBefore  = 4'd2;  // held
  localparam logic [3:0] PhExecute = 4'd3;  // on the way to its effect
  localparam logic [3:0] PhLoading = 4'd4;  // its entry comes from memory
  localparam logic [3:0] PhEffect  = 4'd5;  // the effect is up to others: tables, stores, engines
  localparam logic [3:0] PhParked  = 4'd6;
  localparam logic [3:0] PhSetUp   = 4'd7;
  localparam logic [3:0] PhMove    = 4'd8;
  localparam logic [3:0] PhAfter   = 4'd9;  // held
  localparam logic [3:0] PhRetire  = 4'd10;
  localparam logic [3:0] PhCq      = 4'd11;  // held
  localparam logic [3:0] PhReport  = 4'd12;
  localparam logic [3:0] PhCqError = 4'd13;  // held
  localparam logic [3:0] PhFailed  = 4'd14;

  localparam int unsigned StateBits = 4 + 6 + 8 + 16;

  typedef enum logic [2:0] {
    StClear,
    StIdle,
    StRead,
    StOperate,
    StWrite,
    StAnswer
  } state_e;

  state_e                            state_q, state_d;
  logic [QueueWidth-1:0]             queue_q;
  logic [npu_sqe_pkg::OpWidth-1:0]   op_q;
  logic [511:0]                      sqe_q;
  logic [63:0]                       value_q;
  logic                              flag_q;

  logic [3:0]                        phase_q, phase_d;
  logic [5:0]                        type_q, type_d;
  logic [7:0]                        error_q, error_d;
  logic [15:0]                       status_q, status_d;

  logic [npu_sqe_pkg::NextWidth-1:0] next_q, next_d;
  npu_sqe_pkg::hold_e                hold_q, hold_d;
  logic                              timed_q, timed_d;
  logic [63:0]                       due_q, due_d;

  // ---- state of the queues: one read, one write port ----

  logic [StateBits-1:0]              mem [0:Queues-1];
  logic                              mem_we;

  assign mem_we = state_q == StClear || state_q == StWrite;
  always_ff @(posedge clk_i) begin
    if (mem_we) mem[queue_q] <= state_q == StClear ? '0 : {phase_q, type_q, error_q, status_q};
  end

  // ---- decode ----

  npu_sqe_pkg::decoded_t decoded;

  npu_sqe_decode u_decode (
    .sqe_i            (sqe_q),
    .type_i           (type_q),
    .cfg_events_i, .cfg_notifies_i, .cfg_counts_i, .cfg_list_most_i, .cfg_aic_room_i,
    .cfg_aiv_room_i, .cfg_mixed_room_i, .cfg_contexts_i,
    .decoded_o        (decoded)
  );

  // ---- times ----

  logic [63:0] access;       // T-SQE-3
  logic [63:0] from;         // when decode is over
  logic [63:0] by_timeout, by_credit, limit;
  logic        has_timeout, has_credit;

  always_comb begin
    unique case (decoded.access)
      npu_sqe_pkg::AccessEvent:  access = cfg_event_i;
      npu_sqe_pkg::AccessNotify: access = cfg_notify_i;
      npu_sqe_pkg::AccessStore:  access = cfg_store_i;
      default:                   access = 64'd0;
    endcase
  end
  assign from = op_q == npu_sqe_pkg::OpBegin ? value_q + cfg_decode_i : now_i;

  // T-SQE-8: the shorter of the two.
  assign has_timeout = op_q == npu_sqe_pkg::OpPark && decoded.timeout != 32'd0;
  assign has_credit  = decoded.credit != 8'd0 && decoded.credit != 8'd255;
  assign by_timeout  = {32'd0, decoded.timeout} * cfg_timeout_unit_i;
  assign by_credit   = {56'd0, decoded.credit} * cfg_credit_unit_i;
  assign limit       = has_timeout && !(has_credit && by_credit < by_timeout) ? by_timeout
                                                                              : by_credit;

  // ---- operations ----

  logic fails, executed, retires;  // ends of operations that several share
  logic [7:0]  with_error;
  logic [15:0] with_status;

  always_comb begin
    state_d     = state_q;
    phase_d     = phase_q;
    error_d     = error_q;
    status_d    = status_q;
    next_d      = next_q;
    hold_d      = hold_q;
    timed_d     = timed_q;
    due_d       = due_q;
    fails       = 1'b0;
    executed    = 1'b0;
    retires     = 1'b0;
    with_error  = npu_sqe_pkg::ErrorBadSqe;
    with_status = npu_sqe_pkg::StatusBadSqe;

    unique case (state_q)
      StClear:   if (queue_q == QueueWidth'(Queues - 1)) state_d = StIdle;
      StIdle:    if (req_valid_i) state_d = StRead;
      StRead:    state_d = StOperate;
      StWrite:   state_d = StAnswer;
      StAnswer:  if (rsp_ready_i) state_d = StIdle;
      StOperate: begin
        state_d = StWrite;
        next_d  = npu_sqe_pkg::NextNone;
        hold_d  = npu_sqe_pkg::HoldNone;
        timed_d = 1'b0;
        due_d   = now_i;

        unique case (op_q)
          npu_sqe_pkg::OpBegin: begin
            timed_d = 1'b1;
            if (decoded.pre_p != 2'd0) begin  // T-SQE-4
              phase_d = PhDecode;
              next_d  = npu_sqe_pkg::NextDecoded;
              due_d   = from;
            end else begin
              phase_d = PhExecute;
              next_d  = npu_sqe_pkg::NextExecute;
              due_d   = from + access;
            end
          end

          npu_sqe_pkg::OpDecoded: begin
            phase_d = PhBefore;
            next_d  = npu_sqe_pkg::NextHold;
            hold_d  = npu_sqe_pkg::HoldBefore;
          end

          npu_sqe_pkg::OpExecute: begin
            phase_d = PhEffect;
            next_d  = npu_sqe_pkg::NextEffect;
            unique case (decoded.effect)
              npu_sqe_pkg::EffectBad:  fails = 1'b1;
              npu_sqe_pkg::EffectNone: executed = 1'b1;
              npu_sqe_pkg::EffectNowhere: begin
                fails       = 1'b1;
                with_error  = npu_sqe_pkg::ErrorException;
                with_status = npu_sqe_pkg::StatusBusFault;
              end
              default: ;
            endcase
          end

          npu_sqe_pkg::OpMiss: begin
            phase_d = PhLoading;
            next_d  = npu_sqe_pkg::NextLoaded;
            timed_d = 1'b1;
            due_d   = now_i + cfg_event_miss_i;
          end

          npu_sqe_pkg::OpDone: executed = 1'b1;

          npu_sqe_pkg::OpPark, npu_sqe_pkg::OpMove: begin
            phase_d = op_q == npu_sqe_pkg::OpPark ? PhParked : PhMove;
            next_d  = npu_sqe_pkg::NextLimit;
            timed_d = has_timeout || has_credit;
            due_d   = now_i + limit;
          end

          npu_sqe_pkg::OpSetUp: begin
            phase_d = PhSetUp;
            next_d  = npu_sqe_pkg::NextSetUp;
            timed_d = 1'b1;
            due_d   = now_i +
                      (type_q == npu_sqe_pkg::TypePcieDma ? cfg_pcie_setup_i : cfg_sdma_setup_i);
          end

          npu_sqe_pkg::OpFail: begin
            fails       = 1'b1;
            with_error  = value_q[7:0];
            with_status = value_q[23:8];
          end

          npu_sqe_pkg::OpLimit: begin  // T-SQE-8
            fails       = 1'b1;
            with_error  = npu_sqe_pkg::ErrorTimeout;
            with_status = npu_sqe_pkg::StatusTaskTimeout;
          end

          npu_sqe_pkg::OpRetire: begin  // T-SQE-6, T-CQ-3
            if (decoded.wr_cqe && flag_q) begin
              phase_d = PhCq;
              next_d  = npu_sqe_pkg::NextHold;
              hold_d  = npu_sqe_pkg::HoldCq;
            end else begin
              phase_d = PhNone;
              next_d  = npu_sqe_pkg::NextRetired;
            end
          end

          npu_sqe_pkg::OpReport: begin
            if (flag_q) begin
              phase_d = PhCqError;
              next_d  = npu_sqe_pkg::NextHold;
              hold_d  = npu_sqe_pkg::HoldCqError;
            end else begin
              phase_d = PhFailed;
              next_d  = npu_sqe_pkg::NextFailed;
            end
          end

          npu_sqe_pkg::OpResume: begin  // T-CQ-4: one held for its CQ retires or reports again
            if (phase_q == PhBefore) begin
              phase_d = PhExecute;
              next_d  = npu_sqe_pkg::NextExecute;
              timed_d = 1'b1;
              due_d   = from + access;
            end else begin
              retires = 1'b1;
            end
          end

          npu_sqe_pkg::OpEnd: phase_d = PhNone;

          npu_sqe_pkg::OpHandled: begin  // T-SQE-11
            phase_d = PhNone;
            next_d  = npu_sqe_pkg::NextRetired;
          end

          default: ;
        endcase

        if (executed && decoded.post_p != 2'd0) begin  // T-SQE-7
          phase_d = PhAfter;
          next_d  = npu_sqe_pkg::NextHold;
          hold_d  = npu_sqe_pkg::HoldAfter;
        end
        if (retires || (executed && decoded.post_p == 2'd0)) begin  // T-SQE-5
          phase_d = PhRetire;
          next_d  = npu_sqe_pkg::NextRetire;
          timed_d = 1'b1;
          due_d   = now_i + cfg_retire_i + (decoded.wr_cqe ? cfg_cq_write_i : 64'd0);
        end
        if (fails) begin  // T-SQE-10
          phase_d  = PhReport;
          error_d  = with_error;
          status_d = with_status;
          next_d   = npu_sqe_pkg::NextReport;
          timed_d  = 1'b1;
          due_d    = now_i + cfg_retire_i + cfg_cq_write_i;
        end
      end
      default: state_d = StIdle;
    endcase
  end

  // The type is that of the SQE as it was when the queue turned to it.
  logic [StateBits-1:0] row;
  assign row    = mem[queue_q];
  assign type_d =
      op_q != npu_sqe_pkg::OpBegin ? row[29:24] : flag_q ? npu_sqe_pkg::TypeInvalid : sqe_q[5:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StClear;
      phase_q <= PhNone;
      hold_q  <= npu_sqe_pkg::HoldNone;
      {queue_q, op_q, sqe_q, value_q, flag_q, type_q, error_q, status_q, next_q, timed_q,
       due_q} <= '0;
    end else begin
      state_q <= state_d;
      next_q  <= next_d;
      hold_q  <= hold_d;
      timed_q <= timed_d;
      due_q   <= due_d;
      if (state_q == StRead) begin
        phase_q  <= row[33:30];
        type_q   <= type_d;
        error_q  <= row[23:16];
        status_q <= row[15:0];
      end else begin
        phase_q  <= phase_d;
        error_q  <= error_d;
        status_q <= status_d;
      end
      if (state_q == StClear) begin
        queue_q <= queue_q + QueueWidth'(1);
      end else if (state_q == StIdle && req_valid_i) begin
        queue_q <= req_queue_i;
        op_q    <= req_op_i;
        sqe_q   <= req_sqe_i;
        value_q <= req_value_i;
        flag_q  <= req_flag_i;
      end
    end
  end

  assign req_ready_o   = state_q == StIdle;
  assign rsp_valid_o   = state_q == StAnswer;
  assign rsp_last_o    = 1'b1;
  assign rsp_next_o    = next_q;
  assign rsp_hold_o    = hold_q;
  assign rsp_timed_o   = timed_q;
  assign rsp_due_o     = due_q;
  assign rsp_decoded_o = decoded;
  assign rsp_type_o    = type_q;
  assign rsp_error_o   = error_q;
  assign rsp_status_o  = status_q;
  assign busy_o        = state_q != StIdle;

  logic operates;
  assign operates = state_q == StOperate;

  `NPU_ASSERT(RequestHeldUntilTaken,
      req_valid_i && !req_ready_o |=> req_valid_i && $stable(req_op_i) && $stable(req_queue_i))
  `NPU_ASSERT(AnswerHeldUntilTaken,
      rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_next_o) && $stable(rsp_due_o))
  `NPU_ASSERT(TimeHoldsStill,
      operates |-> $stable(now_i))
  `NPU_ASSERT(NothingIsDueInThePast,
      rsp_valid_o && rsp_timed_o |-> rsp_due_o >= now_i)
  `NPU_ASSERT(DecodedInItsPhase,
      operates && op_q == npu_sqe_pkg::OpDecoded |-> phase_q == PhDecode)
  `NPU_ASSERT(ExecutesInItsPhase,
      operates && op_q == npu_sqe_pkg::OpExecute |-> phase_q == PhExecute || phase_q == PhLoading)
  `NPU_ASSERT(RetiresInItsPhase,
      operates && op_q == npu_sqe_pkg::OpRetire |-> phase_q == PhRetire || phase_q == PhCq)
  `NPU_ASSERT(ReportsInItsPhase,
      operates && op_q == npu_sqe_pkg::OpReport |-> phase_q == PhReport || phase_q == PhCqError)
  `NPU_ASSERT(HandledOnlyIfFailed,
      operates && op_q == npu_sqe_pkg::OpHandled |-> phase_q == PhFailed)
  // T-SQE-6: what an end does is done in the cycle of its answer.
  `NPU_ASSERT(EndsAtOnce,
      rsp_valid_o && (next_q == npu_sqe_pkg::NextRetired || next_q == npu_sqe_pkg::NextFailed) |->
      !rsp_timed_o)
  `NPU_ASSERT(ResumesFromAHold,
      operates && op_q == npu_sqe_pkg::OpResume |-> phase_q == PhBefore || phase_q == PhAfter)
  `NPU_ASSERT(ParksFromItsEffect,
      operates && op_q == npu_sqe_pkg::OpPark |-> phase_q == PhEffect)
endmodule
