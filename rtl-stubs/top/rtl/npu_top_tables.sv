// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Effects of SQEs on the event and the notify table of npu_top, waits, and released queues.
/// Rules T-EVT-1 to T-EVT-5, T-EVT-8, T-NTF-1 to T-NTF-3, T-SCH-10, T-SCH-11.
module npu_top_tables #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues   = 32,
  /// Ids of events at most, a power of two from 128 to 65536
  parameter int unsigned Events   = 128,
  /// Ids of notifies at most, likewise
  parameter int unsigned Notifies = 128,
  localparam int unsigned QueueWidth  = $clog2(Queues),
  localparam int unsigned EventWidth  = $clog2(Events),
  localparam int unsigned NotifyWidth = $clog2(Notifies)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  npu_top_pkg::cfg_t     cfg_i,  // still after reset

  // The act, and its outcome (npu_act_pkg)
  input  npu_act_pkg::act_t     act_i,
  input  npu_act_pkg::op_t      op_i,
  output npu_act_pkg::outcome_t act_o,
  output logic                  ready_o,      // memories are clear

  // The queue that is looked at
  input  logic [63:0]           now_i,
  input  logic [QueueWidth-1:0] at_i,
  output npu_top_pkg::note_t    note_o,

  // The access to a table: of software with an id, or of the queue of the step with its SQE
  input  logic                  by_host_i,
  input  logic [16:0]           host_id_i,
  input  logic [QueueWidth-1:0] main_i,
  input  npu_sqe_pkg::effect_e  effect_i,
  input  logic [16:0]           id_i,
  input  logic                  loads_i,      // its access found the entry in memory (T-EVT-8)

  output logic [QueueWidth-1:0] released_o    // the queue that a record releases
);

  // ---- what is kept of each queue: what it waits for ----

  localparam int unsigned RowBits = 1 + 17;
  logic [RowBits-1:0] row_mem [0:Queues-1];
  logic               waits_for_notify;
  logic [16:0]        wait_id;
  logic               row_we;

  assign {waits_for_notify, wait_id} = row_mem[at_i];
  always_ff @(posedge clk_i) begin
    if (row_we) row_mem[at_i] <= {effect_i == npu_sqe_pkg::EffectNotifyWait, id_i};
  end

  // ---- tables ----

  logic                  events_clk, event_ready, event_valid, event_last, event_pass;
  logic                  event_release, event_in_memory, event_busy;
  logic                  notifies_clk, notify_ready, notify_valid, notify_pass, notify_release;
  logic                  notify_busy;
  logic [QueueWidth-1:0] event_queue, notify_queue;
  logic                  notifies, call_events, call_notifies;
  logic [16:0]           id;

  assign notifies      = op_i[3];
  assign call_events   = act_i == npu_act_pkg::CallTable && !notifies;
  assign call_notifies = act_i == npu_act_pkg::CallTable && notifies;
  // to forget a wait or to load its entry: what it waits for
  assign id            = op_i[2:0] >= npu_act_pkg::TableForget[2:0] ? wait_id :
                         by_host_i ? host_id_i : id_i;

  npu_clock_gate u_events_clock (
    .clk_i,
    .enable_i (call_events || event_busy),
    .clk_o    (events_clk)
  );

  npu_event_table #(.Events(Events), .Queues(Queues)) u_events (
    .clk_i           (events_clk),
    .rst_ni,
    .cfg_events_i    (cfg_i.events[EventWidth:0]),
    .cfg_lines_i     (cfg_i.lines[EventWidth:0]),
    .cfg_isolated_i  (1'b0),
    .req_valid_i     (call_events),
    .req_ready_o     (event_ready),
    .req_op_i        (op_i[2:0]),
    .req_id_i        (id[EventWidth-1:0]),
    .req_queue_i     (at_i),
    .req_now_i       (now_i),
    .rsp_valid_o     (event_valid),
    .rsp_ready_i     (act_i == npu_act_pkg::TableRsp && !notifies),
    .rsp_last_o      (event_last),
    .rsp_error_o     (),
    .rsp_pass_o      (event_pass),
    .rsp_release_o   (event_release),
    .rsp_queue_o     (event_queue),
    .rsp_flag_o      (),
    .rsp_pending_o   (),
    .rsp_in_memory_o (event_in_memory),
    .busy_o          (event_busy)
  );

  npu_clock_gate u_notifies_clock (
    .clk_i,
    .enable_i (call_notifies || notify_busy),
    .clk_o    (notifies_clk)
  );

  npu_notify_table #(.Notifies(Notifies), .Queues(Queues)) u_notifies (
    .clk_i          (notifies_clk),
    .rst_ni,
    .cfg_notifies_i (cfg_i.notifies[NotifyWidth:0]),
    .req_valid_i    (call_notifies),
    .req_ready_o    (notify_ready),
    .req_op_i       (op_i[2:0]),
    .req_id_i       (id[NotifyWidth-1:0]),
    .req_queue_i    (at_i),
    .req_now_i      (now_i),
    .rsp_valid_o    (notify_valid),
    .rsp_ready_i    (act_i == npu_act_pkg::TableRsp && notifies),
    .rsp_last_o     (),
    .rsp_error_o    (),
    .rsp_pass_o     (notify_pass),
    .rsp_release_o  (notify_release),
    .rsp_queue_o    (notify_queue),
    .rsp_flag_o     (),
    .rsp_pending_o  (),
    .busy_o         (notify_busy)
  );

  // ---- acts ----

  logic                  called_ready, called_valid;
  logic                  last_q, pass_q, release_q, in_memory_q, loaded_q;
  logic                  notifies_q;    // the table that was called last
  logic [QueueWidth-1:0] released_q;
  npu_act_pkg::act_t     after_table;   // what follows when the table has done its part

  assign called_ready = notifies ? notify_ready : event_ready;
  assign called_valid = notifies ? notify_valid : event_valid;
  assign after_table  = by_host_i ? npu_act_pkg::Return : npu_act_pkg::Done;

  `include "npu_act_call.svh"

  always_comb begin
    act_o  = '0;
    note_o = '0;
    row_we = act_i == npu_act_pkg::Reset || loads_i;

    unique case (act_i)
      npu_act_pkg::Effect: begin
        unique case (effect_i)
          npu_sqe_pkg::EffectEventRecord, npu_sqe_pkg::EffectEventWait,
          npu_sqe_pkg::EffectEventClear:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableRead, npu_act_pkg::TableLooked);
          npu_sqe_pkg::EffectNotifyRecord, npu_sqe_pkg::EffectNotifyWait,
          npu_sqe_pkg::EffectNotifyClear: act_o.next = npu_act_pkg::Access;
          npu_sqe_pkg::EffectStore:       act_o.next = npu_act_pkg::Store;
          npu_sqe_pkg::EffectDispatch:    act_o.next = npu_act_pkg::Dispatch;
          // what the top does not do is a bad SQE
          default:                        act_o.next = npu_act_pkg::BadSqe;
        endcase
      end
      npu_act_pkg::TableLooked: begin  // T-EVT-8
        act_o.next = npu_act_pkg::Access;
        if (in_memory_q && !loaded_q)
          call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpMiss}, npu_act_pkg::Next);
      end
      npu_act_pkg::Load: call(npu_act_pkg::CallTable, npu_act_pkg::TableLoad, npu_act_pkg::Loaded);
      npu_act_pkg::Loaded:
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpExecute}, npu_act_pkg::Next);
      npu_act_pkg::Access: begin
        unique case (effect_i)
          npu_sqe_pkg::EffectEventRecord:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableRecord, npu_act_pkg::Released);
          npu_sqe_pkg::EffectNotifyRecord:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableRecord | npu_act_pkg::TableNotifies,
                 npu_act_pkg::Released);
          npu_sqe_pkg::EffectEventClear:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableClear, npu_act_pkg::Done);
          npu_sqe_pkg::EffectNotifyClear:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableClear | npu_act_pkg::TableNotifies,
                 npu_act_pkg::Done);
          npu_sqe_pkg::EffectEventWait:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableWait, npu_act_pkg::Waited);
          default:
            call(npu_act_pkg::CallTable, npu_act_pkg::TableWait | npu_act_pkg::TableNotifies,
                 npu_act_pkg::Waited);
        endcase
      end

      npu_act_pkg::Released: begin  // T-EVT-4, T-NTF-3
        act_o.next = after_table;
        if (release_q) begin
          act_o.turn = npu_act_pkg::TurnTable;
          act_o.next = npu_act_pkg::Wake;
        end
      end
      npu_act_pkg::Wake: begin
        note_o = {1'b1, npu_top_pkg::NoteWake, by_host_i ? 32'hffff_ffff : 32'(main_i)};
        call(npu_act_pkg::CallTimer, npu_act_pkg::TimerOff, npu_act_pkg::Woken);
      end
      npu_act_pkg::Woken:  // T-SCH-11
        call(npu_act_pkg::Ask, npu_act_pkg::OpWidth'(npu_top_pkg::ResumeRetire),
             npu_act_pkg::WokenBack);
      npu_act_pkg::WokenBack: begin
        act_o.turn = npu_act_pkg::TurnMain;
        act_o.next = after_table;
        if (!last_q)
          call(npu_act_pkg::TableRsp, {1'b0, notifies_q, 3'd0} | npu_act_pkg::TableRecord,
               npu_act_pkg::Released);
      end

      npu_act_pkg::Waited: begin  // T-SCH-10
        act_o.next = npu_act_pkg::Done;
        if (!pass_q) begin
          note_o         = {1'b1, npu_top_pkg::NotePark, 32'(id_i)};
          act_o.state    = npu_top_pkg::QParked;
          row_we         = 1'b1;
          act_o.next     = npu_act_pkg::Leave;
          act_o.then_act = npu_act_pkg::Parked;
        end
      end
      npu_act_pkg::Parked:
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpPark}, npu_act_pkg::Next);
      npu_act_pkg::Forget:
        call(npu_act_pkg::CallTable, {1'b0, waits_for_notify, 3'd0} | npu_act_pkg::TableForget,
             npu_act_pkg::Return);

      npu_act_pkg::CallTable:
        act_o.next = called_ready ? npu_act_pkg::TableRsp : npu_act_pkg::CallTable;
      npu_act_pkg::TableRsp: if (!called_valid) act_o.next = npu_act_pkg::TableRsp;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {last_q, pass_q, release_q, in_memory_q, loaded_q, notifies_q, released_q} <= '0;
    end else begin
      if (act_i == npu_act_pkg::Fire) loaded_q <= 1'b0;
      if (act_i == npu_act_pkg::Load) loaded_q <= 1'b1;
      if (act_i == npu_act_pkg::TableRsp && called_valid) begin
        last_q      <= notifies || event_last;
        pass_q      <= notifies ? notify_pass : event_pass;
        release_q   <= notifies ? notify_release : event_release;
        in_memory_q <= !notifies && event_in_memory;
        notifies_q  <= notifies;
        released_q  <= notifies ? notify_queue : event_queue;
      end
    end
  end

  logic unused;
  assign unused = ^{op_i, id};

  assign ready_o    = event_ready && notify_ready;
  assign released_o = released_q;
endmodule
