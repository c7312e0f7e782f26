// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Software's side of npu_top: what it asks for while nothing runs, and what it has said of each
/// queue. Rules T-FE-1, T-FE-8, T-FE-10, T-SCH-13 to T-SCH-15, T-SCH-17, T-SCH-18, T-SQE-11,
/// T-CQ-4, T-CQ-5.
module npu_top_host #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues = 32,
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,

  // A request is taken in the act Wait
  input  logic                           host_valid_i,
  input  logic [npu_top_pkg::HostWidth-1:0] host_op_i,
  input  logic [63:0]                    host_value_i,
  input  logic [2:0]                     host_priority_i,
  input  logic [5:0]                     host_group_i,
  input  logic [15:0]                    host_stream_i,
  input  logic                           host_enable_i,

  // The act, and its outcome (npu_act_pkg)
  input  npu_act_pkg::act_t              act_i,
  output npu_act_pkg::outcome_t          act_o,

  // The queue that is looked at
  input  logic [QueueWidth-1:0]          at_i,
  input  logic [npu_top_pkg::StateWidth-1:0] state_i,
  input  logic [npu_top_pkg::HoldWidth-1:0] hold_i,
  input  logic                           timer_pending_i,
  input  logic                           front_ok_i,      // the last operation of the front end
  output npu_top_pkg::note_t             note_o,

  output logic [63:0]                    value_o,         // of the request
  // what software has said of the queue
  output logic                           enabled_o,
  output logic                           paused_o,        // it holds before the next SQE
  output logic [2:0]                     level_o,
  output logic [5:0]                     group_o,
  output logic [15:0]                    stream_o
);

  logic [npu_top_pkg::HostWidth-1:0] op_q;
  logic [63:0]                       value_q;
  logic [2:0]                        priority_q;
  logic [5:0]                        group_q;
  logic [15:0]                       stream_q;
  logic                              enable_q;

  typedef struct packed {
    logic        enabled;
    logic [npu_top_pkg::Pauses-1:0] paused;
    logic        skips;      // it was killed while an SQE was under way
    logic [2:0]  level;      // priority
    logic [5:0]  group;
    logic [15:0] stream;
  } row_t;
  localparam int unsigned RowBits = 2 + npu_top_pkg::Pauses + 3 + 6 + 16;

  logic [RowBits-1:0] row_mem [0:Queues-1];
  row_t               row, row_d;
  logic               row_we;

  assign row = row_mem[at_i];
  always_ff @(posedge clk_i) begin
    if (row_we) row_mem[at_i] <= row_d;
  end

  logic waits_for_cq, between, ends_task;
  assign waits_for_cq = hold_i == npu_sqe_pkg::HoldCq || hold_i == npu_sqe_pkg::HoldCqError;
  // no SQE is under way
  assign between   = state_i == npu_top_pkg::QIdle ||
                     (state_i == npu_top_pkg::QHeld && hold_i == npu_top_pkg::HoldPause);
  assign ends_task = (value_q[npu_top_pkg::Pauses-1:0] & npu_top_pkg::PauseTask) != '0;

  `include "npu_act_call.svh"

  always_comb begin
    act_o  = '0;
    note_o = '0;
    row_d  = row;
    row_we = 1'b0;

    unique case (act_i)
      npu_act_pkg::Reset: begin
        row_d  = '0;
        row_we = 1'b1;
      end

      npu_act_pkg::Host: begin
        unique case (op_q)
          npu_top_pkg::HostOpen:
            call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpOpen}, npu_act_pkg::Opened);
          npu_top_pkg::HostRing:
            call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpRing}, npu_act_pkg::Rung);
          npu_top_pkg::HostCqHead:
            call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpSetCqHead},
                 npu_act_pkg::CqHeadSet);
          npu_top_pkg::HostResume: begin
            row_d.paused = row.paused & ~value_q[npu_top_pkg::Pauses-1:0];
            row_we       = 1'b1;
            act_o.next   = npu_act_pkg::Resume;
          end
          npu_top_pkg::HostHandled:   act_o.next = npu_act_pkg::Handled;
          npu_top_pkg::HostEnable:    act_o.next = npu_act_pkg::Enable;
          npu_top_pkg::HostPause:     act_o.next = npu_act_pkg::Pause;
          npu_top_pkg::HostKill:      act_o.next = npu_act_pkg::Kill;
          npu_top_pkg::HostTerminate: act_o.next = npu_act_pkg::Terminate;
          npu_top_pkg::HostSetHead: begin
            if (!row.enabled && state_i == npu_top_pkg::QIdle)
              call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpSetHead},
                   npu_act_pkg::Return);
          end
          npu_top_pkg::HostPriority:  act_o.next = npu_act_pkg::Priority;
          npu_top_pkg::HostEventRecord:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableRecord, npu_act_pkg::Released);
          npu_top_pkg::HostNotifyRecord:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableRecord | npu_act_pkg::TableNotifies,
                 npu_act_pkg::Released);
          npu_top_pkg::HostEventClear:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableClear, npu_act_pkg::Return);
          npu_top_pkg::HostNotifyClear:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableClear | npu_act_pkg::TableNotifies,
                 npu_act_pkg::Return);
          default: ;
        endcase
      end

      npu_act_pkg::Opened: begin
        row_d.enabled = enable_q;
        row_d.paused  = '0;
        row_d.skips   = 1'b0;
        row_d.level   = priority_q;
        row_d.group   = group_q;
        row_d.stream  = stream_q;
        row_we        = 1'b1;
        act_o.state   = npu_top_pkg::QIdle;
        call(npu_act_pkg::CallSlots, npu_act_pkg::SlotsClear, npu_act_pkg::Return);
      end
      npu_act_pkg::Rung: begin
        if (state_i == npu_top_pkg::QIdle && !timer_pending_i) act_o.next = npu_act_pkg::Look;
      end
      npu_act_pkg::CqHeadSet: begin  // T-CQ-4
        if (front_ok_i && waits_for_cq) act_o.next = npu_act_pkg::EndHold;
      end
      npu_act_pkg::Resume: begin  // T-SCH-13, T-SCH-17, T-SCH-18
        if (state_i == npu_top_pkg::QHeld) begin
          if (hold_i == npu_top_pkg::HoldPause ? row.paused == '0 : ends_task)
            act_o.next = npu_act_pkg::EndHold;
        end else if (state_i == npu_top_pkg::QKilled && ends_task) begin
          act_o.next = npu_act_pkg::Look;
          if (row.skips) begin
            call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpRetire}, npu_act_pkg::Skipped);
            act_o.after = npu_act_pkg::Look;
          end
        end
      end
      npu_act_pkg::EndHold: begin
        if (state_i == npu_top_pkg::QHeld) begin
          note_o      = {1'b1, npu_top_pkg::NoteResume, 32'd0};
          act_o.state = npu_top_pkg::QWork;
          unique case (hold_i)
            npu_top_pkg::HoldPause:   act_o.next = npu_act_pkg::GoOn;
            npu_sqe_pkg::HoldCq:      act_o.next = npu_act_pkg::Retire;
            npu_sqe_pkg::HoldCqError: act_o.next = npu_act_pkg::Report;
            default: call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpResume}, npu_act_pkg::Next);
          endcase
        end
      end
      npu_act_pkg::Handled: begin  // T-SQE-11
        if (state_i == npu_top_pkg::QException)
          call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpEnd}, npu_act_pkg::Skip);
      end
      npu_act_pkg::Skip: begin
        call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpRetire}, npu_act_pkg::Skipped);
        act_o.after = npu_act_pkg::GoOn;
      end
      npu_act_pkg::Skipped: begin
        note_o = {1'b1, npu_top_pkg::NoteSkip, 32'd0};
      end
      npu_act_pkg::Enable: begin  // T-FE-8
        row_d.enabled = value_q[0];
        row_we        = 1'b1;
        if (state_i == npu_top_pkg::QIdle)
          call(npu_act_pkg::CallTimer, npu_act_pkg::TimerOff, npu_act_pkg::Look);
      end

      // T-FE-10: it goes on waiting, among those of the new priority.
      npu_act_pkg::Priority: begin
        act_o.next = npu_act_pkg::Reorder;
        if (state_i == npu_top_pkg::QWaitSlot || state_i == npu_top_pkg::QWaitClass)
          call(state_i == npu_top_pkg::QWaitSlot ? npu_act_pkg::CallAsking : npu_act_pkg::CallClass,
               npu_act_pkg::ArbRemove, npu_act_pkg::Reorder);
      end
      npu_act_pkg::Reorder: begin
        row_d.level = priority_q;
        row_d.group = group_q;
        row_we      = 1'b1;
        if (state_i == npu_top_pkg::QWaitSlot)
          call(npu_act_pkg::CallAsking, npu_act_pkg::ArbAdd, npu_act_pkg::Return);
        if (state_i == npu_top_pkg::QWaitClass)
          call(npu_act_pkg::CallClass, npu_act_pkg::ArbAdd, npu_act_pkg::Return);
      end

      npu_act_pkg::Pause: begin  // T-SCH-13, T-SCH-18
        row_d.paused = row.paused | value_q[npu_top_pkg::Pauses-1:0];
        row_we       = 1'b1;
        if (state_i == npu_top_pkg::QIdle)
          call(npu_act_pkg::CallTimer, npu_act_pkg::TimerOff, npu_act_pkg::HoldPause);
      end

      // T-SCH-14: the SQE ends without effect; what the queue had is free again.
      npu_act_pkg::Kill: begin
        row_d.paused = '0;
        if (state_i != npu_top_pkg::QKilled) row_d.skips = !between;
        row_we       = 1'b1;
        call(npu_act_pkg::CallTimer, npu_act_pkg::TimerOff, npu_act_pkg::KillWhere);
      end
      npu_act_pkg::KillWhere: begin
        act_o.next     = npu_act_pkg::KillFree;
        act_o.then_act = npu_act_pkg::KillFree;
        unique case (state_i)
          npu_top_pkg::QWaitSlot:
            call(npu_act_pkg::CallAsking, npu_act_pkg::ArbRemove, npu_act_pkg::KillFree);
          npu_top_pkg::QWaitClass:
            call(npu_act_pkg::CallClass, npu_act_pkg::ArbRemove, npu_act_pkg::KillFree);
          npu_top_pkg::QWaitChannel:
            call(npu_act_pkg::CallPool, npu_act_pkg::PoolForget, npu_act_pkg::KillFree);
          npu_top_pkg::QParked: act_o.next = npu_act_pkg::Forget;
          npu_top_pkg::QTransfer:
            call(npu_act_pkg::CallLink, npu_act_pkg::LinkEnd, npu_act_pkg::KillFree);
          default: act_o.then_act = npu_act_pkg::Return;
        endcase
      end
      npu_act_pkg::KillFree: begin
        act_o.next     = npu_act_pkg::FreeChannel;
        act_o.then_act = npu_act_pkg::Unshare;
        act_o.after    = npu_act_pkg::KillLeave;
      end
      npu_act_pkg::KillLeave: begin
        act_o.next     = npu_act_pkg::Leave;
        act_o.then_act = npu_act_pkg::KillEnd;
      end
      npu_act_pkg::KillEnd:
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpEnd}, npu_act_pkg::Killed);
      npu_act_pkg::Killed: begin
        note_o      = {1'b1, npu_top_pkg::NoteKill, 32'd0};
        act_o.state = npu_top_pkg::QKilled;
      end
      npu_act_pkg::Terminate: begin  // T-SCH-15
        if (state_i == npu_top_pkg::QKilled)
          call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpDropAll}, npu_act_pkg::Look);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {op_q, value_q, priority_q, group_q, stream_q, enable_q} <= '0;
    end else if (act_i == npu_act_pkg::Wait && host_valid_i) begin
      op_q       <= host_op_i;
      value_q    <= host_value_i;
      priority_q <= host_priority_i;
      group_q    <= host_group_i;
      stream_q   <= host_stream_i;
      enable_q   <= host_enable_i;
    end
  end

  assign value_o   = value_q;
  assign enabled_o = row.enabled;
  assign paused_o  = row.paused != '0;
  assign level_o   = row.level;
  assign group_o   = row.group;
  assign stream_o  = row.stream;

  `NPU_ASSERT(RowHasItsWidth, $bits(row_t) == RowBits)
endmodule
