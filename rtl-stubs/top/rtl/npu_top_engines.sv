// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// SDMA and PCIe DMA of npu_top: shares of the class, channels, transfers, and
/// their memory. Rules T-SCH-8, T-SCH-9, T-SQE-8, T-SQE-9, T-DMA-1 to T-DMA-6.
module npu_top_engines #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues = 32,
  /// 1: links can be shared burst by burst; 0: there is no npu_burst
  parameter int unsigned Bursts = 0,
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  npu_top_pkg::cfg_t     cfg_i,  // still after reset

  // The act, and its outcome (npu_act_pkg)
  input  npu_act_pkg::act_t     act_i,
  input  npu_act_pkg::op_t      op_i,
  output npu_act_pkg::outcome_t act_o,
  output logic                  ready_o,         // blocks are ready for the first act

  // The queue that is looked at
  input  logic [63:0]           now_i,
  input  logic [QueueWidth-1:0] at_i,
  input  logic [npu_top_pkg::StateWidth-1:0] state_i,
  input  logic [2:0]            level_i,
  input  logic [5:0]            group_i,
  input  logic [2:0]            share_i,         // the class that its SQE needs
  output npu_top_pkg::note_t    note_o,

  output logic [QueueWidth-1:0] winner_o,        // of a share
  output logic [QueueWidth-1:0] heir_o,          // the one that gets the channel

  // The transfer that is complete first, or when the next burst moves, while the link is ready
  output logic                  link_ready_o,
  output logic                  link_valid_o,
  output logic [63:0]           link_time_o,
  output logic [QueueWidth-1:0] link_queue_o,
  output logic                  link_bursts_o,   // it has to be run
  output logic                  link_done_o,     // it was: that queue's transfer is complete

  // Memory: answers in the same cycle
  output logic                  memory_req_o,
  output logic [1:0]            memory_op_o,
  input  logic                  memory_ok_i,
  input  logic [3:0]            memory_route_i,
  input  logic [63:0]           memory_bytes_i,
  input  logic [63:0]           memory_src_i,
  input  logic [63:0]           memory_dst_i,

  output logic                  ax_valid_o,
  output logic [6:0]            ax_id_o,
  output logic [63:0]           ax_src_o,
  output logic [63:0]           ax_dst_o,
  output logic [31:0]           ax_bytes_o,
  output logic                  ax_last_o
);

  // ---- what is kept of each queue ----

  typedef struct packed {
    logic       pcie;         // engine of share and channel
    logic       has_share;
    logic       has_channel;
    logic [5:0] channel;
  } row_t;
  localparam int unsigned RowBits = 3 + 6;

  logic [RowBits-1:0] row_mem [0:Queues-1];
  row_t               row, row_d;
  logic               row_we;

  assign row = row_mem[at_i];
  always_ff @(posedge clk_i) begin
    if (row_we) row_mem[at_i] <= row_d;
  end

  // ---- queues that wait for a share: of SDMA, of PCIe DMA ----

  logic [1:0]            chosen, class_clk, class_ready, class_valid, class_empty, class_busy;
  logic [QueueWidth-1:0] class_winner [0:1];
  logic [QueueWidth-1:0] winner_q;
  assign chosen = row.pcie ? 2'b10 : 2'b01;

  for (genvar i = 0; i < 2; i++) begin : gen_class
    logic called;
    assign called = act_i == npu_act_pkg::CallClass && chosen[i];

    npu_clock_gate u_clock (
      .clk_i,
      .enable_i (called || class_busy[i]),
      .clk_o    (class_clk[i])
    );

    npu_arbiter #(.Queues(Queues)) u_waiting (
      .clk_i              (class_clk[i]),
      .rst_ni,
      .cfg_strict_level_i (cfg_i.strict_level),
      .cfg_weight_first_i (cfg_i.weight_first),
      .cfg_reload_spent_i (cfg_i.reload_spent),
      .req_valid_i        (called),
      .req_ready_o        (class_ready[i]),
      .req_op_i           (op_i[1:0]),
      .req_queue_i        (at_i),
      .req_priority_i     (level_i),
      .req_group_i        (group_i),
      .req_weight_i       ('0),
      .req_seeded_i       (1'b0),
      .req_draw0_i        ('0),
      .req_draw1_i        ('0),
      .rsp_valid_o        (class_valid[i]),
      .rsp_ready_i        (act_i == npu_act_pkg::ClassRsp),
      .rsp_last_o         (),
      .rsp_queue_o        (class_winner[i]),
      .rsp_draws_o        (),
      .empty_o            (class_empty[i]),
      .busy_o             (class_busy[i])
    );
  end

  // ---- channels ----

  logic [1:0]            pool_clk, pool_ready, pool_valid, pool_found, pool_busy;
  logic [5:0]            pool_channel [0:1];
  logic [QueueWidth-1:0] pool_queue [0:1];
  logic                  found_q;
  logic [5:0]            channel_q;
  logic [QueueWidth-1:0] heir_q;

  for (genvar i = 0; i < 2; i++) begin : gen_pool
    logic called;
    assign called = act_i == npu_act_pkg::CallPool && chosen[i];

    npu_clock_gate u_clock (
      .clk_i,
      .enable_i (called || pool_busy[i]),
      .clk_o    (pool_clk[i])
    );

    npu_dma_pool #(.Queues(Queues)) u_pool (
      .clk_i          (pool_clk[i]),
      .rst_ni,
      .cfg_channels_i (i == 0 ? cfg_i.sdma_channels : cfg_i.pcie_channels),
      .req_valid_i    (called),
      .req_ready_o    (pool_ready[i]),
      .req_op_i       (op_i[1:0]),
      .req_channel_i  (row.channel),
      .req_queue_i    (at_i),
      .req_seeded_i   (1'b0),
      .req_draw_i     ('0),
      .rsp_valid_o    (pool_valid[i]),
      .rsp_ready_i    (act_i == npu_act_pkg::PoolRsp),
      .rsp_last_o     (),
      .rsp_found_o    (pool_found[i]),
      .rsp_channel_o  (pool_channel[i]),
      .rsp_queue_o    (pool_queue[i]),
      .free_o         (),
      .busy_o         (pool_busy[i])
    );
  end

  // ---- links ----

  logic        way_q;     // the addresses lead somewhere; the effect was had
  logic [63:0] bytes_q, src_q, dst_q;
  logic [3:0]  route_q;
  logic        link_rsp;

  npu_top_links #(.Queues(Queues), .Bursts(Bursts)) u_links (
    .clk_i, .rst_ni, .cfg_i, .now_i,
    .call_i    (act_i == npu_act_pkg::CallLink),
    .op_i,
    .rsp_i     (act_i == npu_act_pkg::LinkRsp),
    .queue_i   (at_i),
    .channel_i ({row.pcie, row.channel}),
    .shift_i   (row.pcie ? cfg_i.pcie_shift : cfg_i.sdma_shift),
    .route_i   (route_q),
    .bytes_i   (bytes_q),
    .src_i     (src_q),
    .dst_i     (dst_q),
    .bursts_o  (link_bursts_o),
    .ready_o   (link_ready_o),
    .rsp_o     (link_rsp),
    .valid_o   (link_valid_o),
    .time_o    (link_time_o),
    .queue_o   (link_queue_o),
    .done_o    (link_done_o),
    .ax_valid_o, .ax_id_o, .ax_src_o, .ax_dst_o, .ax_bytes_o, .ax_last_o
  );

  // ---- acts ----

  logic [15:0] sdma_taken_q, sdma_taken_d, pcie_taken_q, pcie_taken_d;  // shares
  logic [15:0] sdma_cap, pcie_cap;
  logic        wants_pcie, share_there;

  assign sdma_cap    = cfg_i.sdma_cap;
  assign pcie_cap    = cfg_i.pcie_cap;
  assign wants_pcie  = share_i == npu_sqe_pkg::ClassPcieDma;
  assign share_there = wants_pcie ? pcie_taken_q < pcie_cap : sdma_taken_q < sdma_cap;

  `include "npu_act_call.svh"

  always_comb begin
    act_o        = '0;
    note_o       = '0;
    row_d        = row;
    row_we       = 1'b0;
    sdma_taken_d = sdma_taken_q;
    pcie_taken_d = pcie_taken_q;
    memory_req_o = 1'b0;
    memory_op_o  = npu_top_pkg::MemoryRoute;

    unique case (act_i)
      npu_act_pkg::Reset, npu_act_pkg::Opened: begin
        row_d  = '0;
        row_we = 1'b1;
      end

      // ---- shares ----

      npu_act_pkg::Dispatch: begin  // T-SCH-8
        row_d.pcie = wants_pcie;
        row_we     = 1'b1;
        if (!wants_pcie && share_i != npu_sqe_pkg::ClassSdma) begin
          act_o.next = npu_act_pkg::BadSqe;  // what the top does not do
        end else if (share_there) begin
          note_o = {1'b1, npu_top_pkg::NoteShare, 32'(wants_pcie)};
          row_d.has_share = 1'b1;
          if (wants_pcie) pcie_taken_d = pcie_taken_q + 16'd1;
          else sdma_taken_d = sdma_taken_q + 16'd1;
          act_o.next = npu_act_pkg::Admit;
        end else begin
          act_o.state = npu_top_pkg::QWaitClass;
          call(npu_act_pkg::CallClass, npu_act_pkg::ArbAdd, npu_act_pkg::Leave);
        end
      end
      npu_act_pkg::Unshare: begin  // T-SCH-9
        if (row.has_share) begin
          note_o = {1'b1, npu_top_pkg::NoteUnshare, 32'(row.pcie)};
          row_d.has_share = 1'b0;
          row_we          = 1'b1;
          if ((class_empty & chosen) == 2'b00) begin
            call(npu_act_pkg::CallClass, npu_act_pkg::ArbTake, npu_act_pkg::ShareNext);
          end else if (row.pcie) begin
            pcie_taken_d = pcie_taken_q - 16'd1;
          end else begin
            sdma_taken_d = sdma_taken_q - 16'd1;
          end
        end
      end
      npu_act_pkg::ShareNext: begin
        act_o.turn = npu_act_pkg::TurnClass;
        act_o.next = npu_act_pkg::ShareGive;
      end
      npu_act_pkg::ShareGive: begin
        note_o = {1'b1, npu_top_pkg::NoteShare, 32'(row.pcie)};
        row_d.has_share = 1'b1;
        row_we          = 1'b1;
        call(npu_act_pkg::Ask, npu_act_pkg::OpWidth'(npu_top_pkg::ResumeDispatch),
             npu_act_pkg::ShareBack);
      end
      npu_act_pkg::ShareBack: act_o.turn = npu_act_pkg::TurnMain;

      // ---- channels ----

      npu_act_pkg::Admit:  // T-DMA-1
        call(npu_act_pkg::CallPool, npu_act_pkg::PoolAcquire, npu_act_pkg::Acquired);
      npu_act_pkg::Acquired: begin
        if (found_q) begin
          note_o            = {1'b1, npu_top_pkg::NoteChannel, 32'(channel_q)};
          row_d.has_channel = 1'b1;
          row_d.channel     = channel_q;
          row_we            = 1'b1;
          act_o.state       = npu_top_pkg::QWork;
          call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpSetUp}, npu_act_pkg::Next);
        end else begin
          act_o.state = npu_top_pkg::QWaitChannel;
          call(npu_act_pkg::CallPool, npu_act_pkg::PoolWait, npu_act_pkg::Return);
        end
      end
      npu_act_pkg::FreeChannel: begin  // T-DMA-6
        if (row.has_channel) begin
          row_d.has_channel = 1'b0;
          row_we            = 1'b1;
          call(npu_act_pkg::CallPool, npu_act_pkg::PoolRelease, npu_act_pkg::Freed);
        end
      end
      npu_act_pkg::Freed: begin
        if (found_q) begin
          act_o.turn = npu_act_pkg::TurnPool;
          act_o.next = npu_act_pkg::NextSetUp;
        end
      end
      npu_act_pkg::NextSetUp: begin
        call(npu_act_pkg::CallPool, npu_act_pkg::PoolAcquire, npu_act_pkg::Acquired);
        act_o.after = npu_act_pkg::Back;
      end
      npu_act_pkg::Back: act_o.turn = npu_act_pkg::TurnMain;

      // ---- transfers ----

      npu_act_pkg::Start: begin  // T-DMA-3
        memory_req_o = 1'b1;
        memory_op_o  = npu_top_pkg::MemoryRoute;
        act_o.next   = npu_act_pkg::Started;
      end
      npu_act_pkg::Started: begin  // T-DMA-4
        if (way_q) begin
          call(npu_act_pkg::CallLink, npu_act_pkg::LinkStart, npu_act_pkg::Move);
        end else begin
          note_o         = {1'b1, npu_top_pkg::NoteNoWay, 32'd0};
          act_o.next     = npu_act_pkg::FreeChannel;
          act_o.then_act = npu_act_pkg::Fault;
        end
      end
      npu_act_pkg::Move: begin
        note_o      = {1'b1, npu_top_pkg::NoteMove, 32'(route_q)};
        act_o.state = npu_top_pkg::QTransfer;
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpMove}, npu_act_pkg::Next);
      end
      npu_act_pkg::Apply: begin  // T-DMA-5
        note_o       = {1'b1, npu_top_pkg::NoteMoved, 32'(row.channel)};
        memory_req_o = 1'b1;
        memory_op_o  = npu_top_pkg::MemoryApply;
        act_o.state  = npu_top_pkg::QWork;
        act_o.next   = npu_act_pkg::Applied;
      end
      npu_act_pkg::Applied: begin
        if (link_bursts_o) begin  // the last burst has closed the transfer
          act_o.next     = npu_act_pkg::FreeChannel;
          act_o.then_act = way_q ? npu_act_pkg::Done : npu_act_pkg::Fault;
        end else begin
          call(npu_act_pkg::CallLink, npu_act_pkg::LinkEnd, npu_act_pkg::FreeChannel);
          act_o.after = way_q ? npu_act_pkg::Done : npu_act_pkg::Fault;
        end
      end
      npu_act_pkg::Store: begin  // T-SQE-9
        memory_req_o = 1'b1;
        memory_op_o  = npu_top_pkg::MemoryStore;
        act_o.next   = npu_act_pkg::Stored;
      end
      npu_act_pkg::Stored: act_o.next = way_q ? npu_act_pkg::Done : npu_act_pkg::Fault;

      npu_act_pkg::Limit: begin  // T-SQE-8
        note_o = {1'b1, npu_top_pkg::NoteLimit, 32'd0};
        if (state_i == npu_top_pkg::QParked) begin
          act_o.next     = npu_act_pkg::Forget;
          act_o.then_act = npu_act_pkg::Limited;
        end else begin
          call(npu_act_pkg::CallLink, npu_act_pkg::LinkEnd, npu_act_pkg::FreeChannel);
          act_o.after = npu_act_pkg::Limited;
        end
      end
      npu_act_pkg::Limited:
        call(npu_act_pkg::CallSqe, {1'b0, npu_sqe_pkg::OpLimit}, npu_act_pkg::Next);

      npu_act_pkg::CallClass:
        act_o.next = (class_ready & chosen) != '0 ? npu_act_pkg::ClassRsp : npu_act_pkg::CallClass;
      npu_act_pkg::ClassRsp:
        if ((class_valid & chosen) == 2'b00) act_o.next = npu_act_pkg::ClassRsp;
      npu_act_pkg::CallPool:
        act_o.next = (pool_ready & chosen) != '0 ? npu_act_pkg::PoolRsp : npu_act_pkg::CallPool;
      npu_act_pkg::PoolRsp:
        if ((pool_valid & chosen) == 2'b00) act_o.next = npu_act_pkg::PoolRsp;
      npu_act_pkg::CallLink: begin
        if (!link_ready_o) act_o.next = npu_act_pkg::CallLink;
        else if (link_bursts_o) act_o.next = npu_act_pkg::LinkRsp;
      end
      npu_act_pkg::LinkRsp: if (!link_rsp) act_o.next = npu_act_pkg::LinkRsp;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {sdma_taken_q, pcie_taken_q, winner_q, found_q, channel_q, heir_q, way_q, bytes_q, route_q,
       src_q, dst_q} <= '0;
    end else begin
      sdma_taken_q <= sdma_taken_d;
      pcie_taken_q <= pcie_taken_d;
      if (act_i == npu_act_pkg::ClassRsp && (class_valid & chosen) != 2'b00)
        winner_q <= class_winner[row.pcie];
      if (act_i == npu_act_pkg::PoolRsp && (pool_valid & chosen) != 2'b00) begin
        found_q   <= pool_found[row.pcie];
        channel_q <= pool_channel[row.pcie];
        heir_q    <= pool_queue[row.pcie];
      end
      if (memory_req_o) way_q <= memory_ok_i;
      if (act_i == npu_act_pkg::Start) begin
        bytes_q <= memory_bytes_i;
        route_q <= memory_route_i;
        if (link_bursts_o) begin
          src_q <= memory_src_i;
          dst_q <= memory_dst_i;
        end
      end
    end
  end

  assign ready_o  = class_ready == 2'b11 && pool_ready == 2'b11;
  assign winner_o = winner_q;
  assign heir_o   = heir_q;

  `NPU_ASSERT(RowHasItsWidth, $bits(row_t) == RowBits)
  `NPU_ASSERT(OneTransferForAQueue, act_i == npu_act_pkg::CallLink &&
      op_i == npu_act_pkg::LinkStart |-> state_i == npu_top_pkg::QWork)
  `NPU_ASSERT(NoMoreSharesThanThereAre,
      sdma_taken_q <= sdma_cap && pcie_taken_q <= pcie_cap)
endmodule
