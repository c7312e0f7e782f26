// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Lists of queues, doubly linked, each queue on one list at most. The owner of a list keeps its
/// two ends (npu_*_table: in the entry); this block keeps the links and makes one change at a time.
/// Rules T-EVT-4, T-NTF-3 (sorted), T-DMA-1, T-BST-3 (not sorted).
module npu_wait_lists #(
  /// Queues there are: 8 to 16384, a power of two
  parameter int unsigned Queues = 2048,
  /// Bits of a queue number; follows from Queues
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  start_valid_i,
  /// Low while a change is being made
  output logic                  start_ready_o,
  /// 1: takes the queue off its list; 0: puts it on
  input  logic                  start_remove_i,
  /// Put on in front of those that came in the same cycle and have a higher number; else at the end
  input  logic                  start_sort_i,
  input  logic [QueueWidth-1:0] start_queue_i,
  input  logic [63:0]           start_now_i,
  /// The ends of the list before the change: {valid, queue}
  input  logic [QueueWidth:0]   start_first_i,
  input  logic [QueueWidth:0]   start_last_i,

  /// High for one clock: the ends below are those after the change
  output logic                  done_o,
  output logic [QueueWidth:0]   first_o,
  output logic [QueueWidth:0]   last_o
);
  `NPU_POWER_OF_TWO(Queues, 8, 16384)

  // A place on a list: {valid, queue}.
  typedef logic [QueueWidth:0] place_t;

  typedef enum logic [2:0] {
    StIdle,
    StWalk,    // the links of the queue at the cursor are here
    StInsert,  // writes the links of the new queue
    StJoin,    // writes those of its neighbours
    StUnlink,  // the links of the queue that leaves are here
    StDone
  } state_e;

  state_e state_d, state_q;
  place_t first_d, first_q, last_d, last_q;
  place_t before_d, before_q;  // the neighbour towards the first
  place_t after_d, after_q;    // the one towards the last
  logic [QueueWidth-1:0] queue_q;
  logic [63:0] now_q;
  logic sort_q;

  logic [QueueWidth-1:0] raddr;
  logic                  since_we;
  logic                  next_we, prev_we;
  logic [QueueWidth-1:0] next_waddr, prev_waddr;
  place_t                next_wdata, prev_wdata;
  place_t                next_rdata, prev_rdata;
  logic [63:0]           since_rdata;

  npu_ram #(.Width(64), .Depth(Queues)) u_since (
    .clk_i, .we_i(since_we), .waddr_i(queue_q), .wdata_i(now_q),
    .raddr_i(raddr), .rdata_o(since_rdata)
  );
  npu_ram #(.Width(QueueWidth + 1), .Depth(Queues)) u_next (
    .clk_i, .we_i(next_we), .waddr_i(next_waddr), .wdata_i(next_wdata),
    .raddr_i(raddr), .rdata_o(next_rdata)
  );
  npu_ram #(.Width(QueueWidth + 1), .Depth(Queues)) u_prev (
    .clk_i, .we_i(prev_we), .waddr_i(prev_waddr), .wdata_i(prev_wdata),
    .raddr_i(raddr), .rdata_o(prev_rdata)
  );

  // The new queue goes in front of the one at the cursor.
  logic passes;
  assign passes = sort_q && since_rdata == now_q && before_q[QueueWidth-1:0] > queue_q;

  always_comb begin
    state_d  = state_q;
    first_d  = first_q;
    last_d   = last_q;
    before_d = before_q;
    after_d  = after_q;
    raddr    = before_q[QueueWidth-1:0];
    since_we = 1'b0;
    next_we  = 1'b0;
    prev_we  = 1'b0;
    next_waddr = queue_q;
    prev_waddr = queue_q;
    next_wdata = after_q;
    prev_wdata = before_q;

    unique case (state_q)
      StIdle: begin
        raddr = start_remove_i ? start_queue_i : start_last_i[QueueWidth-1:0];
        if (start_valid_i) begin
          first_d  = start_first_i;
          last_d   = start_last_i;
          before_d = start_last_i;
          after_d  = '0;
          if (start_remove_i) state_d = StUnlink;
          else if (start_last_i[QueueWidth]) state_d = StWalk;
          else state_d = StInsert;
        end
      end

      StWalk: begin
        raddr = prev_rdata[QueueWidth-1:0];
        if (passes) begin
          after_d  = before_q;
          before_d = prev_rdata;
          if (!prev_rdata[QueueWidth]) state_d = StInsert;
        end else begin
          state_d = StInsert;
        end
      end

      StInsert: begin
        since_we = 1'b1;
        next_we  = 1'b1;
        prev_we  = 1'b1;
        if (!before_q[QueueWidth]) first_d = {1'b1, queue_q};
        if (!after_q[QueueWidth]) last_d = {1'b1, queue_q};
        state_d = StJoin;
      end

      StJoin: begin
        next_we    = before_q[QueueWidth];
        next_waddr = before_q[QueueWidth-1:0];
        next_wdata = {1'b1, queue_q};
        prev_we    = after_q[QueueWidth];
        prev_waddr = after_q[QueueWidth-1:0];
        prev_wdata = {1'b1, queue_q};
        state_d    = StDone;
      end

      StUnlink: begin
        next_we    = prev_rdata[QueueWidth];
        next_waddr = prev_rdata[QueueWidth-1:0];
        next_wdata = next_rdata;
        prev_we    = next_rdata[QueueWidth];
        prev_waddr = next_rdata[QueueWidth-1:0];
        prev_wdata = prev_rdata;
        if (!prev_rdata[QueueWidth]) first_d = next_rdata;
        if (!next_rdata[QueueWidth]) last_d = prev_rdata;
        state_d = StDone;
      end

      default: state_d = StIdle;  // StDone
    endcase
  end

  assign start_ready_o = state_q == StIdle;
  assign done_o        = state_q == StDone;
  assign first_o       = first_q;
  assign last_o        = last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StIdle;
      first_q  <= '0;
      last_q   <= '0;
      before_q <= '0;
      after_q  <= '0;
      queue_q  <= '0;
      now_q    <= '0;
      sort_q   <= 1'b0;
    end else begin
      state_q  <= state_d;
      first_q  <= first_d;
      last_q   <= last_d;
      before_q <= before_d;
      after_q  <= after_d;
      if (state_q == StIdle && start_valid_i) begin
        queue_q <= start_queue_i;
        now_q   <= start_now_i;
        sort_q  <= start_sort_i;
      end
    end
  end

  // Both ends of a list are valid or both are not, before and after.
  `NPU_ASSERT(EndsAgree, start_valid_i |-> start_first_i[QueueWidth] == start_last_i[QueueWidth])
  `NPU_ASSERT(EndsStillAgree, done_o |-> first_q[QueueWidth] == last_q[QueueWidth])
  // Owners ask when it is at rest, so that none has to wait.
  `NPU_ASSERT(StartAtRest, start_valid_i |-> start_ready_o)

endmodule
