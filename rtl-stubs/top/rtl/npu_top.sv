// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// The blocks joined: a machine for plain tasks that keeps its own time. An engine does one act
/// after the other, each an affair of one of the modules below, and takes what is due in the order
/// of T-TIM-3; time does not pass while a step is under way. The page lists what it does not do.
module npu_top #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues   = 32,
  /// Ids of events at most, a power of two from 128 to 65536
  parameter int unsigned Events   = 128,
  /// Ids of notifies at most, likewise
  parameter int unsigned Notifies = 128,
  /// 1: links can be shared burst by burst; 0: there is no npu_burst
  parameter int unsigned Bursts   = 0,
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // The part: taken in after reset, then static
  input  npu_top_pkg::cfg_t     cfg_i,
  input  npu_top_pkg::times_t   times_i,

  // Software: only while nothing runs
  input  logic                           host_valid_i,
  output logic                           host_ready_o,
  input  logic [npu_top_pkg::HostWidth-1:0] host_op_i,
  input  logic [QueueWidth-1:0]          host_queue_i,
  input  logic [63:0]                    host_value_i,
  input  logic [2:0]                     host_priority_i,  // HostOpen
  input  logic [5:0]                     host_group_i,
  input  logic [15:0]                    host_stream_i,
  input  logic                           host_enable_i,
  // of the queue that host_queue_i names (npu_top_pkg)
  output logic [3:0]                     host_state_o,

  // Runs until the next event is after that time, or there is none
  input  logic                  run_valid_i,
  output logic                  run_ready_o,
  input  logic [63:0]           run_until_i,
  output logic                  idle_o,              // nothing is left to happen
  output logic [63:0]           now_o,
  input  logic [63:0]           counter_i,           // the system counter at now_o (T-TIM-5)

  // Rings, and what is visible of them, see npu_front_end: answers in the same cycle
  output logic                  ring_req_o,
  output logic [QueueWidth-1:0] ring_queue_o,
  output logic [31:0]           ring_place_o,
  input  logic [511:0]          ring_sqe_i,
  output logic                  arrival_req_o,
  output logic [QueueWidth-1:0] arrival_queue_o,
  output logic [31:0]           arrival_place_o,
  input  logic [15:0]           arrival_visible_i,
  input  logic [63:0]           arrival_time_i,

  // Memory: answers in the same cycle. The SQE is that of ring_place_o.
  output logic                  memory_req_o,
  output logic [1:0]            memory_op_o,
  output logic [QueueWidth-1:0] memory_queue_o,
  output logic [48:0]           memory_address_o,    // MemoryStore
  output logic [5:0]            memory_size_o,       // MemoryStore: bytes
  input  logic                  memory_ok_i,         // no address leads nowhere
  input  logic [3:0]            memory_route_i,      // MemoryRoute
  input  logic [63:0]           memory_bytes_i,      // MemoryRoute
  input  logic [63:0]           memory_src_i,        // MemoryRoute: where it begins; for bursts
  input  logic [63:0]           memory_dst_i,

  // A burst begins, see npu_burst: high for one clock
  output logic                  ax_valid_o,
  output logic [6:0]            ax_id_o,             // {of PCIe DMA, channel}
  output logic [63:0]           ax_src_o,
  output logic [63:0]           ax_dst_o,
  output logic [31:0]           ax_bytes_o,
  output logic                  ax_last_o,

  // CQs: take an entry in the cycle in which it is offered
  output logic                  cqe_valid_o,
  output logic [QueueWidth-1:0] cqe_queue_o,
  output logic [31:0]           cqe_place_o,
  output logic [127:0]          cqe_data_o,

  // What happens, in order
  output logic                  note_valid_o,
  output logic [npu_top_pkg::NoteWidth-1:0] note_kind_o,
  output logic [QueueWidth-1:0] note_queue_o,
  output logic [63:0]           note_value_o
);

  npu_act_pkg::act_t act_q, act_d;

  // ---- the part: registers, so that nothing changes on the way ----

  npu_top_pkg::cfg_t   cfg_q;
  npu_top_pkg::times_t times_q;
  logic                cfg_clk;

  npu_clock_gate u_cfg_clock (
    .clk_i,
    .enable_i (act_q == npu_act_pkg::Reset),
    .clk_o    (cfg_clk)
  );

  always_ff @(posedge cfg_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      {cfg_q, times_q} <= '0;
    end else begin
      cfg_q   <= cfg_i;
      times_q <= times_i;
    end
  end

  // ---- the queue that is looked at, and time ----

  localparam int unsigned RowBits = npu_top_pkg::StateWidth + npu_top_pkg::StepWidth;
  logic [RowBits-1:0]                 row_mem [0:Queues-1];
  logic [npu_top_pkg::StateWidth-1:0] state, state_new, host_state;
  logic [npu_top_pkg::StepWidth-1:0]  step, step_new, host_step;
  logic                               row_we;

  logic [QueueWidth-1:0] main_q, main_d;  // the queue of the step
  logic [QueueWidth-1:0] at_q, at_d;      // the one that is looked at: that, or one that it moves
  logic [63:0]           now_q, now_d, until_q;
  logic                  running_q, running_d, idle_q, idle_d;
  logic                  by_host_q;       // the step is software's

  // ---- acts: what each module says of the present one ----

  npu_act_pkg::op_t      op_q, op_d;  // of a call it holds until the answer
  npu_act_pkg::outcome_t own, by_host, by_sqes, by_slotting, by_tables, by_engines, outcome;
  npu_top_pkg::note_t    host_note, sqes_note, slotting_note, tables_note, engines_note, note;

  assign outcome = own | by_host | by_sqes | by_slotting | by_tables | by_engines;
  assign note    = host_note | sqes_note | slotting_note | tables_note | engines_note;

  // Acts that were left for later, the next one lowest. Calls do not nest deeper than this.
  localparam int unsigned Depth = 6;
  localparam int unsigned StackBits = Depth * npu_act_pkg::Width;
  logic [StackBits-1:0] stack_q, stack_d;
  npu_act_pkg::act_t    left;
  logic                 in_call;

  assign left    = stack_q[npu_act_pkg::Width-1:0];
  assign in_call = act_q >= npu_act_pkg::CallTimer;

  always_comb begin
    act_d   = outcome.next;
    stack_d = stack_q;
    if (outcome.next == npu_act_pkg::Return) begin
      act_d   = left == npu_act_pkg::Return ? npu_act_pkg::Pick : left;
      stack_d = stack_q >> npu_act_pkg::Width;
    end else if (outcome.after != npu_act_pkg::Return) begin
      stack_d = {stack_q[StackBits-2*npu_act_pkg::Width-1:0], outcome.after, outcome.then_act};
    end else if (outcome.then_act != npu_act_pkg::Return) begin
      stack_d = {stack_q[StackBits-npu_act_pkg::Width-1:0], outcome.then_act};
    end
    op_d = in_call ? op_q : outcome.op;
  end

  assign {state, step}           = row_mem[at_q];
  assign {host_state, host_step} = row_mem[host_queue_i];
  assign row_we    = act_q == npu_act_pkg::Reset || {outcome.state, outcome.step} != '0;
  assign state_new = outcome.state != '0 ? outcome.state : state;
  assign step_new  = outcome.step != '0 ? outcome.step : step;
  always_ff @(posedge clk_i) begin
    if (row_we) row_mem[at_q] <= act_q == npu_act_pkg::Reset ? '0 : {state_new, step_new};
  end

  // ---- modules ----

  logic                  enabled, paused, has_slot, front_ok, loads, by_memory;
  logic [2:0]            level;
  logic [npu_top_pkg::HoldWidth-1:0] hold;
  logic [5:0]            group;
  logic [15:0]           stream;
  logic [63:0]           host_value, front_time, due, slots_time, grant_time, link_time;
  logic [QueueWidth-1:0] asking_winner, class_winner, released, heir, link_queue;
  logic                  grant_pending, link_ready, link_valid, link_bursts, link_done;
  logic                  ring_by_sqe;
  logic                  slotting_ready, sqes_ready, tables_ready, engines_ready;
  logic                  timer_ready, timer_pending, first_valid;
  logic [63:0]           first_time, timer_time;
  logic [QueueWidth-1:0] first_id;
  npu_sqe_pkg::decoded_t decoded;

  npu_top_host #(.Queues(Queues)) u_host (
    .clk_i, .rst_ni,
    .host_valid_i, .host_op_i, .host_value_i, .host_priority_i, .host_group_i, .host_stream_i,
    .host_enable_i,
    .act_i           (act_q),
    .act_o           (by_host),
    .at_i            (at_q),
    .state_i         (state),
    .hold_i          (hold),
    .timer_pending_i (timer_pending),
    .front_ok_i      (front_ok),
    .note_o          (host_note),
    .value_o         (host_value),
    .enabled_o       (enabled),
    .paused_o        (paused),
    .level_o         (level),
    .group_o         (group),
    .stream_o        (stream)
  );

  npu_top_sqes #(.Queues(Queues)) u_sqes (
    .clk_i, .rst_ni,
    .cfg_i              (cfg_q),
    .times_i            (times_q),
    .act_i              (act_q),
    .op_i               (op_q),
    .act_o              (by_sqes),
    .ready_o            (sqes_ready),
    .now_i              (now_q),
    .at_i               (at_q),
    .enabled_i          (enabled),
    .paused_i           (paused),
    .stream_i           (stream),
    .has_slot_i         (has_slot),
    .hold_o             (hold),
    .note_o             (sqes_note),
    .host_value_i       (host_value),
    .counter_i,
    .front_ok_o         (front_ok),
    .front_time_o       (front_time),
    .decoded_o          (decoded),
    .due_o              (due),
    .loads_o            (loads),
    .ring_req_o         (ring_by_sqe),
    .ring_place_o, .ring_sqe_i, .arrival_req_o, .arrival_visible_i, .arrival_time_i, .cqe_valid_o,
    .cqe_queue_o, .cqe_place_o, .cqe_data_o
  );

  npu_top_slotting #(.Queues(Queues)) u_slotting (
    .clk_i, .rst_ni,
    .cfg_i              (cfg_q),
    .times_i            (times_q),
    .act_i              (act_q),
    .op_i               (op_q),
    .act_o              (by_slotting),
    .ready_o            (slotting_ready),
    .now_i              (now_q),
    .at_i               (at_q),
    .level_i            (level),
    .group_i            (group),
    .has_slot_o         (has_slot),
    .note_o             (slotting_note),
    .time_o             (slots_time),
    .winner_o           (asking_winner),
    .grant_pending_o    (grant_pending),
    .grant_time_o       (grant_time)
  );

  npu_top_tables #(.Queues(Queues), .Events(Events), .Notifies(Notifies)) u_tables (
    .clk_i, .rst_ni,
    .cfg_i          (cfg_q),
    .act_i          (act_q),
    .op_i           (op_q),
    .act_o          (by_tables),
    .ready_o        (tables_ready),
    .now_i          (now_q),
    .at_i           (at_q),
    .note_o         (tables_note),
    .by_host_i      (by_host_q),
    .host_id_i      (host_value[16:0]),
    .main_i         (main_q),
    .effect_i       (decoded.effect),
    .id_i           (decoded.id),
    .loads_i        (loads),
    .released_o     (released)
  );

  npu_top_engines #(.Queues(Queues), .Bursts(Bursts)) u_engines (
    .clk_i, .rst_ni,
    .cfg_i               (cfg_q),
    .act_i               (act_q),
    .op_i                (op_q),
    .act_o               (by_engines),
    .ready_o             (engines_ready),
    .now_i               (now_q),
    .at_i                (at_q),
    .state_i             (state),
    .level_i             (level),
    .group_i             (group),
    .share_i             (decoded.share),
    .note_o              (engines_note),
    .winner_o            (class_winner),
    .heir_o              (heir),
    .link_ready_o        (link_ready),
    .link_valid_o        (link_valid),
    .link_time_o         (link_time),
    .link_queue_o        (link_queue),
    .link_bursts_o       (link_bursts),
    .link_done_o         (link_done),
    .memory_req_o        (by_memory),
    .memory_op_o, .memory_ok_i, .memory_route_i, .memory_bytes_i, .memory_src_i, .memory_dst_i,
    .ax_valid_o, .ax_id_o, .ax_src_o, .ax_dst_o, .ax_bytes_o, .ax_last_o
  );

  // ---- timers of the queues (T-TIM-3, T-TIM-4) ----

  function automatic logic [63:0] later(input logic [63:0] a, input logic [63:0] b);
    later = a > b ? a : b;
  endfunction

  logic calendar_clk;
  assign timer_time = op_q == npu_act_pkg::TimerSlots  ? slots_time :
                      op_q == npu_act_pkg::TimerArrive ? later(now_q, front_time) : due;

  npu_clock_gate u_calendar_clock (
    .clk_i,
    .enable_i (act_q == npu_act_pkg::CallTimer || !timer_ready),
    .clk_o    (calendar_clk)
  );

  npu_tournament #(.Entries(Queues), .KeyBits(64)) u_calendar (
    .clk_i         (calendar_clk),
    .rst_ni,
    .req_valid_i   (act_q == npu_act_pkg::CallTimer),
    .req_ready_o   (timer_ready),
    .req_set_i     (op_q != npu_act_pkg::TimerOff),
    .req_id_i      (at_q),
    .req_key_i     (timer_time),
    .look_id_i     (at_q),
    .pending_o     (timer_pending),
    .first_valid_o (first_valid),
    .first_id_o    (first_id),
    .first_key_o   (first_time)
  );

  // ---- what is next (T-TIM-3): the link, then queues, then arbitration ----

  logic        pick_link, pick_queue, pick_any, all_ready, picks, stops, takes_turn;
  logic [63:0] pick_time;
  always_comb begin
    pick_link  = link_valid && !(first_valid && first_time < link_time) &&
                 !(grant_pending && grant_time < link_time);
    pick_queue = !pick_link && first_valid && !(grant_pending && grant_time < first_time);
    pick_any   = link_valid || first_valid || grant_pending;
    pick_time  = pick_link ? link_time : pick_queue ? first_time : grant_time;
  end
  assign all_ready = timer_ready && link_ready && slotting_ready && sqes_ready && tables_ready &&
                     engines_ready;
  assign picks = act_q == npu_act_pkg::Pick && running_q && timer_ready && link_ready;
  assign takes_turn = act_q == npu_act_pkg::Pick || act_q == npu_act_pkg::LinkRan;
  assign stops = picks && (!pick_any || pick_time > until_q);  // T-TIM-8

  always_comb begin
    own       = '0;
    main_d    = main_q;
    now_d     = now_q;
    running_d = running_q && !stops;
    idle_d    = stops ? !pick_any : idle_q;

    unique case (act_q)
      npu_act_pkg::Reset:
        own.next = at_q == QueueWidth'(Queues - 1) ? npu_act_pkg::Busy : npu_act_pkg::Reset;
      npu_act_pkg::Busy:
        own.next = all_ready ? npu_act_pkg::Wait : npu_act_pkg::Busy;
      npu_act_pkg::Pick: begin
        own.next = running_q && !stops ? npu_act_pkg::Pick : npu_act_pkg::Wait;
        if (stops && pick_any) now_d = later(now_q, until_q);
        if (picks && !stops) begin
          now_d = pick_time;
          if (pick_link && link_bursts) begin
            own.next     = npu_act_pkg::CallLink;
            own.op       = npu_act_pkg::LinkRun;
            own.then_act = npu_act_pkg::LinkRan;
          end else if (pick_link) begin
            main_d       = link_queue;
            own.next     = npu_act_pkg::CallTimer;  // its time limit is of no interest any more
            own.op       = npu_act_pkg::TimerOff;
            own.then_act = npu_act_pkg::Apply;
          end else if (pick_queue) begin
            main_d       = first_id;
            own.next     = npu_act_pkg::CallTimer;
            own.op       = npu_act_pkg::TimerOff;
            own.then_act = npu_act_pkg::Fire;
          end else begin
            own.next = npu_act_pkg::Grant;
          end
        end
      end
      npu_act_pkg::Fire: begin
        unique case (step)
          npu_top_pkg::StepArrive: begin
            own.next = npu_act_pkg::Ask;
            own.op   = npu_act_pkg::OpWidth'(npu_top_pkg::ResumeBegin);
          end
          npu_top_pkg::StepSwapOut:  own.next = npu_act_pkg::AskAgain;  // T-SCH-20
          npu_top_pkg::StepSwapDone: own.next = npu_act_pkg::SwapDone;
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextDecoded}: begin
            own.next     = npu_act_pkg::CallSqe;
            own.op       = {1'b0, npu_sqe_pkg::OpDecoded};
            own.then_act = npu_act_pkg::Next;
          end
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextExecute}: begin
            own.next     = npu_act_pkg::CallSqe;
            own.op       = {1'b0, npu_sqe_pkg::OpExecute};
            own.then_act = npu_act_pkg::Next;
          end
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextLoaded}: own.next = npu_act_pkg::Load;
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextSetUp}:  own.next = npu_act_pkg::Start;
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextLimit}:  own.next = npu_act_pkg::Limit;
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextRetire}: own.next = npu_act_pkg::Retire;
          default:                                                own.next = npu_act_pkg::Report;
        endcase
      end
      npu_act_pkg::LinkRan: begin  // bursts have moved: is a transfer complete? (T-BST-1)
        if (link_done) begin
          main_d       = link_queue;
          own.next     = npu_act_pkg::CallTimer;
          own.op       = npu_act_pkg::TimerOff;
          own.then_act = npu_act_pkg::Apply;
        end
      end
      npu_act_pkg::CallTimer: if (!timer_ready) own.next = npu_act_pkg::CallTimer;
      default: ;
    endcase
  end

  always_comb begin
    unique case (outcome.turn)
      npu_act_pkg::TurnMain:   at_d = main_q;
      npu_act_pkg::TurnAsking: at_d = asking_winner;
      npu_act_pkg::TurnTable:  at_d = released;
      npu_act_pkg::TurnClass:  at_d = class_winner;
      npu_act_pkg::TurnPool:   at_d = heir;
      default:                 at_d = takes_turn ? main_d : at_q;
    endcase
    if (act_q == npu_act_pkg::Reset) at_d = at_q + QueueWidth'(1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      act_q  <= npu_act_pkg::Reset;
      idle_q <= 1'b1;
      {stack_q, op_q, main_q, at_q, now_q, until_q, running_q, by_host_q} <= '0;
    end else if (act_q == npu_act_pkg::Wait) begin
      main_q    <= host_queue_i;
      at_q      <= host_queue_i;
      by_host_q <= host_valid_i;
      if (host_valid_i) begin
        act_q     <= npu_act_pkg::Host;
      end else if (run_valid_i) begin
        act_q     <= npu_act_pkg::Pick;
        until_q   <= run_until_i;
        running_q <= 1'b1;
      end
    end else begin
      act_q     <= act_d;
      stack_q   <= stack_d;
      op_q      <= op_d;
      main_q    <= main_d;
      at_q      <= at_d;
      now_q     <= now_d;
      running_q <= running_d;
      idle_q    <= idle_d;
    end
  end

  assign host_ready_o    = act_q == npu_act_pkg::Wait;
  assign host_state_o    = host_state;
  assign run_ready_o     = act_q == npu_act_pkg::Wait;
  assign idle_o          = idle_q;
  assign now_o           = now_q;
  assign ring_req_o      = ring_by_sqe || by_memory;
  assign ring_queue_o    = at_q;
  assign arrival_queue_o = at_q;
  assign arrival_place_o = ring_place_o;
  assign memory_req_o    = by_memory;
  assign memory_queue_o  = at_q;
  assign memory_address_o = decoded.address;
  assign memory_size_o   = decoded.bytes;
  assign note_valid_o    = note.valid;
  assign note_kind_o     = note.kind;
  assign note_queue_o    = at_q;
  // when the SQE is there needs all bits
  assign note_value_o    = note.kind == npu_top_pkg::NoteBegin ? front_time : {32'd0, note.value};

  logic unused;
  assign unused = ^{host_step, decoded};

  `NPU_ASSERT(TimeNeverFalls, 1'b1 |=> now_q >= $past(now_q))
  `NPU_ASSERT(OneModuleActs, $onehot0({own.next != '0, by_host.next != '0, by_sqes.next != '0,
              by_slotting.next != '0, by_tables.next != '0, by_engines.next != '0}))
  `NPU_ASSERT(NothingIsLeftAtAPick, act_q == npu_act_pkg::Pick |-> stack_q == '0)
  `NPU_ASSERT(StackIsDeepEnough, outcome.then_act != '0 |->
              stack_q[StackBits-1 -: 2*npu_act_pkg::Width] == '0 ||
              (outcome.after == '0 && stack_q[StackBits-1 -: npu_act_pkg::Width] == '0))
  `NPU_ASSERT(CallHasANextAct, outcome.then_act != '0 |-> outcome.next != '0)
endmodule
