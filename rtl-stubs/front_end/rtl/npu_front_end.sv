// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// The front ends of all queues: ring, head, tail, buffer and line read ahead, and the writer of
/// the CQ.
/// Rules T-FE-1, T-FE-3 to T-FE-8, T-FE-11, T-CQ-1 to T-CQ-3, T-CQ-5, T-CQ-6, T-HW-4. One operation
/// at a time; one answer to each.
module npu_front_end #(
  /// Queues, a power of two from 8 to 2048
  parameter int unsigned Queues     = 2048,
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Scheduler cycles (T-TIM-1); holds still while an operation is under way
  input  logic [63:0]           now_i,
  /// SQEs of a line (T-FE-4), 1 to 64; static
  input  logic [15:0]           cfg_window_i,

  input  logic                  req_valid_i,
  output logic                  req_ready_o,
  input  logic [npu_front_end_pkg::OpWidth-1:0]    req_op_i,
  input  logic [QueueWidth-1:0] req_queue_i,
  input  logic [63:0]           req_value_i,     // see npu_front_end_pkg
  input  npu_front_end_pkg::cqe_t                  req_cqe_i,       // of OpComplete

  // From doorbells to SQEs that can be seen (T-FE-1): how many there are from the head on, at most
  // 65535 (more than two lines need not be counted), and when the one at the head becomes one; in
  // the same cycle, or for all of the operation
  output logic                  arrival_req_o,
  output logic [QueueWidth-1:0] arrival_queue_o,
  output logic [31:0]           arrival_place_o,    // of the head, in the ring
  input  logic [15:0]           arrival_visible_i,
  input  logic [63:0]           arrival_time_i,

  /// The CQ in memory takes an entry in the cycle in which it is offered; it stays to be seen until
  /// the next operation
  output logic                  cqe_valid_o,
  output logic [QueueWidth-1:0] cqe_queue_o,
  output logic [31:0]           cqe_place_o,        // in the ring of the CQ
  output logic [127:0]          cqe_data_o,      // stars_cqe, byte 0 lowest

  output logic                  rsp_valid_o,
  input  logic                  rsp_ready_i,
  output logic                  rsp_last_o,         // always: one response each
  /// OpFetch: the queue had to wait; OpLook: an SQE is visible; OpComplete: it was written;
  /// OpSetCqHead: it was taken
  output logic                  rsp_ok_o,
  // OpFetch: when the SQE is there; OpLook: when it becomes visible
  output logic [63:0]           rsp_time_o,
  output npu_front_end_pkg::queue_t                rsp_queue_o,     // the queue afterwards
  output logic                  busy_o
);
  `NPU_POWER_OF_TWO(Queues, 8, 2048)

  typedef enum logic [2:0] {
    StClear,     // after reset each queue is closed, one per clock
    StIdle,
    StRead,
    StOperate,
    StWrite,
    StAnswer
  } state_e;

  state_e                state_q, state_d;
  logic [QueueWidth-1:0] queue_q;
  logic [npu_front_end_pkg::OpWidth-1:0]    op_q;
  logic [63:0]           value_q;
  npu_front_end_pkg::cqe_t                  cqe_q;
  npu_front_end_pkg::queue_t                entry_q, entry_d;
  logic                  ok_q, ok_d;
  logic [63:0]           time_q, time_d;

  // ---- state of the queues: one read, one write port ----

  logic [npu_front_end_pkg::QueueBits-1:0] mem [0:Queues-1];
  logic                  mem_we;
  logic [QueueWidth-1:0] mem_waddr;
  npu_front_end_pkg::queue_t                mem_wdata;

  always_ff @(posedge clk_i) begin
    if (mem_we) mem[mem_waddr] <= mem_wdata;
  end

  assign mem_we    = (state_q == StClear) || (state_q == StWrite);
  assign mem_waddr = queue_q;
  assign mem_wdata = (state_q == StClear) ? '0 : entry_q;

  // ---- lines (T-FE-4): what is visible, at most a window of it ----

  logic [15:0] line, filled, rest, next_line;
  assign line      = arrival_visible_i < cfg_window_i ? arrival_visible_i : cfg_window_i;
  assign filled    = entry_q.ahead != 16'd0 ? entry_q.ahead : line;
  assign rest      = arrival_visible_i - filled;  // what was read is visible
  assign next_line = rest < cfg_window_i ? rest : cfg_window_i;

  logic [15:0] read_in;
  assign read_in = {48'd0, arrival_visible_i} < value_q ? arrival_visible_i : value_q[15:0];

  assign arrival_req_o   = state_q == StOperate;
  assign arrival_queue_o = queue_q;
  assign arrival_place_o = entry_q.head & entry_q.mask;

  // ---- the CQ (T-CQ-1, T-CQ-3, T-CQ-5, T-CQ-6) ----

  logic        cq_full;
  logic        phase;
  logic [31:0] cq_taken;
  logic [15:0] flags;
  logic [15:0] head_place, head_after;

  assign cq_full    = (entry_q.cq_tail - entry_q.cq_head) >= entry_q.cq_mask;
  assign phase      = (entry_q.cq_tail & (entry_q.cq_mask + 32'd1)) == 32'd0;
  assign cq_taken   = (value_q[31:0] - entry_q.cq_head) & entry_q.cq_mask;
  assign head_place = 16'(entry_q.head & entry_q.mask);
  assign head_after = 16'((entry_q.head + 32'd1) & entry_q.mask);
  assign flags =
      {cqe_q.error, 11'(queue_q), cqe_q.placeholder, cqe_q.event_record, 1'b0, phase};

  logic         wrote_q;
  logic [31:0]  place_q;
  logic [127:0] data_q, data;
  assign data[63:0]   = {cqe_q.task_id, cqe_q.stream, head_after, flags};
  assign data[127:64] =
      cqe_q.error ? {16'd0, cqe_q.status, head_place, cqe_q.error_type, cqe_q.code}
                  : cqe_q.timestamp;
  assign cqe_valid_o  = state_q == StWrite && wrote_q;
  assign cqe_queue_o  = queue_q;
  assign cqe_place_o  = place_q;
  assign cqe_data_o   = data_q;

  // ---- operations ----

  logic [31:0] forward;  // T-FE-8: from the head to the new one
  assign forward = (value_q[31:0] - entry_q.head) & entry_q.mask;

  always_comb begin
    state_d = state_q;
    entry_d = entry_q;
    ok_d    = ok_q;
    time_d  = time_q;

    unique case (state_q)
      StClear: begin
        if (queue_q == QueueWidth'(Queues - 1)) state_d = StIdle;
      end

      StIdle: begin
        if (req_valid_i) state_d = StRead;
      end

      StRead: begin
        state_d = StOperate;
        ok_d    = 1'b0;
        time_d  = now_i;
      end

      StOperate: begin
        state_d = StWrite;
        case (op_q)
          npu_front_end_pkg::OpOpen: begin
            entry_d         = '0;
            entry_d.is_open = 1'b1;
            entry_d.mask    = value_q[31:0];
            entry_d.cq_mask = value_q[63:32];
            entry_d.head    = value_q[31:0] + 32'd1;  // a lap ahead: the head may go back
            entry_d.seen    = value_q[31:0] + 32'd1;
          end
          npu_front_end_pkg::OpClose: entry_d.is_open = 1'b0;
          npu_front_end_pkg::OpRing:  entry_d.seen = entry_q.seen + value_q[31:0];
          npu_front_end_pkg::OpFetch: begin
            if (entry_q.buffered == 16'd0) begin
              if (entry_q.ahead != 16'd0) begin  // T-FE-6: the line that was asked for before
                ok_d             = entry_q.ahead_at > now_i;
                time_d           = (entry_q.ahead_at > now_i) ? entry_q.ahead_at : now_i;
                entry_d.buffered = filled;
              end else begin                     // T-FE-5
                ok_d             = value_q != 64'd0;
                time_d           = now_i + value_q;
                entry_d.buffered = filled;
              end
              entry_d.ahead    = next_line;      // T-FE-6
              entry_d.ahead_at = now_i + value_q;
            end
          end
          npu_front_end_pkg::OpRetire: begin
            entry_d.head    = entry_q.head + 32'd1;
            entry_d.retired = entry_q.retired + 32'd1;
            if (entry_q.buffered != 16'd0) entry_d.buffered = entry_q.buffered - 16'd1;
            else if (entry_q.ahead != 16'd0) entry_d.ahead = entry_q.ahead - 16'd1;
          end
          npu_front_end_pkg::OpSetHead: begin
            entry_d.head     = entry_q.seen - ((entry_q.seen - value_q[31:0]) & entry_q.mask);
            entry_d.retired  = entry_q.retired + forward;
            entry_d.buffered = 16'd0;
            entry_d.ahead    = 16'd0;
          end
          npu_front_end_pkg::OpDrop: begin
            entry_d.buffered = 16'd0;
            entry_d.ahead    = 16'd0;
          end
          npu_front_end_pkg::OpDropAll: begin
            entry_d.head     = entry_q.seen;
            entry_d.retired  = entry_q.retired + (entry_q.seen - entry_q.head);
            entry_d.buffered = 16'd0;
            entry_d.ahead    = 16'd0;
          end
          npu_front_end_pkg::OpLook: begin
            time_d = arrival_time_i;
            ok_d   = (entry_q.head != entry_q.seen) && (arrival_visible_i != 16'd0);
          end
          npu_front_end_pkg::OpComplete: begin
            ok_d = !cq_full;
            if (!cq_full) entry_d.cq_tail = entry_q.cq_tail + 32'd1;
          end
          npu_front_end_pkg::OpSetCqHead: begin
            ok_d =
              (value_q[31:0] <= entry_q.cq_mask) && (cq_taken <= entry_q.cq_tail - entry_q.cq_head);
            if (ok_d) entry_d.cq_head = entry_q.cq_head + cq_taken;
          end
          // T-HW-4: the firmware's own read, nothing ahead of it
          npu_front_end_pkg::OpReadIn: begin
            entry_d.buffered = read_in;
            entry_d.ahead    = 16'd0;
          end
          default: ;
        endcase
      end

      StWrite: state_d = StAnswer;

      StAnswer: begin
        if (rsp_ready_i) state_d = StIdle;
      end

      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StClear;
      {queue_q, op_q, value_q, cqe_q, entry_q, ok_q, time_q, wrote_q, place_q, data_q} <= '0;
    end else begin
      state_q <= state_d;
      ok_q    <= ok_d;
      time_q  <= time_d;
      if (state_q == StOperate) begin
        wrote_q <= op_q == npu_front_end_pkg::OpComplete && !cq_full;
        place_q <= entry_q.cq_tail & entry_q.cq_mask;
        data_q  <= data;
      end
      entry_q <= (state_q == StRead) ? mem[queue_q] : entry_d;
      if (state_q == StClear) begin
        queue_q <= queue_q + QueueWidth'(1);
      end else if (state_q == StIdle && req_valid_i) begin
        queue_q <= req_queue_i;
        op_q    <= req_op_i;
        value_q <= req_value_i;
        cqe_q   <= req_cqe_i;
      end
    end
  end

  assign req_ready_o = state_q == StIdle;
  assign rsp_valid_o = state_q == StAnswer;
  assign rsp_last_o  = 1'b1;
  assign rsp_ok_o    = ok_q;
  assign rsp_time_o  = time_q;
  assign rsp_queue_o = entry_q;
  assign busy_o      = state_q != StIdle;

  logic operates;
  assign operates = (state_q == StOperate) && (op_q != npu_front_end_pkg::OpOpen);

  `NPU_ASSERT(StateHasItsWidth,
      $bits(npu_front_end_pkg::queue_t) == npu_front_end_pkg::QueueBits)
  `NPU_ASSERT(ValueHeldUntilTaken,
      req_valid_i && !req_ready_o |=> req_valid_i && $stable(req_op_i) && $stable(req_queue_i))
  `NPU_ASSERT(AnswerHeldUntilTaken,
      rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_ok_o) && $stable(rsp_time_o))
  `NPU_ASSERT(TimeHoldsStill,
      state_q == StOperate |-> $stable(now_i))
  `NPU_ASSERT(OnlyOpenQueues,
      operates |-> entry_q.is_open)
  `NPU_ASSERT(NothingRetiresThatIsNotThere,
      operates && op_q == npu_front_end_pkg::OpRetire |-> entry_q.head != entry_q.seen)
  `NPU_ASSERT(CqHoldsLessThanItsDepth,
      operates |-> entry_q.cq_tail - entry_q.cq_head <= entry_q.cq_mask)
  `NPU_ASSERT(BufferWithinTheLine,
      rsp_valid_o |-> entry_q.buffered <= cfg_window_i && entry_q.ahead <= cfg_window_i)
endmodule
