// SPDX-License-Identifier: Apache-2.0
`include "npu_assert.svh"
/// Chooses among the queues that ask for the same thing: an active slot, or a share of a class.
/// Rules T-ARB-1 to T-ARB-6 and T-TIM-6. One operation at a time, one response each.
module npu_arbiter #(
  /// Queues, 8 to 2048
  parameter int unsigned Queues = npu_pkg::MaxQueues,
  localparam int unsigned QueueWidth = $clog2(Queues),
  localparam int unsigned LevelWidth = $clog2(npu_pkg::Priorities),
  localparam int unsigned GroupWidth = $clog2(npu_pkg::Groups),
  localparam int unsigned WeightWidth = npu_pkg::WeightWidth
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Arbitration registers; they may change between operations
  // priorities from here are one group (T-ARB-1)
  input  logic [LevelWidth-1:0]  cfg_strict_level_i,
  // a turn goes on while weight is left (T-ARB-3)
  input  logic                   cfg_weight_first_i,
  input  logic                   cfg_reload_spent_i,  // only spent weights are loaded (T-ARB-4)

  // An operation; its operands hold until the response
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  logic [1:0]             req_op_i,            // 0 add, 1 remove, 2 take, 3 weight
  input  logic [QueueWidth-1:0]  req_queue_i,         // add, remove
  input  logic [LevelWidth-1:0]  req_priority_i,      // add, remove
  input  logic [GroupWidth-1:0]  req_group_i,         // add, remove, weight
  input  logic [WeightWidth-1:0] req_weight_i,        // weight; 0 counts as 1
  input  logic                   req_seeded_i,        // take: choose by the numbers drawn (T-TIM-6)
  input  logic [63:0]            req_draw0_i,
  input  logic [63:0]            req_draw1_i,

  output logic                   rsp_valid_o,
  input  logic                   rsp_ready_i,
  output logic                   rsp_last_o,
  output logic [QueueWidth-1:0]  rsp_queue_o,         // take: the winner
  output logic [1:0]             rsp_draws_o,         // take: how many numbers were used

  output logic                   empty_o,             // no queue asks; never take then
  output logic                   busy_o               // needs the clock
);
  `NPU_RANGE(Queues, 8, 2048)

  localparam int unsigned Levels = npu_pkg::Priorities;
  localparam int unsigned Groups = npu_pkg::Groups;
  localparam int unsigned WordBits = 64;
  localparam int unsigned WordWidth = Queues > 2 * WordBits ? QueueWidth - $clog2(WordBits) : 1;
  localparam int unsigned Words = 1 << WordWidth;
  localparam int unsigned Sets = Levels * Groups;
  localparam int unsigned SetWidth = LevelWidth + GroupWidth;
  localparam int unsigned CountWidth = 12;

  localparam logic [1:0] OpAdd = 2'd0;
  localparam logic [1:0] OpRemove = 2'd1;
  localparam logic [1:0] OpTake = 2'd2;

  typedef enum logic [3:0] {
    StIdle,
    StGroup,       // take: the model group whose turn it is
    StSet,         // the set's row is being read
    StSetData,     // it is there; a word of the set is being read
    StWord,        // the word is there
    StDivide,      // the number drawn, modulo the choices
    StNthGroup,    // take, seeded: that model group
    StCount,       // take, seeded: members are counted
    StNthRead,     // take, seeded: that member's word
    StNth,
    StNthBit,
    StWeightRead,  // the weight as it was is being read
    StWeight,      // levels that have yet to use it keep it
    StRespond
  } state_e;

  state_e state_q, state_d;
  logic [1:0] op_q, op_d;
  logic [QueueWidth-1:0] queue_q, queue_d;  // of the request; then the winner
  logic [LevelWidth-1:0] level_q, level_d;
  logic [GroupWidth-1:0] group_q, group_d;
  logic [1:0] draws_q, draws_d;
  logic seeded_q, seeded_d;

  // By priority group: the queues that ask, and the turns (T-ARB-6)
  logic [Levels-1:0] levels_q, levels_d;              // a queue asks
  logic [Sets-1:0] asking_q;  // a queue of the model group asks
  logic [Sets-1:0] spent_q;  // nothing is left of its weight
  logic [Sets-1:0] fresh_q;  // what is left is the weight itself
  logic [Sets-1:0] won_q;  // its last winner is known
  logic [Levels*GroupWidth-1:0] last_q;  // the model group that won last
  logic [Levels-1:0] going_q, going_d;                // and still has the turn
  logic [Groups-1:0] loaded_q, loaded_d;              // its weight was written; else 1

  // Members of each set: a word counts only if its bit in the row's summary is set, the row only if
  // a queue asks.
  logic [WordBits-1:0] word_mem[Sets*Words];
  logic [Words-1:0] summary_mem[Sets];
  logic [QueueWidth-1:0] winner_mem[Sets];
  logic [WeightWidth-1:0] left_mem[Sets];
  logic [WeightWidth-1:0] weight_mem[Groups];

  logic [SetWidth-1:0] set_addr;
  logic [SetWidth+WordWidth-1:0] word_addr;
  logic [WordBits-1:0] word_data, word_wdata;
  logic [Words-1:0] summary_data, summary_wdata;
  logic [QueueWidth-1:0] winner_data;
  logic [WeightWidth-1:0] left_data, left_wdata, weight_data;
  logic word_write, summary_write, winner_write, left_write, weight_write;

  // Working registers of one operation
  logic [Words-1:0] summary_q, summary_d;  // of the set, or what is left of it to walk through
  logic [WordWidth-1:0] index_q, index_d;  // of the word that is read
  logic second_q, second_d;                // the search has gone past its first word
  logic [QueueWidth-1:0] start_q, start_d;
  logic [63:0] bits_q, bits_d;             // to choose among
  logic [63:0] rest_q, rest_d;             // of the number drawn
  logic [CountWidth-1:0] modulo_q, modulo_d, members_q, members_d;
  logic [3:0] step_q, step_d;              // of the division; the level whose weight is kept
  logic for_group_q, for_group_d;          // the division is for the model group

  logic [LevelWidth-1:0] req_level;
  logic [LevelWidth-1:0] first_level;
  logic [Groups-1:0] able, after;
  logic none_able;
  // The rows of the priority group that the operation is about
  logic [Groups-1:0] asking, asking_d, spent, spent_d, fresh, fresh_d, won, won_d;
  logic [GroupWidth-1:0] last, last_d;
  logic [WeightWidth-1:0] left_now;
  logic [WordBits-1:0] word_now, here, cleared;
  logic [QueueWidth-1:0] found;
  logic [Words-1:0] summary_after, summary_cleared, next_words;
  logic [63:0] draw_now;
  logic [CountWidth-1:0] word_count;

  assign req_ready_o = state_q == StIdle;
  assign busy_o = state_q != StIdle;
  assign rsp_valid_o = state_q == StRespond;
  assign rsp_last_o = 1'b1;
  assign rsp_queue_o = queue_q;
  assign rsp_draws_o = draws_q;
  assign empty_o = levels_q == '0;

  // T-ARB-1
  assign req_level = req_priority_i < cfg_strict_level_i ? req_priority_i : cfg_strict_level_i;
  assign first_level = LevelWidth'(npu_pkg::encode(npu_pkg::lowest(64'(levels_q))));

  // T-ARB-2 to T-ARB-4: those whose turn it may be.
  assign asking = asking_q[{level_q, GroupWidth'(0)}+:Groups];
  assign spent = spent_q[{level_q, GroupWidth'(0)}+:Groups];
  assign fresh = fresh_q[{level_q, GroupWidth'(0)}+:Groups];
  assign won = won_q[{level_q, GroupWidth'(0)}+:Groups];
  assign none_able = (asking & ~spent) == '0;
  assign able = none_able ? asking : asking & ~spent;
  assign last = last_q[32'(level_q)*GroupWidth+:GroupWidth];
  assign after = able & (~64'd0 << last) & ~(64'd1 << last);

  assign left_now = !fresh[group_q] ? left_data :
                    loaded_q[group_q] ? weight_data : WeightWidth'(1);

  assign set_addr = {level_q, group_q};
  assign word_addr = {set_addr, index_d};
  assign word_now = summary_q[index_q] ? word_data : '0;
  assign word_count = CountWidth'(npu_pkg::count(word_now));
  // T-ARB-5: from the one after the last winner; the words after the first count whole.
  assign here = second_q ? word_now : word_now & (~64'd0 << 6'(start_q));
  assign found = QueueWidth'({index_q, npu_pkg::encode(npu_pkg::lowest(
      op_q != OpTake ? 64'd1 << 6'(queue_q) : state_q == StNthBit ? bits_q : here))});
  assign cleared = word_now & ~(64'd1 << 6'(found));
  assign summary_after = summary_q & (~Words'(0) << index_q) & ~(Words'(1) << index_q);
  assign next_words = summary_after != '0 ? summary_after : summary_q;
  assign summary_cleared = cleared == '0 ? summary_q & ~(Words'(1) << index_q) : summary_q;
  assign draw_now = draws_q == 2'd0 ? req_draw0_i : req_draw1_i;

  // Takes the queue `found` out of its set and answers.
  `define NPU_ARBITER_REMOVE \
    word_write = 1'b1; \
    word_wdata = cleared; \
    summary_write = 1'b1; \
    summary_wdata = summary_cleared; \
    if (summary_cleared == '0) begin \
      asking_d[group_q] = 1'b0; \
      if ((asking & ~(64'd1 << group_q)) == '0) levels_d[level_q] = 1'b0; \
    end \
    queue_d = found; \
    state_d = StRespond;

  always_comb begin
    state_d = state_q;
    op_d = op_q;
    queue_d = queue_q;
    level_d = level_q;
    group_d = group_q;
    draws_d = draws_q;
    seeded_d = seeded_q;
    levels_d = levels_q;
    asking_d = asking;
    spent_d = spent;
    fresh_d = fresh;
    won_d = won;
    last_d = last;
    going_d = going_q;
    loaded_d = loaded_q;
    summary_d = summary_q;
    index_d = index_q;
    second_d = second_q;
    start_d = start_q;
    bits_d = bits_q;
    rest_d = rest_q;
    modulo_d = modulo_q;
    members_d = members_q;
    step_d = step_q;
    for_group_d = for_group_q;
    word_write = 1'b0;
    word_wdata = cleared;
    summary_write = 1'b0;
    summary_wdata = summary_cleared;
    winner_write = 1'b0;
    left_write = 1'b0;
    left_wdata = left_now - WeightWidth'(1);
    weight_write = 1'b0;

    unique case (state_q)
      StIdle:
      if (req_valid_i) begin
        op_d = req_op_i;
        queue_d = req_queue_i;
        level_d = req_op_i == OpTake ? first_level : req_level;
        group_d = req_group_i;
        seeded_d = req_seeded_i;
        draws_d = 2'd0;
        second_d = 1'b0;
        step_d = 4'd0;
        state_d = req_op_i == OpTake ? StGroup :
                  req_op_i == OpAdd || req_op_i == OpRemove ? StSet : StWeightRead;
      end

      StGroup: begin
        if (none_able) begin  // T-ARB-4
          fresh_d = cfg_reload_spent_i ? fresh | spent : '1;
          spent_d = '0;
          going_d[level_q] = 1'b0;
        end
        if (cfg_weight_first_i && going_q[level_q] && able[last]) begin  // T-ARB-3
          group_d = last;
          state_d = StSet;
        end else if (seeded_q && (able & ~npu_pkg::lowest(able)) != '0) begin  // T-TIM-6
          bits_d = able;
          modulo_d = CountWidth'(npu_pkg::count(able));
          rest_d = draw_now;
          members_d = '0;
          for_group_d = 1'b1;
          state_d = StDivide;
        end else begin  // T-ARB-2
          group_d = npu_pkg::encode(npu_pkg::lowest(after != '0 ? after : able));
          state_d = StSet;
        end
      end

      // Four bits of the number a clock, highest first; the remainder grows in members_q.
      StDivide: begin
        for (int i = 0; i < 4; i++) begin
          members_d = {members_d[CountWidth-2:0], rest_d[63]};
          if (members_d >= modulo_q) members_d = members_d - modulo_q;
          rest_d = {rest_d[62:0], 1'b0};
        end
        step_d = step_q + 4'd1;
        if (step_q == 4'd15) begin
          draws_d = draws_q + 2'd1;
          state_d = for_group_q ? StNthGroup : StNthRead;
          if (!for_group_q) index_d = WordWidth'(npu_pkg::encode(npu_pkg::lowest(64'(summary_q))));
        end
      end

      StNthGroup:
      if (members_q == '0) begin
        group_d = npu_pkg::encode(npu_pkg::lowest(bits_q));
        state_d = StSet;
      end else begin
        bits_d = bits_q & ~npu_pkg::lowest(bits_q);
        members_d = members_q - CountWidth'(1);
      end

      StSet: state_d = StSetData;

      StSetData: begin
        summary_d = asking[group_q] ? summary_data : '0;
        start_d = won[group_q] ? winner_data + QueueWidth'(1) : '0;
        index_d = WordWidth'((op_q == OpTake ? start_d : queue_q) >> 6);
        state_d = StWord;
        if (op_q == OpTake) begin
          left_write = 1'b1;  // T-ARB-2
          fresh_d[group_q] = 1'b0;
          last_d = group_q;
          going_d[level_q] = left_now != WeightWidth'(1);
          if (left_now == WeightWidth'(1)) spent_d[group_q] = 1'b1;
          if (seeded_q) begin
            modulo_d = '0;
            index_d = WordWidth'(npu_pkg::encode(npu_pkg::lowest(64'(summary_d))));
            bits_d = 64'(summary_d);
            state_d = StCount;
          end
        end
      end

      StWord:
      if (op_q == OpAdd) begin
        word_write = 1'b1;
        word_wdata = word_now | 64'd1 << 6'(queue_q);
        summary_write = 1'b1;
        summary_wdata = summary_q | Words'(1) << index_q;
        asking_d[group_q] = 1'b1;
        levels_d[level_q] = 1'b1;
        state_d = StRespond;
      end else if (op_q == OpRemove || here != '0) begin
        winner_write = op_q == OpTake;
        if (op_q == OpTake) won_d[group_q] = 1'b1;
        `NPU_ARBITER_REMOVE
      end else begin
        index_d = WordWidth'(npu_pkg::encode(npu_pkg::lowest(64'(next_words))));
        second_d = 1'b1;
      end

      // Members in all words of the set, then as many again up to the one drawn.
      StCount: begin
        modulo_d = modulo_q + word_count;
        bits_d = bits_q & ~npu_pkg::lowest(bits_q);
        index_d = WordWidth'(npu_pkg::encode(npu_pkg::lowest(bits_d)));
        if (bits_d == '0) begin
          rest_d = draw_now;
          members_d = '0;
          step_d = 4'd0;
          for_group_d = 1'b0;
          state_d = StDivide;
        end
      end

      StNthRead: begin
        bits_d = 64'(summary_q);
        state_d = StNth;
      end

      StNth:
      if (members_q >= word_count) begin
        members_d = members_q - word_count;
        bits_d = bits_q & ~npu_pkg::lowest(bits_q);
        index_d = WordWidth'(npu_pkg::encode(npu_pkg::lowest(bits_d)));
      end else begin
        bits_d = word_now;
        state_d = StNthBit;
      end

      StNthBit:
      if (members_q == '0) begin
        winner_write = 1'b1;
        won_d[group_q] = 1'b1;
        `NPU_ARBITER_REMOVE
      end else begin
        bits_d = bits_q & ~npu_pkg::lowest(bits_q);
        members_d = members_q - CountWidth'(1);
      end

      StWeightRead: begin
        level_d = '0;
        state_d = StWeight;
      end

      // T-ARB-4: a new weight counts when it is loaded, so what has been loaded is written first.
      StWeight: begin
        left_write = fresh[group_q];
        left_wdata = left_now;
        fresh_d[group_q] = 1'b0;
        level_d = level_q + LevelWidth'(1);
        if (level_q == LevelWidth'(Levels - 1)) begin
          weight_write = 1'b1;
          loaded_d[group_q] = 1'b1;
          state_d = StRespond;
        end
      end

      StRespond: if (rsp_ready_i) state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end
  `undef NPU_ARBITER_REMOVE

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      fresh_q <= '1;
      last_q <= '1;
      {level_q, levels_q, going_q, loaded_q} <= '0;
      {asking_q, spent_q, won_q} <= '0;
    end else begin
      state_q <= state_d;
      level_q <= level_d;
      levels_q <= levels_d;
      asking_q[{level_q, GroupWidth'(0)}+:Groups] <= asking_d;
      spent_q[{level_q, GroupWidth'(0)}+:Groups] <= spent_d;
      fresh_q[{level_q, GroupWidth'(0)}+:Groups] <= fresh_d;
      won_q[{level_q, GroupWidth'(0)}+:Groups] <= won_d;
      last_q[32'(level_q)*GroupWidth+:GroupWidth] <= last_d;
      going_q <= going_d;
      loaded_q <= loaded_d;
    end
  end

  always_ff @(posedge clk_i) begin
    op_q <= op_d;
    queue_q <= queue_d;
    group_q <= group_d;
    draws_q <= draws_d;
    seeded_q <= seeded_d;
    summary_q <= summary_d;
    index_q <= index_d;
    second_q <= second_d;
    start_q <= start_d;
    bits_q <= bits_d;
    rest_q <= rest_d;
    modulo_q <= modulo_d;
    members_q <= members_d;
    step_q <= step_d;
    for_group_q <= for_group_d;
  end

  always_ff @(posedge clk_i) begin
    if (word_write) word_mem[{set_addr, index_q}] <= word_wdata;
    word_data <= word_mem[word_addr];
    if (summary_write) summary_mem[set_addr] <= summary_wdata;
    summary_data <= summary_mem[set_addr];
    if (winner_write) winner_mem[set_addr] <= found;
    winner_data <= winner_mem[set_addr];
    if (left_write) left_mem[set_addr] <= left_wdata;
    left_data <= left_mem[set_addr];
    if (weight_write) weight_mem[group_q] <= req_weight_i == '0 ? WeightWidth'(1) : req_weight_i;
    weight_data <= weight_mem[group_q];
  end

  `NPU_ASSERT(NeverTakeFromNobody, req_valid_i && req_ready_o && req_op_i == OpTake |-> !empty_o)
  `NPU_ASSERT(QueueExists, req_valid_i && req_ready_o |-> 32'(req_queue_i) < Queues)
  `NPU_ASSERT(ResponseHeld, rsp_valid_o && !rsp_ready_i |=> rsp_valid_o && $stable(rsp_queue_o))
  `NPU_ASSERT(WinnerAsks, state_q == StWord && op_q == OpTake |-> summary_q != '0)
  `NPU_ASSERT(LevelsFollow, state_q == StIdle |->
              levels_q[level_q] == (asking != '0))
endmodule
