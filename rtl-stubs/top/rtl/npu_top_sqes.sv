// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// From SQE to SQE in npu_top: what comes next in the ring, the machine of the SQE, retirement,
/// failure, completions. Rules T-SCH-1, T-SCH-7, T-SCH-12, T-SCH-13, T-SQE-1, T-SQE-5 to T-SQE-7,
/// T-SQE-10, T-CQ-2, T-CQ-3.
module npu_top_sqes #(
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
  output logic                  ready_o,           // memories are clear

  // The queue that is looked at
  input  logic [63:0]           now_i,
  input  logic [QueueWidth-1:0] at_i,
  input  logic                  enabled_i,
  input  logic                  paused_i,
  input  logic [15:0]           stream_i,
  input  logic                  has_slot_i,
  output logic [npu_top_pkg::HoldWidth-1:0] hold_o,  // why it is held: see NoteHold
  output npu_top_pkg::note_t    note_o,
  input  logic [63:0]           host_value_i,      // what software has said
  input  logic [63:0]           counter_i,         // T-TIM-5

  // What the front end and the machine of the SQE have said
  output logic                  front_ok_o,
  output logic [63:0]           front_time_o,
  output npu_sqe_pkg::decoded_t decoded_o,
  output logic [63:0]           due_o,
  output logic                  loads_o,           // the entry of its event comes from memory

  // Ring: places, and the SQE at the head
  output logic                  ring_req_o,
  output logic [31:0]           ring_place_o,
  input  logic [511:0]          ring_sqe_i,
  output logic                  arrival_req_o,
  input  logic [15:0]           arrival_visible_i,
  input  logic [63:0]           arrival_time_i,

  output logic                  cqe_valid_o,
  output logic [QueueWidth-1:0] cqe_queue_o,
  output logic [31:0]           cqe_place_o,
  output logic [127:0]          cqe_data_o
);

  // ---- what is kept of each queue ----

  logic [31:0] place_mem [0:Queues-1];  // of its head, in the ring
  logic [npu_top_pkg::HoldWidth-1:0] hold_mem [0:Queues-1];
  logic [npu_top_pkg::HoldWidth-1:0] hold;
  logic        hold_we;
  logic [31:0] place;

  assign place  = place_mem[at_i];
  assign hold_o = hold_mem[at_i];

  // ---- front end ----

  logic                      front_clk, front_ready, front_valid, front_ok, front_busy;
  logic [63:0]               front_time;
  npu_front_end_pkg::queue_t front_queue;
  npu_front_end_pkg::cqe_t   cqe;
  logic                      front_ok_q, front_more_q, cq_full_q;
  logic [63:0]               front_time_q, counter_q;
  logic [15:0]               arrival_visible_q;
  logic [63:0]               arrival_time_q;

  npu_clock_gate u_front_clock (
    .clk_i,
    .enable_i (act_i == npu_act_pkg::CallFront || front_busy),
    .clk_o    (front_clk)
  );

  npu_front_end #(.Queues(Queues)) u_front (
    .clk_i             (front_clk),
    .rst_ni, .now_i,
    .cfg_window_i      (cfg_i.window),
    .req_valid_i       (act_i == npu_act_pkg::CallFront),
    .req_ready_o       (front_ready),
    .req_op_i          (op_i[npu_front_end_pkg::OpWidth-1:0]),
    .req_queue_i       (at_i),
    .req_value_i       (op_i == {1'b0, npu_front_end_pkg::OpFetch} ? times_i.read : host_value_i),
    .req_cqe_i         (cqe),
    .arrival_req_o     (),
    .arrival_queue_o   (),
    .arrival_place_o   (),
    .arrival_visible_i (arrival_visible_q),
    .arrival_time_i    (arrival_time_q),
    .cqe_valid_o, .cqe_queue_o, .cqe_place_o, .cqe_data_o,
    .rsp_valid_o       (front_valid),
    .rsp_ready_i       (act_i == npu_act_pkg::FrontRsp),
    .rsp_last_o        (),
    .rsp_ok_o          (front_ok),
    .rsp_time_o        (front_time),
    .rsp_queue_o       (front_queue),
    .busy_o            (front_busy)
  );

  // What can be seen of the ring is asked when the front end takes the operation, and holds for it.
  assign arrival_req_o = act_i == npu_act_pkg::CallFront &&
                         (op_i == {1'b0, npu_front_end_pkg::OpLook} ||
                          op_i == {1'b0, npu_front_end_pkg::OpFetch});

  // ---- the machine of the SQE ----

  logic                              sqe_clk, sqe_ready, sqe_valid, sqe_busy;
  logic [npu_sqe_pkg::NextWidth-1:0] sqe_next, sqe_next_q;
  npu_sqe_pkg::hold_e                sqe_hold, sqe_hold_q;
  logic                              sqe_timed, sqe_timed_q;
  logic [63:0]                       sqe_due, sqe_due_q, sqe_value;
  npu_sqe_pkg::decoded_t             sqe_decoded, decoded_q;
  logic [5:0]                        sqe_type, sqe_type_q;
  logic [7:0]                        sqe_error, sqe_error_q;
  logic [15:0]                       sqe_status, sqe_status_q;
  logic                              sqe_ends;

  assign sqe_value = op_i == {1'b0, npu_sqe_pkg::OpBegin} ? front_time_q :
                     op_i[4] ? {40'd0, npu_sqe_pkg::StatusBusFault, npu_sqe_pkg::ErrorException} :
                               {40'd0, npu_sqe_pkg::StatusBadSqe, npu_sqe_pkg::ErrorBadSqe};
  assign sqe_ends  = op_i == {1'b0, npu_sqe_pkg::OpRetire} ||
                     op_i == {1'b0, npu_sqe_pkg::OpReport};

  npu_clock_gate u_sqe_clock (
    .clk_i,
    .enable_i (act_i == npu_act_pkg::CallSqe || sqe_busy),
    .clk_o    (sqe_clk)
  );

  npu_sqe #(.Queues(Queues)) u_sqe (
    .clk_i              (sqe_clk),
    .rst_ni, .now_i,
    .cfg_events_i       (cfg_i.events),
    .cfg_notifies_i     (cfg_i.notifies),
    .cfg_counts_i       (17'd0),
    .cfg_list_most_i    (16'd0),
    .cfg_aic_room_i     (16'd0),
    .cfg_aiv_room_i     (16'd0),
    .cfg_mixed_room_i   (16'd0),
    .cfg_contexts_i     (16'd0),
    .cfg_decode_i       (times_i.decode),
    .cfg_event_i        (times_i.event_table),
    .cfg_event_miss_i   (times_i.event_miss),
    .cfg_notify_i       (times_i.notify_table),
    .cfg_store_i        (times_i.store),
    .cfg_retire_i       (times_i.retire),
    .cfg_cq_write_i     (times_i.cq_write),
    .cfg_sdma_setup_i   (times_i.sdma_setup),
    .cfg_pcie_setup_i   (times_i.pcie_setup),
    .cfg_credit_unit_i  (times_i.credit_unit),
    .cfg_timeout_unit_i (times_i.timeout_unit),
    .req_valid_i        (act_i == npu_act_pkg::CallSqe),
    .req_ready_o        (sqe_ready),
    .req_op_i           (op_i[npu_sqe_pkg::OpWidth-1:0]),
    .req_queue_i        (at_i),
    .req_sqe_i          (ring_sqe_i),
    .req_value_i        (sqe_value),
    .req_flag_i         (sqe_ends && cq_full_q),
    .rsp_valid_o        (sqe_valid),
    .rsp_ready_i        (act_i == npu_act_pkg::SqeRsp),
    .rsp_last_o         (),
    .rsp_next_o         (sqe_next),
    .rsp_hold_o         (sqe_hold),
    .rsp_timed_o        (sqe_timed),
    .rsp_due_o          (sqe_due),
    .rsp_decoded_o      (sqe_decoded),
    .rsp_type_o         (sqe_type),
    .rsp_error_o        (sqe_error),
    .rsp_status_o       (sqe_status),
    .busy_o             (sqe_busy)
  );

  // ---- completions ----

  logic fails;
  assign fails = sqe_next_q == npu_sqe_pkg::NextFailed;

  always_comb begin
    cqe              = '0;
    cqe.error        = fails;
    cqe.event_record = !fails && sqe_type_q == npu_sqe_pkg::TypeEventRecord;
    cqe.placeholder  = !fails && sqe_type_q == npu_sqe_pkg::TypePlaceholder;
    cqe.stream       = stream_i;
    cqe.task_id      = decoded_q.task_id;
    cqe.timestamp    = counter_q;
    cqe.code         = sqe_error_q;
    cqe.error_type   = {sqe_type_q, 2'd0};
    cqe.status       = sqe_status_q;
  end

  // ---- acts ----

  `include "npu_act_call.svh"

  always_comb begin
    act_o   = '0;
    note_o  = '0;
    hold_we = 1'b0;
    hold    = sqe_hold_q;

    unique case (act_i)
      // ---- between SQEs ----

      npu_act_pkg::Look:
        call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpLook}, npu_act_pkg::Idle);
      npu_act_pkg::Idle: begin  // T-SCH-1
        act_o.state = npu_top_pkg::QIdle;
        act_o.step  = npu_top_pkg::StepArrive;
        if (enabled_i && front_more_q)
          call(npu_act_pkg::CallTimer, npu_act_pkg::TimerArrive, npu_act_pkg::Return);
      end
      npu_act_pkg::GoOn: begin  // T-SCH-7
        act_o.next = npu_act_pkg::HoldPause;
        if (!paused_i)
          call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpLook}, npu_act_pkg::Looked);
      end
      npu_act_pkg::HoldPause: begin  // T-SCH-13
        note_o      = {1'b1, npu_top_pkg::NoteHold, 32'(npu_top_pkg::HoldPause)};
        act_o.state = npu_top_pkg::QHeld;
        hold        = npu_top_pkg::HoldPause;
        hold_we     = 1'b1;
      end
      npu_act_pkg::Looked: begin
        if (!(front_ok_q && enabled_i)) begin
          act_o.next     = npu_act_pkg::Leave;
          act_o.then_act = npu_act_pkg::Idle;
        end else if (has_slot_i) begin
          call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpFetch}, npu_act_pkg::Fetched);
        end else begin
          call(npu_act_pkg::Ask, npu_act_pkg::OpWidth'(npu_top_pkg::ResumeBegin),
               npu_act_pkg::Return);
        end
      end
      npu_act_pkg::Fetched: begin  // T-SQE-1
        note_o      = {1'b1, npu_top_pkg::NoteBegin, 32'd0};
        act_o.state = npu_top_pkg::QWork;
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpBegin}, npu_act_pkg::Next);
      end

      // ---- one SQE ----

      npu_act_pkg::Next: begin
        unique case (sqe_next_q)
          npu_sqe_pkg::NextDecoded, npu_sqe_pkg::NextExecute, npu_sqe_pkg::NextLoaded,
          npu_sqe_pkg::NextSetUp, npu_sqe_pkg::NextRetire, npu_sqe_pkg::NextReport: begin
            act_o.state = npu_top_pkg::QWork;
            act_o.step  = npu_top_pkg::StepSqe + {1'b0, sqe_next_q};
            call(npu_act_pkg::CallTimer, npu_act_pkg::TimerDue, npu_act_pkg::Return);
          end
          npu_sqe_pkg::NextLimit: begin
            act_o.step = npu_top_pkg::StepSqe + {1'b0, sqe_next_q};
            if (sqe_timed_q)
              call(npu_act_pkg::CallTimer, npu_act_pkg::TimerDue, npu_act_pkg::Return);
          end
          npu_sqe_pkg::NextHold: begin
            note_o      = {1'b1, npu_top_pkg::NoteHold, {29'd0, sqe_hold_q}};
            act_o.state = npu_top_pkg::QHeld;
            hold_we     = 1'b1;
          end
          npu_sqe_pkg::NextEffect:  act_o.next = npu_act_pkg::Effect;
          npu_sqe_pkg::NextRetired: act_o.next = npu_act_pkg::Retired;
          npu_sqe_pkg::NextFailed:  act_o.next = npu_act_pkg::Reported;
          default: ;
        endcase
      end
      npu_act_pkg::Done: call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpDone}, npu_act_pkg::Next);
      npu_act_pkg::Fault:
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpFail} | npu_act_pkg::SqeFault,
             npu_act_pkg::Next);
      npu_act_pkg::BadSqe:
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpFail}, npu_act_pkg::Next);

      // ---- its end ----

      npu_act_pkg::Retire:
        call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpLook}, npu_act_pkg::RetireFull);
      npu_act_pkg::RetireFull:
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpRetire}, npu_act_pkg::Next);
      npu_act_pkg::Retired: begin  // T-SQE-6, T-CQ-2
        act_o.next     = npu_act_pkg::Unshare;
        act_o.then_act = npu_act_pkg::Unshared;
        if (decoded_q.wr_cqe) begin
          call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpComplete}, npu_act_pkg::Unshare);
          act_o.after = npu_act_pkg::Unshared;
        end
      end
      npu_act_pkg::Unshared:
        call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpRetire}, npu_act_pkg::HeadMoved);
      npu_act_pkg::HeadMoved: begin
        note_o     = {1'b1, npu_top_pkg::NoteRetire, {30'd0, decoded_q.ie}};
        act_o.next = npu_act_pkg::GoOn;
      end
      npu_act_pkg::Report:
        call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpLook}, npu_act_pkg::ReportFull);
      npu_act_pkg::ReportFull:
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpReport}, npu_act_pkg::Next);
      npu_act_pkg::Reported: begin  // T-SQE-10
        call(npu_act_pkg::CallFront, {1'b0, npu_front_end_pkg::OpComplete}, npu_act_pkg::Unshare);
        act_o.after = npu_act_pkg::ReportLeave;
      end
      npu_act_pkg::ReportLeave: begin  // T-SCH-12
        act_o.next     = npu_act_pkg::Leave;
        act_o.then_act = npu_act_pkg::Failed;
      end
      npu_act_pkg::Failed: begin
        note_o      = {1'b1, npu_top_pkg::NoteFail, {8'd0, sqe_status_q, sqe_error_q}};
        act_o.state = npu_top_pkg::QException;
      end

      npu_act_pkg::CallFront:
        act_o.next = front_ready ? npu_act_pkg::FrontRsp : npu_act_pkg::CallFront;
      npu_act_pkg::FrontRsp: if (!front_valid) act_o.next = npu_act_pkg::FrontRsp;
      npu_act_pkg::CallSqe:
        act_o.next = sqe_ready ? npu_act_pkg::SqeRsp : npu_act_pkg::CallSqe;
      npu_act_pkg::SqeRsp: if (!sqe_valid) act_o.next = npu_act_pkg::SqeRsp;
      default: ;
    endcase
  end

  logic front_answers;
  assign front_answers = act_i == npu_act_pkg::FrontRsp && front_valid;

  always_ff @(posedge clk_i) begin
    if (front_answers) place_mem[at_i] <= front_queue.head & front_queue.mask;
    if (hold_we) hold_mem[at_i] <= hold;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sqe_hold_q <= npu_sqe_pkg::HoldNone;
      {arrival_visible_q, arrival_time_q, counter_q, front_ok_q, front_more_q, cq_full_q,
       front_time_q, sqe_next_q, sqe_timed_q, sqe_due_q, decoded_q, sqe_type_q, sqe_error_q,
       sqe_status_q} <= '0;
    end else begin
      if (arrival_req_o) begin
        arrival_visible_q <= arrival_visible_i;
        arrival_time_q    <= arrival_time_i;
      end
      if (act_i == npu_act_pkg::Retired) counter_q <= counter_i;
      if (front_answers) begin
        front_ok_q   <= front_ok;
        front_time_q <= front_time;
        front_more_q <= front_queue.head != front_queue.seen;
        cq_full_q    <= front_queue.cq_tail - front_queue.cq_head >= front_queue.cq_mask;
      end
      if (act_i == npu_act_pkg::SqeRsp && sqe_valid) begin
        sqe_next_q   <= sqe_next;
        sqe_hold_q   <= sqe_hold;
        sqe_timed_q  <= sqe_timed;
        sqe_due_q    <= sqe_due;
        decoded_q    <= sqe_decoded;
        sqe_type_q   <= sqe_type;
        sqe_error_q  <= sqe_error;
        sqe_status_q <= sqe_status;
      end
    end
  end

  logic unused;
  assign unused = ^front_queue;

  assign ready_o      = front_ready && sqe_ready;
  assign front_ok_o   = front_ok_q;
  assign front_time_o = front_time_q;
  assign decoded_o    = decoded_q;
  assign due_o        = sqe_due_q;
  assign loads_o      = act_i == npu_act_pkg::Next && sqe_next_q == npu_sqe_pkg::NextLoaded;
  assign ring_req_o   = act_i == npu_act_pkg::CallSqe;
  assign ring_place_o = place;
endmodule
