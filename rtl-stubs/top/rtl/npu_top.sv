// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Front end, scheduler, tables, channels and a link of fixed rates, joined by an engine that takes
/// one step after the other
/// in the order of TIM-3: a machine for plain tasks that keeps its own time. Time stands still
/// while a step is under way.
/// What it does not do is in the page.
module npu_top #(
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

  // The part, still after reset. Times in cycles.
  input  logic [7:0]            cfg_slots_i,         // 1 to 128
  input  logic [2:0]            cfg_strict_level_i,
  input  logic                  cfg_weight_first_i,
  input  logic                  cfg_reload_spent_i,
  input  logic [15:0]           cfg_sdma_cap_i,
  input  logic [15:0]           cfg_pcie_cap_i,
  input  logic [6:0]            cfg_sdma_channels_i,
  input  logic [6:0]            cfg_pcie_channels_i,
  input  logic [2:0]            cfg_sdma_shift_i,    // bytes per cycle of a channel: 2 to this
  input  logic [2:0]            cfg_pcie_shift_i,
  input  logic [15:0]           cfg_window_i,
  input  logic [16:0]           cfg_events_i,
  input  logic [16:0]           cfg_lines_i,
  input  logic [16:0]           cfg_notifies_i,
  input  logic [63:0]           cfg_read_i,          // of a ring line
  input  logic [63:0]           cfg_arbitration_i,
  input  logic [63:0]           cfg_record_i,
  input  logic [63:0]           cfg_enable_i,
  input  logic [63:0]           cfg_drain_i,
  input  logic [63:0]           cfg_disable_i,
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

  // Runs until the next event lies behind that time, or there is none
  input  logic                  run_valid_i,
  output logic                  run_ready_o,
  input  logic [63:0]           run_until_i,
  output logic                  idle_o,              // nothing is left to happen
  output logic [63:0]           now_o,
  input  logic [63:0]           counter_i,           // the system counter at now_o (TIM-5)

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

  // Memory: answers in the same cycle. The SQE is that of ring_sqe_i.
  output logic                  memory_req_o,
  output logic [1:0]            memory_op_o,
  output logic [QueueWidth-1:0] memory_queue_o,
  input  logic                  memory_ok_i,         // no address leads nowhere
  input  logic [3:0]            memory_route_i,      // MemoryRoute
  input  logic [63:0]           memory_bytes_i,      // MemoryRoute

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

  typedef enum logic [6:0] {
    EReset, EBusy, EWait, EPick, EFire,
    // calls of blocks: a request, then its answer
    EFront, EFrontRsp, ESqe, ESqeRsp, ETimer, EArb, EArbRsp, ETable, ETableRsp, EPool, EPoolRsp, ELink,
    // slots
    EAsk, EArm, ELeave, EGrant, EGranted, EEnter,
    // between SQEs
    ELook, EIdle, EGoOn, ELooked, EFetched,
    // one SQE
    ENext, EEffect, ETableLooked, EAccess, EStore, EReleased, EWake, EWoken, EWokenBack, EWaited, EParked, EDone,
    // its engine
    EDispatch, EAdmit, EAcquired, EStart, EMove, EFreeChannel, EFreed, ENextSetUp, EBack, EFault, EMoved, EApply,
    ELimit, ELimited,
    // its end
    ERetire, ERetireFull, ERetired, ECompleted, EUnshared, EHeadMoved, EUnshare, EShareNext, EShareGive, EShareBack,
    EReport, EReportFull, EReported, EReportLeave, EFailed,
    // software
    EOpened, ERung, ECqHead, EEndHold, EHandled, EEnable
  } engine_e;

  engine_e e_q, e_d;
  // Where calls and procedures come back to.
  engine_e r_front_q, r_front_d, r_sqe_q, r_sqe_d, r_timer_q, r_timer_d, r_arb_q, r_arb_d, r_table_q, r_table_d;
  engine_e r_pool_q, r_pool_d, r_link_q, r_link_d, r_ask_q, r_ask_d, r_arm_q, r_arm_d, r_leave_q, r_leave_d;
  engine_e r_next_q, r_next_d, r_free_q, r_free_d, r_unshare_q, r_unshare_d;

  logic [63:0] now_q, now_d, until_q, until_d;
  logic        running_q, running_d;
  logic [QueueWidth-1:0] main_q, main_d;  // the queue of the step
  // the one whose state is looked at: that, or one that it moves
  logic [QueueWidth-1:0] at_q, at_d;
  logic        by_host_q, by_host_d;      // the record is software's

  // ---- state of the queues ----

  logic [npu_top_pkg::QueueBits-1:0] queue_mem [0:Queues-1];
  npu_top_pkg::queue_t row, row_d;
  logic row_we;
  assign row = queue_mem[at_q];
  always_ff @(posedge clk_i) begin
    if (row_we) queue_mem[at_q] <= row_d;
  end

  npu_top_pkg::queue_t looked_at;
  assign looked_at    = queue_mem[host_queue_i];
  assign host_state_o = looked_at.state;

  // What software asked for.
  logic [63:0] host_value_q;
  logic [2:0]  host_priority_q;
  logic [5:0]  host_group_q;
  logic [15:0] host_stream_q;
  logic        host_enable_q;

  // ---- calls ----

  logic [npu_front_end_pkg::OpWidth-1:0] front_op_q, front_op_d;
  logic [63:0]                           front_value_q, front_value_d;
  npu_front_end_pkg::cqe_t               front_cqe_q, front_cqe_d;
  logic                                  front_ready, front_valid, front_ok;
  logic [63:0]                           front_time;
  npu_front_end_pkg::queue_t             front_queue;
  logic                                  front_ok_q;
  logic [63:0]                           front_time_q;
  npu_front_end_pkg::queue_t             front_queue_q;

  npu_front_end #(.Queues(Queues)) u_front (
    .clk_i, .rst_ni,
    .now_i           (now_q),
    .cfg_window_i    (cfg_window_i),
    .req_valid_i     (e_q == EFront),
    .req_ready_o     (front_ready),
    .req_op_i        (front_op_q),
    .req_queue_i     (at_q),
    .req_value_i     (front_value_q),
    .req_cqe_i       (front_cqe_q),
    .arrival_req_o   (arrival_req_o),
    .arrival_queue_o (arrival_queue_o),
    .arrival_place_o (arrival_place_o),
    .arrival_visible_i (arrival_visible_i),
    .arrival_time_i  (arrival_time_i),
    .cqe_valid_o     (cqe_valid_o),
    .cqe_queue_o     (cqe_queue_o),
    .cqe_place_o     (cqe_place_o),
    .cqe_data_o      (cqe_data_o),
    .rsp_valid_o     (front_valid),
    .rsp_ready_i     (e_q == EFrontRsp),
    .rsp_last_o      (),
    .rsp_ok_o        (front_ok),
    .rsp_time_o      (front_time),
    .rsp_queue_o     (front_queue),
    .busy_o          ()
  );

  logic front_more, cq_full;
  assign front_more = front_queue_q.head != front_queue_q.seen;
  assign cq_full    = front_queue_q.cq_tail - front_queue_q.cq_head >= front_queue_q.cq_mask;

  logic [npu_sqe_pkg::OpWidth-1:0]   sqe_op_q, sqe_op_d;
  logic [63:0]                       sqe_value_q, sqe_value_d;
  logic                              sqe_flag_q, sqe_flag_d;
  logic                              sqe_ready, sqe_valid;
  logic [npu_sqe_pkg::NextWidth-1:0] sqe_next, sqe_next_q;
  npu_sqe_pkg::hold_e                sqe_hold, sqe_hold_q;
  logic                              sqe_timed, sqe_timed_q;
  logic [63:0]                       sqe_due, sqe_due_q;
  npu_sqe_pkg::decoded_t             sqe_decoded, sqe_decoded_q;
  logic [5:0]                        sqe_type, sqe_type_q;
  logic [7:0]                        sqe_error, sqe_error_q;
  logic [15:0]                       sqe_status, sqe_status_q;

  npu_sqe #(.Queues(Queues)) u_sqe (
    .clk_i, .rst_ni,
    .now_i              (now_q),
    .cfg_events_i       (cfg_events_i),
    .cfg_notifies_i     (cfg_notifies_i),
    .cfg_counts_i       (17'd0),
    .cfg_list_most_i    (16'd0),
    .cfg_aic_room_i     (16'd0),
    .cfg_aiv_room_i     (16'd0),
    .cfg_mixed_room_i   (16'd0),
    .cfg_decode_i       (cfg_decode_i),
    .cfg_event_i        (cfg_event_i),
    .cfg_event_miss_i   (cfg_event_miss_i),
    .cfg_notify_i       (cfg_notify_i),
    .cfg_store_i        (cfg_store_i),
    .cfg_retire_i       (cfg_retire_i),
    .cfg_cq_write_i     (cfg_cq_write_i),
    .cfg_sdma_setup_i   (cfg_sdma_setup_i),
    .cfg_pcie_setup_i   (cfg_pcie_setup_i),
    .cfg_credit_unit_i  (cfg_credit_unit_i),
    .cfg_timeout_unit_i (cfg_timeout_unit_i),
    .req_valid_i        (e_q == ESqe),
    .req_ready_o        (sqe_ready),
    .req_op_i           (sqe_op_q),
    .req_queue_i        (at_q),
    .req_sqe_i          (ring_sqe_i),
    .req_value_i        (sqe_value_q),
    .req_flag_i         (sqe_flag_q),
    .rsp_valid_o        (sqe_valid),
    .rsp_ready_i        (e_q == ESqeRsp),
    .rsp_last_o         (),
    .rsp_next_o         (sqe_next),
    .rsp_hold_o         (sqe_hold),
    .rsp_timed_o        (sqe_timed),
    .rsp_due_o          (sqe_due),
    .rsp_decoded_o      (sqe_decoded),
    .rsp_type_o         (sqe_type),
    .rsp_error_o        (sqe_error),
    .rsp_status_o       (sqe_status),
    .busy_o             ()
  );

  logic                  timer_ready, timer_set_q, timer_set_d, timer_pending, first_valid;
  logic [63:0]           timer_time_q, timer_time_d, first_time;
  logic [QueueWidth-1:0] first_id;

  npu_calendar #(.Timers(Queues)) u_calendar (
    .clk_i, .rst_ni,
    .req_valid_i   (e_q == ETimer),
    .req_ready_o   (timer_ready),
    .req_set_i     (timer_set_q),
    .req_id_i      (at_q),
    .req_time_i    (timer_time_q),
    .look_id_i     (at_q),
    .pending_o     (timer_pending),
    .first_valid_o (first_valid),
    .first_id_o    (first_id),
    .first_time_o  (first_time)
  );

  // Who is next for a slot, for SDMA, for PCIe DMA.
  localparam int unsigned Arbiters = 3;
  logic [1:0]              arb_which_q, arb_which_d;
  logic [1:0]              arb_op_q, arb_op_d;
  logic [Arbiters-1:0]     arb_ready, arb_valid, arb_empty;
  logic [Arbiters-1:0]     arb_chosen;
  logic [QueueWidth-1:0]   arb_winner [0:Arbiters-1];
  logic [QueueWidth-1:0]   winner_q;
  assign arb_chosen = 3'b001 << arb_which_q;

  localparam logic [1:0] ArbAdd = 2'd0;
  localparam logic [1:0] ArbTake = 2'd2;

  for (genvar i = 0; i < Arbiters; i++) begin : gen_arbiter
    npu_arbiter #(.Queues(Queues)) u_arbiter (
      .clk_i, .rst_ni,
      .cfg_strict_level_i (cfg_strict_level_i),
      .cfg_weight_first_i (cfg_weight_first_i),
      .cfg_reload_spent_i (cfg_reload_spent_i),
      .req_valid_i        (e_q == EArb && arb_chosen[i]),
      .req_ready_o        (arb_ready[i]),
      .req_op_i           (arb_op_q),
      .req_queue_i        (at_q),
      .req_priority_i     (row.level),
      .req_group_i        (row.group),
      .req_weight_i       ('0),
      .req_seeded_i       (1'b0),
      .req_draw0_i        ('0),
      .req_draw1_i        ('0),
      .rsp_valid_o        (arb_valid[i]),
      .rsp_ready_i        (e_q == EArbRsp),
      .rsp_last_o         (),
      .rsp_queue_o        (arb_winner[i]),
      .rsp_draws_o        (),
      .empty_o            (arb_empty[i]),
      .busy_o             ()
    );
  end

  // ---- tables ----

  logic        table_events_q, table_events_d;  // else notifies
  logic [2:0]  table_op_q, table_op_d;
  logic [16:0] table_id_q, table_id_d;
  logic        event_ready, event_valid, event_last, event_pass, event_release, event_in_memory;
  logic        notify_ready, notify_valid, notify_pass, notify_release;
  logic [QueueWidth-1:0] event_queue, notify_queue;
  logic        table_last_q, table_pass_q, table_release_q, table_in_memory_q;
  logic [QueueWidth-1:0] table_queue_q;

  localparam logic [2:0] TableRead   = 3'd0;
  localparam logic [2:0] TableWait   = 3'd1;
  localparam logic [2:0] TableRecord = 3'd2;
  localparam logic [2:0] TableClear  = 3'd3;
  localparam logic [2:0] TableForget = 3'd4;
  localparam logic [2:0] TableLoad   = 3'd5;

  npu_event_table #(.Events(Events), .Queues(Queues)) u_events (
    .clk_i, .rst_ni,
    .cfg_events_i    (cfg_events_i[EventWidth:0]),
    .cfg_lines_i     (cfg_lines_i[EventWidth:0]),
    .cfg_isolated_i  (1'b0),
    .req_valid_i     (e_q == ETable && table_events_q),
    .req_ready_o     (event_ready),
    .req_op_i        (table_op_q),
    .req_id_i        (table_id_q[EventWidth-1:0]),
    .req_queue_i     (at_q),
    .req_now_i       (now_q),
    .rsp_valid_o     (event_valid),
    .rsp_ready_i     (e_q == ETableRsp && table_events_q),
    .rsp_last_o      (event_last),
    .rsp_error_o     (),
    .rsp_pass_o      (event_pass),
    .rsp_release_o   (event_release),
    .rsp_queue_o     (event_queue),
    .rsp_flag_o      (),
    .rsp_pending_o   (),
    .rsp_in_memory_o (event_in_memory),
    .busy_o          ()
  );

  npu_notify_table #(.Notifies(Notifies), .Queues(Queues)) u_notifies (
    .clk_i, .rst_ni,
    .cfg_notifies_i (cfg_notifies_i[NotifyWidth:0]),
    .req_valid_i    (e_q == ETable && !table_events_q),
    .req_ready_o    (notify_ready),
    .req_op_i       (table_op_q),
    .req_id_i       (table_id_q[NotifyWidth-1:0]),
    .req_queue_i    (at_q),
    .req_now_i      (now_q),
    .rsp_valid_o    (notify_valid),
    .rsp_ready_i    (e_q == ETableRsp && !table_events_q),
    .rsp_last_o     (),
    .rsp_error_o    (),
    .rsp_pass_o     (notify_pass),
    .rsp_release_o  (notify_release),
    .rsp_queue_o    (notify_queue),
    .rsp_flag_o     (),
    .rsp_pending_o  (),
    .busy_o         ()
  );

  // ---- engines: SDMA, PCIe DMA ----

  logic [1:0]            pool_op_q, pool_op_d;
  logic [1:0]            pool_ready, pool_valid, pool_found, pool_chosen;
  logic [5:0]            pool_channel [0:1];
  logic [QueueWidth-1:0] pool_queue [0:1];
  logic                  found_q;
  logic [5:0]            channel_q;
  logic [QueueWidth-1:0] found_queue_q;
  logic [15:0]           free_sdma_q, free_sdma_d, free_pcie_q, free_pcie_d;  // shares taken
  logic                  share_there;
  assign pool_chosen = row.pcie ? 2'b10 : 2'b01;

  localparam logic [1:0] PoolAcquire = 2'd0;
  localparam logic [1:0] PoolRelease = 2'd1;
  localparam logic [1:0] PoolWait    = 2'd2;

  for (genvar i = 0; i < 2; i++) begin : gen_pool
    npu_dma_pool #(.Queues(Queues)) u_pool (
      .clk_i, .rst_ni,
      .cfg_channels_i (i == 0 ? cfg_sdma_channels_i : cfg_pcie_channels_i),
      .req_valid_i    (e_q == EPool && pool_chosen[i]),
      .req_ready_o    (pool_ready[i]),
      .req_op_i       (pool_op_q),
      .req_channel_i  (row.channel),
      .req_queue_i    (at_q),
      .req_seeded_i   (1'b0),
      .req_draw_i     ('0),
      .rsp_valid_o    (pool_valid[i]),
      .rsp_ready_i    (e_q == EPoolRsp),
      .rsp_last_o     (),
      .rsp_found_o    (pool_found[i]),
      .rsp_channel_o  (pool_channel[i]),
      .rsp_queue_o    (pool_queue[i]),
      .free_o         (),
      .busy_o         ()
    );
  end

  logic                  link_ready, link_start_q, link_start_d, link_valid;
  logic [63:0]           link_bytes_q, link_bytes_d, link_time;
  logic [3:0]            link_route_q, link_route_d;
  logic [QueueWidth-1:0] link_queue;

  npu_fixed_link #(.Queues(Queues)) u_link (
    .clk_i, .rst_ni,
    .now_i           (now_q),
    .req_valid_i     (e_q == ELink),
    .req_ready_o     (link_ready),
    .req_start_i     (link_start_q),
    .req_channel_i   ({row.pcie, row.channel}),
    .req_queue_i     (at_q),
    .req_bytes_i     (link_bytes_q),
    .req_route_i     (link_route_q),
    .req_shift_i     (row.pcie ? cfg_pcie_shift_i : cfg_sdma_shift_i),
    .first_valid_o   (link_valid),
    .first_time_o    (link_time),
    .first_queue_o   (link_queue),
    .first_channel_o ()
  );

  // ---- slots ----

  logic        slot_take, slot_free, slot_leave, slots_settled, slots_leaving;
  logic [6:0]  slot_offered;
  logic [63:0] slots_next, swap_out;
  logic        grant_pending_q, grant_pending_d;
  logic [63:0] grant_time_q, grant_time_d;   // of the arbiter's timer
  logic [63:0] next_grant_q, next_grant_d;   // not before this (SCH-3)
  assign swap_out = now_q + cfg_drain_i + cfg_disable_i;

  npu_top_slots u_slots (
    .clk_i, .rst_ni,
    .cfg_slots_i  (cfg_slots_i),
    .now_i        (now_q),
    .take_i       (slot_take),
    .free_o       (slot_free),
    .slot_o       (slot_offered),
    .leave_i      (slot_leave),
    .leave_slot_i (row.slot),
    .leave_at_i   (swap_out),
    .settled_o    (slots_settled),
    .leaving_o    (slots_leaving),
    .next_o       (slots_next)
  );

  // ---- what is next (TIM-3): the link, then queues, then arbitration ----

  logic        pick_link, pick_queue, pick_grant, pick_any;
  logic [63:0] pick_time;
  always_comb begin
    pick_link  = link_valid && !(first_valid && first_time < link_time) &&
                 !(grant_pending_q && grant_time_q < link_time);
    pick_queue = !pick_link && first_valid && !(grant_pending_q && grant_time_q < first_time);
    pick_grant = !pick_link && !pick_queue && grant_pending_q;
    pick_any   = pick_link || pick_queue || pick_grant;
    pick_time  = pick_link ? link_time : pick_queue ? first_time : grant_time_q;
  end

  logic unused;
  assign unused = ^{looked_at[npu_top_pkg::QueueBits-5:0], cfg_lines_i, host_value_q, front_queue_q, sqe_decoded_q,
                    cfg_events_i, cfg_notifies_i};

  function automatic logic [63:0] later(input logic [63:0] a, input logic [63:0] b);
    later = a > b ? a : b;
  endfunction

  // ---- the engine ----

  logic [1:0] ask_resume_q, ask_resume_d;
  logic       loaded_q, loaded_d;
  logic       idle_q, idle_d;
  assign share_there = sqe_decoded_q.share == npu_sqe_pkg::ClassPcieDma ? free_pcie_q < cfg_pcie_cap_i
                                                                        : free_sdma_q < cfg_sdma_cap_i;

  always_comb begin
    e_d            = e_q;
    r_front_d      = r_front_q;
    r_sqe_d        = r_sqe_q;
    r_timer_d      = r_timer_q;
    r_arb_d        = r_arb_q;
    r_table_d      = r_table_q;
    r_pool_d       = r_pool_q;
    r_link_d       = r_link_q;
    r_ask_d        = r_ask_q;
    r_arm_d        = r_arm_q;
    r_leave_d      = r_leave_q;
    r_next_d       = r_next_q;
    r_free_d       = r_free_q;
    r_unshare_d    = r_unshare_q;
    now_d          = now_q;
    until_d        = until_q;
    running_d      = running_q;
    main_d         = main_q;
    at_d           = at_q;
    by_host_d      = by_host_q;
    row_d          = row;
    row_we         = 1'b0;
    front_op_d     = front_op_q;
    front_value_d  = front_value_q;
    front_cqe_d    = front_cqe_q;
    sqe_op_d       = sqe_op_q;
    sqe_value_d    = sqe_value_q;
    sqe_flag_d     = sqe_flag_q;
    timer_set_d    = timer_set_q;
    timer_time_d   = timer_time_q;
    arb_which_d    = arb_which_q;
    arb_op_d       = arb_op_q;
    table_events_d = table_events_q;
    table_op_d     = table_op_q;
    table_id_d     = table_id_q;
    pool_op_d      = pool_op_q;
    free_sdma_d    = free_sdma_q;
    free_pcie_d    = free_pcie_q;
    link_start_d   = link_start_q;
    link_bytes_d   = link_bytes_q;
    link_route_d   = link_route_q;
    grant_pending_d = grant_pending_q;
    grant_time_d   = grant_time_q;
    next_grant_d   = next_grant_q;
    ask_resume_d   = ask_resume_q;
    loaded_d       = loaded_q;
    idle_d         = idle_q;
    slot_take      = 1'b0;
    slot_leave     = 1'b0;
    memory_op_o    = npu_top_pkg::MemoryRoute;
    memory_req_o   = 1'b0;
    note_valid_o   = 1'b0;
    note_kind_o    = npu_top_pkg::NoteGrant;
    note_value_o   = '0;

    unique case (e_q)
      EReset: begin
        row_d  = '0;
        row_we = 1'b1;
        at_d   = at_q + QueueWidth'(1);
        if (at_q == QueueWidth'(Queues - 1)) e_d = EBusy;
      end
      EBusy: begin
        if (front_ready && sqe_ready && timer_ready && arb_ready == '1 && event_ready && notify_ready &&
            pool_ready == '1)
          e_d = EWait;
      end

      // ---- software ----

      EWait: begin
        main_d    = host_queue_i;
        at_d      = host_queue_i;
        by_host_d = 1'b1;
        r_next_d  = EPick;
        if (host_valid_i) begin
          front_value_d = host_value_i;
          table_id_d    = host_value_i[16:0];
          unique case (host_op_i)
            npu_top_pkg::HostOpen: begin
              front_op_d = npu_front_end_pkg::OpOpen;
              r_front_d  = EOpened;
              e_d        = EFront;
            end
            npu_top_pkg::HostRing: begin
              front_op_d = npu_front_end_pkg::OpRing;
              r_front_d  = ERung;
              e_d        = EFront;
            end
            npu_top_pkg::HostCqHead: begin
              front_op_d = npu_front_end_pkg::OpSetCqHead;
              r_front_d  = ECqHead;
              e_d        = EFront;
            end
            npu_top_pkg::HostResume:  e_d = EEndHold;
            npu_top_pkg::HostHandled: e_d = EHandled;
            npu_top_pkg::HostEnable:  e_d = EEnable;
            npu_top_pkg::HostEventRecord, npu_top_pkg::HostNotifyRecord: begin
              table_events_d = host_op_i == npu_top_pkg::HostEventRecord;
              table_op_d     = TableRecord;
              r_table_d      = EReleased;
              e_d            = ETable;
            end
            npu_top_pkg::HostEventClear, npu_top_pkg::HostNotifyClear: begin
              table_events_d = host_op_i == npu_top_pkg::HostEventClear;
              table_op_d     = TableClear;
              r_table_d      = EPick;
              e_d            = ETable;
            end
            default: ;
          endcase
        end else if (run_valid_i) begin
          until_d   = run_until_i;
          running_d = 1'b1;
          by_host_d = 1'b0;
          e_d       = EPick;
        end
      end
      EOpened: begin
        row_d         = '0;
        row_d.state   = npu_top_pkg::QIdle;
        row_d.enabled = host_enable_q;
        row_d.level   = host_priority_q;
        row_d.group   = host_group_q;
        row_d.stream  = host_stream_q;
        row_we        = 1'b1;
        e_d           = EPick;
      end
      ERung: begin
        e_d = row.state == npu_top_pkg::QIdle && !timer_pending ? ELook : EPick;
      end
      ECqHead: begin
        e_d = front_ok_q && (row.hold == npu_sqe_pkg::HoldCq || row.hold == npu_sqe_pkg::HoldCqError) ? EEndHold
                                                                                                     : EPick;
      end
      EEndHold: begin  // SCH-13, CQ-4
        e_d = EPick;
        if (row.state == npu_top_pkg::QHeld) begin
          note_valid_o = 1'b1;
          note_kind_o  = npu_top_pkg::NoteResume;
          row_d.state  = npu_top_pkg::QWork;
          row_we       = 1'b1;
          sqe_op_d     = npu_sqe_pkg::OpResume;
          r_sqe_d      = ENext;
          e_d          = row.hold == npu_sqe_pkg::HoldCq      ? ERetire
                       : row.hold == npu_sqe_pkg::HoldCqError ? EReport
                                                              : ESqe;
        end
      end
      EHandled: begin  // SQE-11
        e_d = EPick;
        if (row.state == npu_top_pkg::QException) begin
          sqe_op_d   = npu_sqe_pkg::OpEnd;
          r_sqe_d    = EFront;
          front_op_d = npu_front_end_pkg::OpRetire;
          r_front_d  = EGoOn;
          e_d        = ESqe;
        end
      end
      EEnable: begin  // FE-8
        row_d.enabled = host_value_q[0];
        row_we        = 1'b1;
        timer_set_d   = 1'b0;
        r_timer_d     = ELook;
        e_d           = row.state == npu_top_pkg::QIdle ? ETimer : EPick;
      end

      // ---- what is next ----

      EPick: begin
        r_next_d  = EPick;
        by_host_d = 1'b0;
        if (!running_q) begin
          e_d = EWait;
        end else if (timer_ready && link_ready) begin
          if (!pick_any || pick_time > until_q) begin  // TIM-8
            running_d = 1'b0;
            idle_d    = !pick_any;
            if (pick_any) now_d = later(now_q, until_q);
            e_d = EWait;
          end else begin
            now_d       = pick_time;
            timer_set_d = 1'b0;
            if (pick_link) begin
              main_d    = link_queue;
              at_d      = link_queue;
              r_timer_d = EApply;
              e_d       = EMoved;
            end else if (pick_queue) begin
              main_d    = first_id;
              at_d      = first_id;
              r_timer_d = EFire;
              e_d       = ETimer;
            end else begin
              grant_pending_d = 1'b0;
              e_d             = EGrant;
            end
          end
        end
      end

      EFire: begin
        loaded_d = 1'b0;
        r_sqe_d  = ENext;
        e_d      = ESqe;
        unique case (row.step)
          npu_top_pkg::StepArrive: begin
            ask_resume_d = npu_top_pkg::ResumeBegin;
            r_ask_d      = EPick;
            e_d          = EAsk;
          end
          npu_top_pkg::StepSwapOut: begin  // SCH-20
            ask_resume_d = row.resume;
            r_ask_d      = EPick;
            e_d          = EAsk;
          end
          npu_top_pkg::StepSwapDone: begin  // SCH-5
            row_d.state = npu_top_pkg::QWork;
            row_we      = 1'b1;
            sqe_op_d    = npu_sqe_pkg::OpDone;
            if (row.resume == npu_top_pkg::ResumeBegin) e_d = EGoOn;
            if (row.resume == npu_top_pkg::ResumeDispatch) e_d = EAdmit;
          end
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextDecoded}: sqe_op_d = npu_sqe_pkg::OpDecoded;
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextExecute}: sqe_op_d = npu_sqe_pkg::OpExecute;
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextLoaded}: begin  // EVT-8
            loaded_d       = 1'b1;
            sqe_op_d       = npu_sqe_pkg::OpExecute;
            table_events_d = 1'b1;
            table_op_d     = TableLoad;
            table_id_d     = row.wait_id;
            r_table_d      = ESqe;
            e_d            = ETable;
          end
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextSetUp}:  e_d = EStart;
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextLimit}:  e_d = ELimit;
          npu_top_pkg::StepSqe + {1'b0, npu_sqe_pkg::NextRetire}: e_d = ERetire;
          default:                                                e_d = EReport;
        endcase
      end

      // ---- calls ----

      EFront:    if (front_ready) e_d = EFrontRsp;
      EFrontRsp: if (front_valid) e_d = r_front_q;
      ESqe:      if (sqe_ready) e_d = ESqeRsp;
      ESqeRsp:   if (sqe_valid) e_d = r_sqe_q;
      ETimer:    if (timer_ready) e_d = r_timer_q;
      EArb:      if ((arb_ready & arb_chosen) != '0) e_d = EArbRsp;
      EArbRsp:   if ((arb_valid & arb_chosen) != '0) e_d = r_arb_q;
      ETable:    if (table_events_q ? event_ready : notify_ready) e_d = ETableRsp;
      ETableRsp: if (table_events_q ? event_valid : notify_valid) e_d = r_table_q;
      EPool:     if ((pool_ready & pool_chosen) != '0) e_d = EPoolRsp;
      EPoolRsp:  if ((pool_valid & pool_chosen) != '0) e_d = r_pool_q;
      ELink:     if (link_ready) e_d = r_link_q;

      // ---- slots ----

      EAsk: begin  // SCH-2, SCH-20
        row_d.resume = ask_resume_q;
        row_we       = 1'b1;
        if (row.out_until > now_q) begin
          row_d.state  = npu_top_pkg::QSwapOut;
          row_d.step   = npu_top_pkg::StepSwapOut;
          timer_set_d  = 1'b1;
          timer_time_d = row.out_until;
          r_timer_d    = r_ask_q;
          e_d          = ETimer;
        end else begin
          row_d.state = npu_top_pkg::QWaitSlot;
          arb_which_d = 2'd0;
          arb_op_d    = ArbAdd;
          r_arb_d     = EArm;
          r_arm_d     = r_ask_q;
          e_d         = EArb;
        end
      end
      EArm: begin  // SCH-3
        if (arb_empty[0] || grant_pending_q) begin
          e_d = r_arm_q;
        end else if (slots_settled) begin
          grant_pending_d = slot_free || slots_leaving;
          grant_time_d    = later(slot_free ? now_q : slots_next, next_grant_q);
          e_d             = r_arm_q;
        end
      end
      ELeave: begin  // SCH-6, SCH-19
        e_d = r_leave_q;
        if (row.has_slot) begin
          note_valid_o    = 1'b1;
          note_kind_o     = npu_top_pkg::NoteLeave;
          note_value_o    = {57'd0, row.slot};
          slot_leave      = 1'b1;
          row_d.has_slot  = 1'b0;
          row_d.out_until = swap_out;
          row_we          = 1'b1;
          r_arm_d         = r_leave_q;
          e_d             = EArm;
        end
      end
      EGrant: begin
        if (slots_settled) begin
          arb_which_d = 2'd0;
          arb_op_d    = ArbTake;
          r_arb_d     = EGranted;
          r_arm_d     = EPick;
          e_d         = arb_empty[0] || !slot_free ? EArm : EArb;
        end
      end
      EGranted: begin
        at_d = winner_q;
        e_d  = EEnter;
      end
      EEnter: begin  // SCH-5
        note_valid_o   = 1'b1;
        note_kind_o    = npu_top_pkg::NoteGrant;
        note_value_o   = {57'd0, slot_offered};
        slot_take      = 1'b1;
        row_d.has_slot = 1'b1;
        row_d.slot     = slot_offered;
        row_d.state    = npu_top_pkg::QSwapIn;
        row_d.step     = npu_top_pkg::StepSwapDone;
        row_we         = 1'b1;
        next_grant_d   = now_q + cfg_arbitration_i;
        timer_set_d    = 1'b1;
        timer_time_d   = now_q + cfg_arbitration_i + cfg_record_i + cfg_enable_i;
        r_timer_d      = EArm;
        r_arm_d        = EPick;
        e_d            = ETimer;
      end

      // ---- between SQEs ----

      ELook: begin
        front_op_d = npu_front_end_pkg::OpLook;
        r_front_d  = EIdle;
        e_d        = EFront;
      end
      EIdle: begin  // SCH-1
        row_d.state  = npu_top_pkg::QIdle;
        row_d.step   = npu_top_pkg::StepArrive;
        row_we       = 1'b1;
        timer_set_d  = 1'b1;
        timer_time_d = later(now_q, front_time_q);
        r_timer_d    = EPick;
        e_d          = row.enabled && front_more ? ETimer : EPick;
      end
      EGoOn: begin  // SCH-7
        front_op_d = npu_front_end_pkg::OpLook;
        r_front_d  = ELooked;
        e_d        = EFront;
      end
      ELooked: begin
        if (!(front_ok_q && row.enabled)) begin
          r_leave_d = EIdle;
          e_d       = ELeave;
        end else if (row.has_slot) begin
          front_op_d    = npu_front_end_pkg::OpFetch;
          front_value_d = cfg_read_i;
          r_front_d     = EFetched;
          e_d           = EFront;
        end else begin
          ask_resume_d = npu_top_pkg::ResumeBegin;
          r_ask_d      = EPick;
          e_d          = EAsk;
        end
      end
      EFetched: begin  // SQE-1
        note_valid_o = 1'b1;
        note_kind_o  = npu_top_pkg::NoteBegin;
        note_value_o = front_time_q;
        row_d.place  = front_queue_q.head & front_queue_q.mask;
        row_d.state  = npu_top_pkg::QWork;
        row_we       = 1'b1;
        sqe_op_d     = npu_sqe_pkg::OpBegin;
        sqe_value_d  = front_time_q;
        sqe_flag_d   = 1'b0;
        r_sqe_d      = ENext;
        e_d          = ESqe;
      end

      // ---- one SQE ----

      ENext: begin
        row_d.step    = npu_top_pkg::StepSqe + {1'b0, sqe_next_q};
        timer_set_d   = 1'b1;
        timer_time_d  = sqe_due_q;
        r_timer_d     = r_next_q;
        unique case (sqe_next_q)
          npu_sqe_pkg::NextDecoded, npu_sqe_pkg::NextExecute, npu_sqe_pkg::NextLoaded, npu_sqe_pkg::NextSetUp,
          npu_sqe_pkg::NextRetire, npu_sqe_pkg::NextReport: begin
            row_d.state = npu_top_pkg::QWork;
            row_we      = 1'b1;
            e_d         = ETimer;
            if (sqe_next_q == npu_sqe_pkg::NextLoaded) row_d.wait_id = sqe_decoded_q.id;
          end
          npu_sqe_pkg::NextLimit: begin
            row_we = 1'b1;
            e_d    = sqe_timed_q ? ETimer : r_next_q;
          end
          npu_sqe_pkg::NextHold: begin
            note_valid_o = 1'b1;
            note_kind_o  = npu_top_pkg::NoteHold;
            note_value_o = {61'd0, sqe_hold_q};
            row_d.state  = npu_top_pkg::QHeld;
            row_d.hold   = sqe_hold_q;
            row_we       = 1'b1;
            e_d          = r_next_q;
          end
          npu_sqe_pkg::NextEffect:  e_d = EEffect;
          npu_sqe_pkg::NextRetired: e_d = ERetired;
          npu_sqe_pkg::NextFailed:  e_d = EReported;
          default:                  e_d = r_next_q;
        endcase
      end

      EEffect: begin
        table_id_d     = sqe_decoded_q.id;
        table_events_d = 1'b1;
        table_op_d     = TableRead;
        r_table_d      = ETableLooked;
        sqe_op_d       = npu_sqe_pkg::OpFail;
        sqe_value_d    = {40'd0, npu_sqe_pkg::StatusBadSqe, npu_sqe_pkg::ErrorBadSqe};
        unique case (sqe_decoded_q.effect)
          npu_sqe_pkg::EffectEventRecord, npu_sqe_pkg::EffectEventWait, npu_sqe_pkg::EffectEventClear: e_d = ETable;
          npu_sqe_pkg::EffectNotifyRecord, npu_sqe_pkg::EffectNotifyWait, npu_sqe_pkg::EffectNotifyClear: begin
            table_events_d = 1'b0;
            e_d            = EAccess;
          end
          npu_sqe_pkg::EffectStore:    e_d = EStore;
          npu_sqe_pkg::EffectDispatch: e_d = EDispatch;
          default:                     e_d = ESqe;  // what the top does not do is a bad SQE
        endcase
      end
      ETableLooked: begin  // EVT-8
        sqe_op_d = npu_sqe_pkg::OpMiss;
        e_d      = table_in_memory_q && !loaded_q ? ESqe : EAccess;
      end
      EAccess: begin
        e_d = ETable;
        unique case (sqe_decoded_q.effect)
          npu_sqe_pkg::EffectEventRecord, npu_sqe_pkg::EffectNotifyRecord: begin
            table_op_d = TableRecord;
            r_table_d  = EReleased;
          end
          npu_sqe_pkg::EffectEventClear, npu_sqe_pkg::EffectNotifyClear: begin
            table_op_d = TableClear;
            r_table_d  = EDone;
          end
          default: begin
            table_op_d = TableWait;
            r_table_d  = EWaited;
          end
        endcase
      end
      EStore: begin  // SQE-9
        memory_req_o = 1'b1;
        memory_op_o  = npu_top_pkg::MemoryStore;
        e_d          = memory_ok_i ? EDone : EFault;
      end

      EReleased: begin  // EVT-4, NTF-3
        if (table_release_q) begin
          at_d = table_queue_q;
          e_d  = EWake;
        end else begin
          e_d = by_host_q ? EPick : EDone;
        end
      end
      EWake: begin
        note_valid_o = 1'b1;
        note_kind_o  = npu_top_pkg::NoteWake;
        note_value_o = by_host_q ? '1 : 64'(main_q);
        timer_set_d  = 1'b0;
        r_timer_d    = EWoken;
        e_d          = ETimer;
      end
      EWoken: begin  // SCH-11
        ask_resume_d = npu_top_pkg::ResumeRetire;
        r_ask_d      = EWokenBack;
        e_d          = EAsk;
      end
      EWokenBack: begin
        if (!table_last_q) begin
          r_table_d = EReleased;
          e_d       = ETableRsp;
        end else begin
          at_d = main_q;
          e_d  = by_host_q ? EPick : EDone;
        end
      end
      EWaited: begin  // SCH-10
        e_d = EDone;
        if (!table_pass_q) begin
          note_valid_o   = 1'b1;
          note_kind_o    = npu_top_pkg::NotePark;
          note_value_o   = {47'd0, table_id_q};
          row_d.state    = npu_top_pkg::QParked;
          row_d.wait_id  = table_id_q;
          row_d.notifies = !table_events_q;
          row_we         = 1'b1;
          r_leave_d      = EParked;
          e_d            = ELeave;
        end
      end
      EParked: begin
        sqe_op_d = npu_sqe_pkg::OpPark;
        e_d      = ESqe;
      end
      EDone: begin
        sqe_op_d = npu_sqe_pkg::OpDone;
        r_sqe_d  = ENext;
        e_d      = ESqe;
      end

      // ---- its engine ----

      EDispatch: begin  // SCH-8
        row_d.pcie = sqe_decoded_q.share == npu_sqe_pkg::ClassPcieDma;
        row_we     = 1'b1;
        if (share_there) begin
          note_valid_o    = 1'b1;
          note_kind_o     = npu_top_pkg::NoteShare;
          note_value_o    = {63'd0, row_d.pcie};
          row_d.has_share = 1'b1;
          if (row_d.pcie) free_pcie_d = free_pcie_q + 16'd1;
          else            free_sdma_d = free_sdma_q + 16'd1;
          e_d = EAdmit;
        end else begin
          row_d.state = npu_top_pkg::QWaitClass;
          arb_which_d = row_d.pcie ? 2'd2 : 2'd1;
          arb_op_d    = ArbAdd;
          r_arb_d     = ELeave;
          r_leave_d   = EPick;
          e_d         = EArb;
        end
      end
      EAdmit: begin  // DMA-1
        pool_op_d = PoolAcquire;
        r_pool_d  = EAcquired;
        e_d       = EPool;
      end
      EAcquired: begin
        row_we = 1'b1;
        if (found_q) begin
          note_valid_o      = 1'b1;
          note_kind_o       = npu_top_pkg::NoteChannel;
          note_value_o      = {58'd0, channel_q};
          row_d.has_channel = 1'b1;
          row_d.channel     = channel_q;
          row_d.state       = npu_top_pkg::QWork;
          sqe_op_d          = npu_sqe_pkg::OpSetUp;
          r_sqe_d           = ENext;
          e_d               = ESqe;
        end else begin
          row_d.state = npu_top_pkg::QWaitChannel;
          pool_op_d   = PoolWait;
          r_pool_d    = EPick;
          e_d         = EPool;
        end
      end
      EStart: begin  // DMA-3, DMA-4
        note_valid_o = !memory_ok_i;
        note_kind_o  = npu_top_pkg::NoteNoWay;
        memory_req_o = 1'b1;
        memory_op_o  = npu_top_pkg::MemoryRoute;
        link_start_d = 1'b1;
        link_bytes_d = memory_bytes_i;
        link_route_d = memory_route_i;
        r_link_d     = EMove;
        r_free_d     = EFault;
        e_d          = memory_ok_i ? ELink : EFreeChannel;
      end
      EMove: begin
        note_valid_o = 1'b1;
        note_kind_o  = npu_top_pkg::NoteMove;
        note_value_o = {60'd0, link_route_q};
        row_d.state  = npu_top_pkg::QTransfer;
        row_we       = 1'b1;
        sqe_op_d     = npu_sqe_pkg::OpMove;
        r_sqe_d      = ENext;
        e_d          = ESqe;
      end
      EMoved: begin
        e_d = ETimer;  // its time limit is of no interest any more
      end
      EApply: begin  // DMA-5
        note_valid_o = 1'b1;
        note_kind_o  = npu_top_pkg::NoteMoved;
        note_value_o = {58'd0, row.channel};
        memory_req_o = 1'b1;
        memory_op_o  = npu_top_pkg::MemoryApply;
        row_d.state  = npu_top_pkg::QWork;
        row_we       = 1'b1;
        link_start_d = 1'b0;
        r_link_d     = EFreeChannel;
        r_free_d     = memory_ok_i ? EDone : EFault;
        e_d          = ELink;
      end
      EFreeChannel: begin  // DMA-6
        row_d.has_channel = 1'b0;
        row_we            = 1'b1;
        pool_op_d         = PoolRelease;
        r_pool_d          = EFreed;
        e_d               = row.has_channel ? EPool : r_free_q;
      end
      EFreed: begin
        if (found_q) begin
          at_d = found_queue_q;
          e_d  = ENextSetUp;
        end else begin
          e_d = r_free_q;
        end
      end
      ENextSetUp: begin
        pool_op_d = PoolAcquire;
        r_pool_d  = EAcquired;
        r_next_d  = EBack;
        e_d       = EPool;
      end
      EBack: begin
        at_d     = main_q;
        r_next_d = EPick;
        e_d      = r_free_q;
      end
      EFault: begin
        sqe_op_d    = npu_sqe_pkg::OpFail;
        sqe_value_d = {40'd0, npu_sqe_pkg::StatusBusFault, npu_sqe_pkg::ErrorException};
        r_sqe_d     = ENext;
        e_d         = ESqe;
      end
      ELimit: begin  // SQE-8
        note_valid_o   = 1'b1;
        note_kind_o    = npu_top_pkg::NoteLimit;
        table_events_d = !row.notifies;
        table_op_d     = TableForget;
        table_id_d     = row.wait_id;
        r_table_d      = ELimited;
        link_start_d   = 1'b0;
        r_link_d       = EFreeChannel;
        r_free_d       = ELimited;
        e_d            = row.state == npu_top_pkg::QParked ? ETable : ELink;
      end
      ELimited: begin
        sqe_op_d = npu_sqe_pkg::OpLimit;
        r_sqe_d  = ENext;
        e_d      = ESqe;
      end

      // ---- its end ----

      ERetire: begin
        front_op_d = npu_front_end_pkg::OpLook;
        r_front_d  = ERetireFull;
        e_d        = EFront;
      end
      ERetireFull: begin
        sqe_op_d   = npu_sqe_pkg::OpRetire;
        sqe_flag_d = cq_full;
        r_sqe_d    = ENext;
        e_d        = ESqe;
      end
      ERetired: begin  // SQE-6, CQ-2
        front_op_d               = npu_front_end_pkg::OpComplete;
        front_cqe_d              = '0;
        front_cqe_d.event_record = sqe_type_q == npu_sqe_pkg::TypeEventRecord;
        front_cqe_d.placeholder  = sqe_type_q == npu_sqe_pkg::TypePlaceholder;
        front_cqe_d.stream       = row.stream;
        front_cqe_d.task_id      = sqe_decoded_q.task_id;
        front_cqe_d.timestamp    = counter_i;
        r_front_d                = ECompleted;
        e_d                      = sqe_decoded_q.wr_cqe ? EFront : ECompleted;
      end
      ECompleted: begin
        r_unshare_d = EUnshared;
        e_d         = EUnshare;
      end
      EUnshared: begin
        front_op_d = npu_front_end_pkg::OpRetire;
        r_front_d  = EHeadMoved;
        e_d        = EFront;
      end
      EHeadMoved: begin
        note_valid_o = 1'b1;
        note_kind_o  = npu_top_pkg::NoteRetire;
        note_value_o = {62'd0, sqe_decoded_q.ie};
        e_d          = EGoOn;
      end
      EUnshare: begin  // SCH-9
        e_d = r_unshare_q;
        if (row.has_share) begin
          note_valid_o    = 1'b1;
          note_kind_o     = npu_top_pkg::NoteUnshare;
          note_value_o    = {63'd0, row.pcie};
          row_d.has_share = 1'b0;
          row_we          = 1'b1;
          arb_which_d     = row.pcie ? 2'd2 : 2'd1;
          arb_op_d        = ArbTake;
          r_arb_d         = EShareNext;
          if (!(row.pcie ? arb_empty[2] : arb_empty[1])) e_d = EArb;
          else if (row.pcie) free_pcie_d = free_pcie_q - 16'd1;
          else free_sdma_d = free_sdma_q - 16'd1;
        end
      end
      EShareNext: begin
        at_d = winner_q;
        e_d  = EShareGive;
      end
      EShareGive: begin
        note_valid_o    = 1'b1;
        note_kind_o     = npu_top_pkg::NoteShare;
        note_value_o    = {63'd0, row.pcie};
        row_d.has_share = 1'b1;
        row_we          = 1'b1;
        ask_resume_d    = npu_top_pkg::ResumeDispatch;
        r_ask_d         = EShareBack;
        e_d             = EAsk;
      end
      EShareBack: begin
        at_d = main_q;
        e_d  = r_unshare_q;
      end
      EReport: begin
        front_op_d = npu_front_end_pkg::OpLook;
        r_front_d  = EReportFull;
        e_d        = EFront;
      end
      EReportFull: begin
        sqe_op_d   = npu_sqe_pkg::OpReport;
        sqe_flag_d = cq_full;
        r_sqe_d    = ENext;
        e_d        = ESqe;
      end
      EReported: begin  // SQE-10
        front_op_d           = npu_front_end_pkg::OpComplete;
        front_cqe_d          = '0;
        front_cqe_d.error    = 1'b1;
        front_cqe_d.stream   = row.stream;
        front_cqe_d.task_id  = sqe_decoded_q.task_id;
        front_cqe_d.code     = sqe_error_q;
        front_cqe_d.sqe_type = {2'd0, sqe_type_q};
        front_cqe_d.status   = sqe_status_q;
        r_front_d            = EUnshare;
        r_unshare_d          = EReportLeave;
        e_d                  = EFront;
      end
      EReportLeave: begin  // SCH-12
        r_leave_d = EFailed;
        e_d       = ELeave;
      end
      EFailed: begin
        note_valid_o = 1'b1;
        note_kind_o  = npu_top_pkg::NoteFail;
        note_value_o = {40'd0, sqe_status_q, sqe_error_q};
        row_d.state  = npu_top_pkg::QException;
        row_we       = 1'b1;
        e_d          = EPick;
      end

      default: e_d = EPick;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      e_q             <= EReset;
      r_front_q       <= EPick;
      r_sqe_q         <= EPick;
      r_timer_q       <= EPick;
      r_arb_q         <= EPick;
      r_table_q       <= EPick;
      r_pool_q        <= EPick;
      r_link_q        <= EPick;
      r_ask_q         <= EPick;
      r_arm_q         <= EPick;
      r_leave_q       <= EPick;
      r_next_q        <= EPick;
      r_free_q        <= EPick;
      r_unshare_q     <= EPick;
      now_q           <= '0;
      until_q         <= '0;
      running_q       <= 1'b0;
      main_q          <= '0;
      at_q            <= '0;
      by_host_q       <= 1'b0;
      front_op_q      <= '0;
      front_value_q   <= '0;
      front_cqe_q     <= '0;
      front_ok_q      <= 1'b0;
      front_time_q    <= '0;
      front_queue_q   <= '0;
      sqe_op_q        <= '0;
      sqe_value_q     <= '0;
      sqe_flag_q      <= 1'b0;
      sqe_next_q      <= '0;
      sqe_hold_q      <= npu_sqe_pkg::HoldNone;
      sqe_timed_q     <= 1'b0;
      sqe_due_q       <= '0;
      sqe_decoded_q   <= '0;
      sqe_type_q      <= '0;
      sqe_error_q     <= '0;
      sqe_status_q    <= '0;
      timer_set_q     <= 1'b0;
      timer_time_q    <= '0;
      arb_which_q     <= '0;
      arb_op_q        <= '0;
      winner_q        <= '0;
      table_events_q  <= 1'b0;
      table_op_q      <= '0;
      table_id_q      <= '0;
      table_last_q    <= 1'b0;
      table_pass_q    <= 1'b0;
      table_release_q <= 1'b0;
      table_in_memory_q <= 1'b0;
      table_queue_q   <= '0;
      pool_op_q       <= '0;
      found_q         <= 1'b0;
      channel_q       <= '0;
      found_queue_q   <= '0;
      free_sdma_q     <= '0;
      free_pcie_q     <= '0;
      link_start_q    <= 1'b0;
      link_bytes_q    <= '0;
      link_route_q    <= '0;
      grant_pending_q <= 1'b0;
      grant_time_q    <= '0;
      next_grant_q    <= '0;
      ask_resume_q    <= '0;
      loaded_q        <= 1'b0;
      idle_q          <= 1'b1;
      host_value_q    <= '0;
      host_priority_q <= '0;
      host_group_q    <= '0;
      host_stream_q   <= '0;
      host_enable_q   <= 1'b0;
    end else begin
      e_q             <= e_d;
      r_front_q       <= r_front_d;
      r_sqe_q         <= r_sqe_d;
      r_timer_q       <= r_timer_d;
      r_arb_q         <= r_arb_d;
      r_table_q       <= r_table_d;
      r_pool_q        <= r_pool_d;
      r_link_q        <= r_link_d;
      r_ask_q         <= r_ask_d;
      r_arm_q         <= r_arm_d;
      r_leave_q       <= r_leave_d;
      r_next_q        <= r_next_d;
      r_free_q        <= r_free_d;
      r_unshare_q     <= r_unshare_d;
      now_q           <= now_d;
      until_q         <= until_d;
      running_q       <= running_d;
      main_q          <= main_d;
      at_q            <= at_d;
      by_host_q       <= by_host_d;
      front_op_q      <= front_op_d;
      front_value_q   <= front_value_d;
      front_cqe_q     <= front_cqe_d;
      sqe_op_q        <= sqe_op_d;
      sqe_value_q     <= sqe_value_d;
      sqe_flag_q      <= sqe_flag_d;
      timer_set_q     <= timer_set_d;
      timer_time_q    <= timer_time_d;
      arb_which_q     <= arb_which_d;
      arb_op_q        <= arb_op_d;
      table_events_q  <= table_events_d;
      table_op_q      <= table_op_d;
      table_id_q      <= table_id_d;
      pool_op_q       <= pool_op_d;
      free_sdma_q     <= free_sdma_d;
      free_pcie_q     <= free_pcie_d;
      link_start_q    <= link_start_d;
      link_bytes_q    <= link_bytes_d;
      link_route_q    <= link_route_d;
      grant_pending_q <= grant_pending_d;
      grant_time_q    <= grant_time_d;
      next_grant_q    <= next_grant_d;
      ask_resume_q    <= ask_resume_d;
      loaded_q        <= loaded_d;
      idle_q          <= idle_d;
      if (e_q == EWait && host_valid_i) begin
        host_value_q    <= host_value_i;
        host_priority_q <= host_priority_i;
        host_group_q    <= host_group_i;
        host_stream_q   <= host_stream_i;
        host_enable_q   <= host_enable_i;
      end
      if (e_q == EFrontRsp && front_valid) begin
        front_ok_q    <= front_ok;
        front_time_q  <= front_time;
        front_queue_q <= front_queue;
      end
      if (e_q == ESqeRsp && sqe_valid) begin
        sqe_next_q    <= sqe_next;
        sqe_hold_q    <= sqe_hold;
        sqe_timed_q   <= sqe_timed;
        sqe_due_q     <= sqe_due;
        sqe_decoded_q <= sqe_decoded;
        sqe_type_q    <= sqe_type;
        sqe_error_q   <= sqe_error;
        sqe_status_q  <= sqe_status;
      end
      if (e_q == EArbRsp && (arb_valid & arb_chosen) != '0) winner_q <= arb_winner[arb_which_q];
      if (e_q == ETableRsp && (table_events_q ? event_valid : notify_valid)) begin
        table_last_q      <= !table_events_q || event_last;
        table_pass_q      <= table_events_q ? event_pass : notify_pass;
        table_release_q   <= table_events_q ? event_release : notify_release;
        table_in_memory_q <= table_events_q && event_in_memory;
        table_queue_q     <= table_events_q ? event_queue : notify_queue;
      end
      if (e_q == EPoolRsp && (pool_valid & pool_chosen) != '0) begin
        found_q       <= pool_found[row.pcie];
        channel_q     <= pool_channel[row.pcie];
        found_queue_q <= pool_queue[row.pcie];
      end
    end
  end

  assign host_ready_o   = e_q == EWait;
  assign run_ready_o    = e_q == EWait && !host_valid_i;
  assign idle_o         = idle_q;
  assign now_o          = now_q;
  assign ring_req_o     = e_q == ESqe || memory_req_o;
  assign ring_queue_o   = at_q;
  assign ring_place_o   = row.place;
  assign memory_queue_o = at_q;
  assign note_queue_o   = at_q;

  `NPU_ASSERT(StateHasItsWidth, $bits(npu_top_pkg::queue_t) == npu_top_pkg::QueueBits)
  `NPU_ASSERT(TimeNeverFalls, 1'b1 |=> now_q >= $past(now_q))
endmodule
