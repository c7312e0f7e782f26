// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"

/// Event flags, the queues that wait for them, and which entries are on the chip. Rules T-EVT-1 to
/// T-EVT-5, T-EVT-7 to T-EVT-11. One operation at a time; a record answers once for each queue that
/// it releases.
module npu_event_table #(
  /// Ids there are at most: 128 to 65536, a power of two
  parameter int unsigned Events = 65536,
  /// Queues: 8 to 2048, a power of two
  parameter int unsigned Queues = 2048,
  localparam int unsigned IdWidth = $clog2(Events),
  localparam int unsigned QueueWidth = $clog2(Queues)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // From the profile; still after reset
  input  logic [IdWidth:0]      cfg_events_i,     // ids in use
  input  logic [IdWidth:0]      cfg_lines_i,      // entries on the chip, of one part; never 0
  // each 4096 ids have separate lines (T-EVT-10)
  input  logic                  cfg_isolated_i,

  // An operation; its operands hold until it is taken
  input  logic                  req_valid_i,
  output logic                  req_ready_o,
  // 0 read, 1 wait, 2 record, 3 clear, 4 forget, 5 load
  input  logic [2:0]            req_op_i,
  input  logic [IdWidth-1:0]    req_id_i,
  input  logic [QueueWidth-1:0] req_queue_i,      // wait, forget
  input  logic [63:0]           req_now_i,        // wait: the cycle; never falls

  output logic                  rsp_valid_o,
  input  logic                  rsp_ready_i,
  output logic                  rsp_last_o,       // the last one of this operation
  output logic                  rsp_error_o,      // no such id or operation: nothing was done
  output logic                  rsp_pass_o,       // wait: it passes now
  output logic                  rsp_release_o,    // record: the queue below goes on
  output logic [QueueWidth-1:0] rsp_queue_o,
  output logic                  rsp_flag_o,       // of the entry, after the operation
  output logic                  rsp_pending_o,
  output logic                  rsp_in_memory_o,

  output logic                  busy_o            // needs the clock
);
  `NPU_POWER_OF_TWO(Events, 128, 65536)
  `NPU_POWER_OF_TWO(Queues, 8, 2048)

  localparam int unsigned WordBits = 64;
  localparam int unsigned Words = Events / WordBits;
  localparam int unsigned WordWidth = IdWidth - 6;
  localparam int unsigned PartIdWidth = 12;       // ids of a part: 4096
  localparam int unsigned Parts = 16;

  localparam logic [2:0] OpWait   = 3'd1;
  localparam logic [2:0] OpRecord = 3'd2;
  localparam logic [2:0] OpClear  = 3'd3;
  localparam logic [2:0] OpForget = 3'd4;
  localparam logic [2:0] OpLoad   = 3'd5;

  typedef enum logic [3:0] {
    StWalk,       // after reset: every id is clear
    StIdle,
    StAct,        // the entry is here
    StLink,       // the list is being changed
    StSettle,     // T-EVT-7: does the entry need a line, or give one back
    StScan,       // T-EVT-9: a word of the line bits is here
    StVictim,     // an entry goes to memory
    StVictimRead, // the word of the own entry, which may be the same, is being read again
    StMark,       // the entry has its line
    StWrite,      // the entry is written
    StRelease,    // a record: the next one on the list
    StReleased,
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
  // The entry: clear ones take no line (T-EVT-7), others have one or are in memory.
  logic                  flag_d, flag_q;
  place_t                first_d, first_q, last_d, last_q;
  logic                  taken_d, taken_q;  // not clear
  logic                  line_d, line_q;
  logic [WordBits-1:0]   taken_word_d, taken_word_q, line_word_d, line_word_q;
  // The search for the next entry to be displaced.
  logic [IdWidth-1:0]    scan_d, scan_q;    // an id of the word that is here
  logic                  scan_first_d, scan_first_q;
  logic [WordWidth-1:0]  walk_q;

  // ---- memories ----

  logic [QueueWidth*2+2:0] entry_rdata;
  logic [WordBits-1:0]     taken_rdata, line_rdata;
  logic                    entry_we, taken_we, line_we;
  logic [IdWidth-1:0]      raddr;
  logic [WordWidth-1:0]    line_raddr, taken_waddr, line_waddr;
  logic [WordBits-1:0]     taken_wdata, line_wdata;

  // What an entry holds counts while its bit in u_taken is set.
  npu_ram #(.Width(QueueWidth * 2 + 3), .Depth(Events)) u_entry (
    .clk_i, .we_i(entry_we), .waddr_i(id_q), .wdata_i({flag_q, first_q, last_q}),
    .raddr_i(raddr), .rdata_o(entry_rdata)
  );
  npu_ram #(.Width(WordBits), .Depth(Words)) u_taken (
    .clk_i, .we_i(taken_we), .waddr_i(taken_waddr), .wdata_i(taken_wdata),
    .raddr_i(raddr[IdWidth-1:6]), .rdata_o(taken_rdata)
  );
  npu_ram #(.Width(WordBits), .Depth(Words)) u_line (
    .clk_i, .we_i(line_we), .waddr_i(line_waddr), .wdata_i(line_wdata),
    .raddr_i(line_raddr), .rdata_o(line_rdata)
  );

  // By part: lines in use, and the id within the part after the one displaced last.
  logic [IdWidth:0]   used_q [Parts];
  logic [IdWidth-1:0] hand_q [Parts];
  logic               used_we, hand_we;
  logic [IdWidth:0]   used, used_wdata;
  logic [IdWidth-1:0] hand, hand_wdata;

  // ---- parts (T-EVT-10) ----

  logic [3:0]         part;
  logic [IdWidth-1:0] part_first;
  logic [IdWidth:0]   part_end;      // the first id after it

  if (IdWidth > PartIdWidth) begin : gen_parts
    logic [IdWidth:0] end_of_part;
    assign part = cfg_isolated_i ? 4'(id_q[IdWidth-1:PartIdWidth]) : 4'd0;
    assign part_first = cfg_isolated_i ? {id_q[IdWidth-1:PartIdWidth], PartIdWidth'(0)} : '0;
    assign end_of_part = {1'b0, part_first} + (IdWidth + 1)'(1 << PartIdWidth);
    assign part_end = cfg_isolated_i && end_of_part < cfg_events_i ? end_of_part : cfg_events_i;
  end else begin : gen_one_part
    assign part = 4'd0;
    assign part_first = '0;
    assign part_end = cfg_events_i;
    logic unused_isolated;
    assign unused_isolated = cfg_isolated_i;
  end

  assign used = used_q[part];
  assign hand = hand_q[part];

  // ---- the search (T-EVT-9): a word a clock ----

  logic [WordBits-1:0] scan_bits, lowest;
  logic [IdWidth-1:0]  victim, hand_after;

  // In the first word only ids from the hand on; the others of it come last, after going round.
  assign scan_bits = scan_first_q ? line_rdata & ({WordBits{1'b1}} << scan_q[5:0]) : line_rdata;
  assign lowest = npu_pkg::lowest(scan_bits);
  assign victim = {scan_q[IdWidth-1:6], npu_pkg::encode(lowest)};
  // The word after the one that is here, and the id after the one that goes.
  logic [IdWidth:0] next_word, next_id;
  logic [IdWidth-1:0] scan_next;
  assign next_word = {1'b0, scan_q[IdWidth-1:6], 6'd0} + (IdWidth + 1)'(WordBits);
  assign scan_next = next_word >= part_end ? part_first : next_word[IdWidth-1:0];
  assign next_id = {1'b0, scan_q} + (IdWidth + 1)'(1);  // StVictim: the one that goes is at scan_q
  assign hand_after = next_id >= part_end ? '0 : next_id[IdWidth-1:0] - part_first;

  // ---- lists ----

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

  logic [WordBits-1:0] own_bit;
  logic                clear;
  assign own_bit = WordBits'(1) << id_q[5:0];
  assign clear = !flag_q && !first_q[QueueWidth];

  // An entry as it was read: nothing of a clear one counts.
  logic   read_taken, read_line, read_flag;
  place_t read_first, read_last;
  assign read_taken = taken_rdata[id_q[5:0]];
  assign read_line  = line_rdata[id_q[5:0]];
  assign read_flag  = read_taken && entry_rdata[QueueWidth*2+2];
  assign read_first = read_taken ? entry_rdata[QueueWidth*2+1:QueueWidth+1] : '0;
  assign read_last  = read_taken ? entry_rdata[QueueWidth:0] : '0;

  always_comb begin
    state_d      = state_q;
    queue_d      = queue_q;
    error_d      = error_q;
    pass_d       = pass_q;
    flag_d       = flag_q;
    first_d      = first_q;
    last_d       = last_q;
    taken_d      = taken_q;
    line_d       = line_q;
    taken_word_d = taken_word_q;
    line_word_d  = line_word_q;
    scan_d       = scan_q;
    scan_first_d = scan_first_q;

    raddr        = id_q;
    line_raddr   = id_q[IdWidth-1:6];
    entry_we     = 1'b0;
    taken_we     = 1'b0;
    taken_waddr  = id_q[IdWidth-1:6];
    taken_wdata  = taken_word_q;
    line_we      = 1'b0;
    line_waddr   = id_q[IdWidth-1:6];
    line_wdata   = line_word_q;
    used_we      = 1'b0;
    used_wdata   = used;
    hand_we      = 1'b0;
    hand_wdata   = hand_after;

    list_valid   = 1'b0;
    list_remove  = 1'b0;
    list_queue   = queue_q;

    unique case (state_q)
      StWalk: begin
        taken_we    = 1'b1;
        taken_waddr = walk_q;
        taken_wdata = '0;
        line_we     = 1'b1;
        line_waddr  = walk_q;
        line_wdata  = '0;
        if (&walk_q) state_d = StIdle;
      end

      StIdle: begin
        raddr      = req_id_i;
        line_raddr = req_id_i[IdWidth-1:6];
        if (req_valid_i) begin
          queue_d = req_queue_i;
          pass_d  = 1'b0;
          error_d = {1'b0, req_id_i} >= cfg_events_i || req_op_i > OpLoad;
          flag_d  = 1'b0;
          first_d = '0;
          last_d  = '0;
          taken_d = 1'b0;
          line_d  = 1'b0;
          state_d = error_d ? StRespond : StAct;
        end
      end

      StAct: begin
        flag_d       = read_flag;
        first_d      = read_first;
        last_d       = read_last;
        taken_d      = read_taken;
        line_d       = read_line;
        taken_word_d = taken_rdata;
        line_word_d  = line_rdata;
        unique case (op_q)
          OpWait: begin
            pass_d  = read_flag;                                // T-EVT-2
            state_d = read_flag ? StRespond : StLink;           // T-EVT-3
          end
          OpRecord: begin
            flag_d  = 1'b1;                                     // T-EVT-1
            state_d = StSettle;
          end
          OpClear: begin
            flag_d  = 1'b0;                                     // T-EVT-5
            state_d = StSettle;
          end
          OpForget: state_d = StLink;
          OpLoad: begin                                         // T-EVT-8
            // As if it had just stopped being clear.
            taken_d = read_taken && read_line;
            state_d = read_taken && !read_line ? StSettle : StRespond;
          end
          default: state_d = StRespond;                         // read
        endcase
      end

      StLink: begin
        list_valid  = list_ready;
        list_remove = op_q == OpForget;
        if (list_done) begin
          first_d = list_first;
          last_d  = list_last;
          state_d = StSettle;
        end
      end

      StSettle: begin
        if (clear == !taken_q) begin
          state_d = StWrite;
        end else if (clear) begin
          taken_we    = 1'b1;
          taken_wdata = taken_word_q & ~own_bit;
          line_we     = line_q;
          line_wdata  = line_word_q & ~own_bit;
          used_we     = line_q;
          used_wdata  = used - (IdWidth + 1)'(1);
          taken_d     = 1'b0;
          line_d      = 1'b0;
          state_d     = StWrite;
        end else if (used == cfg_lines_i) begin
          scan_d       = part_first + hand;
          scan_first_d = 1'b1;
          line_raddr   = scan_d[IdWidth-1:6];
          state_d      = StScan;
        end else begin
          used_we    = 1'b1;
          used_wdata = used + (IdWidth + 1)'(1);
          state_d    = StMark;
        end
      end

      StScan: begin
        line_raddr   = scan_next[IdWidth-1:6];
        scan_first_d = 1'b0;
        if (scan_bits != '0) begin
          scan_d      = victim;
          line_word_d = line_rdata ^ lowest;
          state_d     = StVictim;
        end else begin
          scan_d = scan_next;
        end
      end

      StVictim: begin
        line_we    = 1'b1;
        line_waddr = scan_q[IdWidth-1:6];
        hand_we    = 1'b1;
        state_d    = StVictimRead;
      end

      StVictimRead: state_d = StMark;  // reads the word of the own entry

      StMark: begin
        // After StVictimRead the word as it is now has been read; else it has not changed since.
        taken_we    = 1'b1;
        taken_wdata = taken_word_q | own_bit;
        line_we     = 1'b1;
        line_wdata  = line_rdata | own_bit;
        taken_d     = 1'b1;
        line_d      = 1'b1;
        state_d     = StWrite;
      end

      StWrite: begin
        entry_we = 1'b1;
        state_d  = op_q == OpRecord && first_q[QueueWidth] ? StRelease : StRespond;
      end

      StRelease: begin
        list_valid  = list_ready;
        list_remove = 1'b1;
        list_queue  = first_q[QueueWidth-1:0];
        queue_d     = first_q[QueueWidth-1:0];
        state_d     = StReleased;
      end

      StReleased: begin
        if (list_done) begin
          first_d = list_first;
          last_d  = list_last;
          pass_d  = 1'b1;
          state_d = StRespond;
        end
      end

      default: begin  // StRespond
        entry_we = op_q == OpRecord && !error_q;  // no queue waits any more, or fewer
        if (rsp_ready_i) state_d = rsp_last_o ? StIdle : StRelease;
      end
    endcase
  end

  assign req_ready_o     = state_q == StIdle;
  assign rsp_valid_o     = state_q == StRespond;
  assign rsp_last_o      = !(op_q == OpRecord && !error_q && first_q[QueueWidth]);
  assign rsp_error_o     = error_q;
  assign rsp_pass_o      = op_q == OpWait && pass_q;
  assign rsp_release_o   = op_q == OpRecord && pass_q;
  assign rsp_queue_o     = queue_q;
  assign rsp_flag_o      = flag_q;
  assign rsp_pending_o   = first_q[QueueWidth];
  assign rsp_in_memory_o = taken_q && !line_q;
  assign busy_o          = state_q != StIdle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StWalk;
      {op_q, id_q, queue_q, now_q, error_q, pass_q, flag_q, first_q, last_q, taken_q, line_q,
       taken_word_q, line_word_q, scan_q, scan_first_q, walk_q} <= '0;
    end else begin
      state_q      <= state_d;
      queue_q      <= queue_d;
      error_q      <= error_d;
      pass_q       <= pass_d;
      flag_q       <= flag_d;
      first_q      <= first_d;
      last_q       <= last_d;
      taken_q      <= taken_d;
      line_q       <= line_d;
      taken_word_q <= taken_word_d;
      line_word_q  <= line_word_d;
      scan_q       <= scan_d;
      scan_first_q <= scan_first_d;
      if (state_q == StWalk) walk_q <= walk_q + WordWidth'(1);
      if (state_q == StIdle && req_valid_i) begin
        op_q  <= req_op_i;
        id_q  <= req_id_i;
        now_q <= req_now_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < Parts; i++) begin
        used_q[i] <= '0;
        hand_q[i] <= '0;
      end
    end else begin
      if (used_we) used_q[part] <= used_wdata;
      if (hand_we) hand_q[part] <= hand_wdata;
    end
  end

  // T-EVT-7: never more lines than there are.
  `NPU_ASSERT(LinesLegal, req_valid_i |-> cfg_lines_i != '0)
  `NPU_ASSERT(LinesFit, used <= cfg_lines_i)
  `NPU_ASSERT(LineIsTaken, rsp_valid_o && !rsp_error_o && line_q |-> taken_q)
  // T-EVT-3, T-EVT-8: an entry with a wait or a flag is on the chip or in memory, a clear entry is
  // neither.
  `NPU_ASSERT(ClearIsNowhere, rsp_valid_o && rsp_last_o && !rsp_error_o && op_q != OpLoad |->
              taken_q == (flag_q || first_q[QueueWidth]) || op_q == OpRecord)
  // T-EVT-9: there is always one to displace.
  `NPU_ASSERT(VictimExists, state_q == StScan |-> used != '0)
  `NPU_ASSERT(ReqHeld, req_valid_i && !req_ready_o |=> req_valid_i && $stable(req_op_i) &&
              $stable(req_id_i) && $stable(req_queue_i))
  `NPU_ASSERT(RspHeld, rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_queue_o) &&
              $stable(rsp_last_o) && $stable(rsp_release_o))

endmodule
