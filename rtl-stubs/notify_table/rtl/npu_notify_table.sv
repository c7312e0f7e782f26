// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Notify flags and the queues that wait for them: one record lets exactly one wait pass. Rules
/// T-NTF-1 to T-NTF-4. One operation at a time, one response each.
module npu_notify_table #(
  /// Ids there are at most: 128 to 65536, a power of two
  parameter int unsigned Notifies = 65536,
  /// Queues: 8 to 2048, a power of two
  parameter int unsigned Queues = 2048,
  localparam int unsigned IdWidth = $clog2(Notifies),
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // From the profile; still after reset
  input  logic [IdWidth:0]      cfg_notifies_i,   // ids in use

  // An operation; its operands hold until it is taken
  input  logic                  req_valid_i,
  output logic                  req_ready_o,
  input  logic [2:0]            req_op_i,         // 0 read, 1 wait, 2 record, 3 clear, 4 forget
  input  logic [IdWidth-1:0]    req_id_i,
  input  logic [QueueWidth-1:0] req_queue_i,      // wait, forget
  input  logic [63:0]           req_now_i,        // wait: the cycle; never falls

  output logic                  rsp_valid_o,
  input  logic                  rsp_ready_i,
  output logic                  rsp_last_o,       // always: one response each
  output logic                  rsp_error_o,      // no such id or operation: nothing was done
  output logic                  rsp_pass_o,       // wait: it passes now
  output logic                  rsp_release_o,    // record: the queue below goes on
  output logic [QueueWidth-1:0] rsp_queue_o,
  output logic                  rsp_flag_o,       // of the entry, after the operation
  output logic                  rsp_pending_o,

  output logic                  busy_o            // needs the clock
);
  `NPU_POWER_OF_TWO(Notifies, 128, 65536)
  `NPU_POWER_OF_TWO(Queues, 8, 2048)

  localparam int unsigned WordBits = 64;
  localparam int unsigned WordWidth = IdWidth - 6;

  localparam logic [2:0] OpWait   = 3'd1;
  localparam logic [2:0] OpRecord = 3'd2;
  localparam logic [2:0] OpClear  = 3'd3;
  localparam logic [2:0] OpForget = 3'd4;

  typedef enum logic [2:0] {
    StWalk,     // after reset: every id is clear
    StIdle,
    StAct,      // the entry is here
    StLink,     // the list is being changed
    StWrite,    // the entry is written
    StRespond
  } state_e;

  // A place on a list: {valid, queue}.
  typedef logic [QueueWidth:0] place_t;

  state_e state_d, state_q;
  logic [2:0]            op_q;
  logic [IdWidth-1:0]    id_q;
  logic [QueueWidth-1:0] queue_d, queue_q;
  logic [63:0]           now_q;
  logic                  error_d, error_q;
  logic                  pass_d, pass_q;
  logic                  flag_d, flag_q;
  place_t                first_d, first_q, last_d, last_q;
  logic [WordBits-1:0]   known_word_d, known_word_q;
  logic [WordWidth-1:0]  walk_q;

  logic [QueueWidth*2+2:0] entry_rdata;
  logic [WordBits-1:0]     known_rdata, known_wdata;
  logic                    entry_we, known_we;
  logic [IdWidth-1:0]      raddr;
  logic [WordWidth-1:0]    known_waddr;

  // What an entry holds counts once its bit in u_known is set.
  npu_ram #(.Width(QueueWidth * 2 + 3), .Depth(Notifies)) u_entry (
    .clk_i, .we_i(entry_we), .waddr_i(id_q), .wdata_i({flag_q, first_q, last_q}),
    .raddr_i(raddr), .rdata_o(entry_rdata)
  );
  npu_ram #(.Width(WordBits), .Depth(Notifies / WordBits)) u_known (
    .clk_i, .we_i(known_we), .waddr_i(known_waddr), .wdata_i(known_wdata),
    .raddr_i(raddr[IdWidth-1:6]), .rdata_o(known_rdata)
  );

  logic   list_valid, list_ready, list_remove, list_done;
  logic [QueueWidth-1:0] list_queue;
  place_t list_first, list_last;

  npu_wait_lists #(.Queues(Queues)) u_lists (
    .clk_i, .rst_ni,
    .start_valid_i (list_valid),
    .start_ready_o (list_ready),
    .start_remove_i(list_remove),
    .start_sort_i  (1'b1),
    .start_queue_i (list_queue),
    .start_now_i   (now_q),
    .start_first_i (first_q),
    .start_last_i  (last_q),
    .done_o        (list_done),
    .first_o       (list_first),
    .last_o        (list_last)
  );

  logic   read_known, read_flag;
  place_t read_first, read_last;
  assign read_known = known_rdata[id_q[5:0]];
  assign read_flag  = read_known && entry_rdata[QueueWidth*2+2];
  assign read_first = read_known ? entry_rdata[QueueWidth*2+1:QueueWidth+1] : '0;
  assign read_last  = read_known ? entry_rdata[QueueWidth:0] : '0;

  always_comb begin
    state_d      = state_q;
    queue_d      = queue_q;
    error_d      = error_q;
    pass_d       = pass_q;
    flag_d       = flag_q;
    first_d      = first_q;
    last_d       = last_q;
    known_word_d = known_word_q;

    raddr        = id_q;
    entry_we     = 1'b0;
    known_we     = 1'b0;
    known_waddr  = id_q[IdWidth-1:6];
    known_wdata  = known_word_q | (WordBits'(1) << id_q[5:0]);

    list_valid   = 1'b0;
    list_remove  = op_q != OpWait;
    list_queue   = queue_q;

    unique case (state_q)
      StWalk: begin
        known_we    = 1'b1;
        known_waddr = walk_q;
        known_wdata = '0;
        if (&walk_q) state_d = StIdle;
      end

      StIdle: begin
        raddr = req_id_i;
        if (req_valid_i) begin
          queue_d = req_queue_i;
          pass_d  = 1'b0;
          error_d = {1'b0, req_id_i} >= cfg_notifies_i || req_op_i > OpForget;
          flag_d  = 1'b0;
          first_d = '0;
          last_d  = '0;
          state_d = error_d ? StRespond : StAct;
        end
      end

      StAct: begin
        flag_d       = read_flag;
        first_d      = read_first;
        last_d       = read_last;
        known_word_d = known_rdata;
        unique case (op_q)
          OpWait: begin
            pass_d  = read_flag;
            flag_d  = 1'b0;                             // T-NTF-2
            state_d = read_flag ? StWrite : StLink;
          end
          OpRecord: begin
            if (read_first[QueueWidth]) begin           // T-NTF-3: the flag stays clear
              pass_d  = 1'b1;
              queue_d = read_first[QueueWidth-1:0];
              state_d = StLink;
            end else begin                              // T-NTF-1
              flag_d  = 1'b1;
              state_d = StWrite;
            end
          end
          OpClear: begin                                // T-NTF-4
            flag_d  = 1'b0;
            state_d = StWrite;
          end
          OpForget: state_d = StLink;
          default:  state_d = StRespond;                // read
        endcase
      end

      StLink: begin
        list_valid = list_ready;
        if (list_done) begin
          first_d = list_first;
          last_d  = list_last;
          state_d = StWrite;
        end
      end

      StWrite: begin
        entry_we = 1'b1;
        known_we = 1'b1;
        state_d  = StRespond;
      end

      default: if (rsp_ready_i) state_d = StIdle;       // StRespond
    endcase
  end

  assign req_ready_o   = state_q == StIdle;
  assign rsp_valid_o   = state_q == StRespond;
  assign rsp_last_o    = 1'b1;
  assign rsp_error_o   = error_q;
  assign rsp_pass_o    = op_q == OpWait && pass_q;
  assign rsp_release_o = op_q == OpRecord && pass_q;
  assign rsp_queue_o   = queue_q;
  assign rsp_flag_o    = flag_q;
  assign rsp_pending_o = first_q[QueueWidth];
  assign busy_o        = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StWalk;
      {op_q, id_q, queue_q, now_q, error_q, pass_q, flag_q, first_q, last_q, known_word_q,
       walk_q} <= '0;
    end else begin
      state_q      <= state_d;
      queue_q      <= queue_d;
      error_q      <= error_d;
      pass_q       <= pass_d;
      flag_q       <= flag_d;
      first_q      <= first_d;
      last_q       <= last_d;
      known_word_q <= known_word_d;
      if (state_q == StWalk) walk_q <= walk_q + WordWidth'(1);
      if (state_q == StIdle && req_valid_i) begin
        op_q  <= req_op_i;
        id_q  <= req_id_i;
        now_q <= req_now_i;
      end
    end
  end

  // T-NTF-1 to T-NTF-3: no queue waits for a flag that is set.
  `NPU_ASSERT(FlagOrWaiters, rsp_valid_o |-> !(rsp_flag_o && rsp_pending_o))
  `NPU_ASSERT(ReqHeld, req_valid_i && !req_ready_o |=> req_valid_i && $stable(req_op_i) &&
              $stable(req_id_i) && $stable(req_queue_i))
  `NPU_ASSERT(RspHeld, rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_queue_o) &&
              $stable(rsp_release_o) && $stable(rsp_pass_o))

endmodule
